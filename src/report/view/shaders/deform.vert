// One vertex in the pose of a frame, and the share of one joint in it.

layout(location = 0) in vec3 a_position;
layout(location = 1) in vec3 a_normal;

uniform usampler2D u_nodes;              // of each bone
uniform uint u_joint;

out vec3 v_position;
out vec3 v_normal;
out float v_weight;

bool belongs(uint bone) {
    return texelFetch(u_nodes, at(int(bone)), 0).x == u_joint;
}

// A vertex without weights belongs to its mesh's node.
float weight_of_joint() {
    if (a_range.y == 0u) {
        return belongs(u_bone) ? 1.0 : 0.0;
    }
    float own = 0.0, all = 0.0;
    for (uint k = 0u; k < a_range.y; ++k) {
        uvec2 next = influence(a_range.x + k);
        float weight = uintBitsToFloat(next.y);
        own += belongs(next.x) ? weight : 0.0;
        all += weight;
    }
    return all > 0.0 ? own / all : 0.0;
}

void main() {
    Motion motion = moved(morphed(a_position, 1));
    v_position = motion.position;
    v_normal = moved_normal(unscaled(motion.linear), morphed(a_normal, 2));
    v_weight = weight_of_joint();
    gl_Position = vec4(0.0);
}
