#version 330 core
// One palette slot: from the mesh at bind time, through the joint, to the world.

uniform usamplerBuffer u_joints;         // of each slot
uniform samplerBuffer u_inverse_binds;   // joint_from_mesh, four columns a slot
uniform samplerBuffer u_worlds;          // world_from_joint, four columns a joint

out vec4 v_x;
out vec4 v_y;
out vec4 v_z;
out vec4 v_w;

mat4 matrix(samplerBuffer matrices, int index) {
    int first = 4 * index;
    return mat4(
        texelFetch(matrices, first),
        texelFetch(matrices, first + 1),
        texelFetch(matrices, first + 2),
        texelFetch(matrices, first + 3)
    );
}

void main() {
    int joint = int(texelFetch(u_joints, gl_VertexID).x);
    mat4 world_from_mesh = matrix(u_worlds, joint) * matrix(u_inverse_binds, gl_VertexID);
    v_x = world_from_mesh[0];
    v_y = world_from_mesh[1];
    v_z = world_from_mesh[2];
    v_w = world_from_mesh[3];
    gl_Position = vec4(0.0);
}
