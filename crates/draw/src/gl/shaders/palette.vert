#version 330 core
// One palette slot: from the mesh at bind time, through the joint, to the world; and the rotation nearest to that.

uniform usamplerBuffer u_joints;         // of each slot
uniform samplerBuffer u_inverse_binds;   // joint_from_mesh, four columns a slot
uniform samplerBuffer u_worlds;          // world_from_joint, four columns a joint

out vec4 v_x;
out vec4 v_y;
out vec4 v_z;
out vec4 v_w;
out vec4 v_rotation;                     // a unit quaternion

mat4 matrix(samplerBuffer matrices, int index) {
    int first = 4 * index;
    return mat4(
        texelFetch(matrices, first),
        texelFetch(matrices, first + 1),
        texelFetch(matrices, first + 2),
        texelFetch(matrices, first + 3)
    );
}

float largest(vec3 vector) {
    vec3 size = abs(vector);
    return max(size.x, max(size.y, size.z));
}

mat3 cofactors(mat3 m) {
    return mat3(cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1]));
}

// From a rotation matrix, by its largest component: the others are divided by it.
vec4 quaternion(mat3 m) {
    vec4 squares = vec4(
        1.0 + m[0].x - m[1].y - m[2].z,
        1.0 - m[0].x + m[1].y - m[2].z,
        1.0 - m[0].x - m[1].y + m[2].z,
        1.0 + m[0].x + m[1].y + m[2].z
    );
    vec4 q;
    if (squares.w >= 1.0) {
        q = vec4(m[1].z - m[2].y, m[2].x - m[0].z, m[0].y - m[1].x, squares.w);
    } else if (squares.x >= max(squares.y, squares.z)) {
        q = vec4(squares.x, m[0].y + m[1].x, m[2].x + m[0].z, m[1].z - m[2].y);
    } else if (squares.y >= squares.z) {
        q = vec4(m[0].y + m[1].x, squares.y, m[1].z + m[2].y, m[2].x - m[0].z);
    } else {
        q = vec4(m[2].x + m[0].z, m[1].z + m[2].y, squares.z, m[0].y - m[1].x);
    }
    return q / length(q);
}

// With a smaller determinant, relative to its largest element, a matrix is flat and has no rotation.
const float FLAT = 1e-5;

// The orthogonal factor of the polar decomposition, of a mirroring matrix that of its opposite: Newton's iteration, which
// replaces a matrix by the mean of itself and its inverse transpose.
vec4 rotation(mat3 linear) {
    float size = max(largest(linear[0]), max(largest(linear[1]), largest(linear[2])));
    mat3 m = linear / size;
    float volume = dot(m[0], cross(m[1], m[2]));
    if (!(abs(volume) >= FLAT)) {
        return vec4(0.0, 0.0, 0.0, 1.0);
    }
    m *= sign(volume);
    for (int round = 0; round < 40; ++round) {
        mat3 across = cofactors(m);
        mat3 next = 0.5 * (m + across / dot(m[0], across[0]));
        mat3 change = next - m;
        m = next;
        if (max(largest(change[0]), max(largest(change[1]), largest(change[2]))) < 2e-7) {
            break;
        }
    }
    return quaternion(m);
}

void main() {
    int joint = int(texelFetch(u_joints, gl_VertexID).x);
    mat4 world_from_mesh = matrix(u_worlds, joint) * matrix(u_inverse_binds, gl_VertexID);
    v_x = world_from_mesh[0];
    v_y = world_from_mesh[1];
    v_z = world_from_mesh[2];
    v_w = world_from_mesh[3];
    v_rotation = rotation(mat3(world_from_mesh));
    gl_Position = vec4(0.0);
}
