// The numbers of a vertex, from buffers.

uniform usamplerBuffer u_targets;        // weight (as bits) and the first offset of each attribute, plus one
uniform samplerBuffer u_offsets;         // three numbers a vertex
uniform samplerBuffer u_palette;         // four columns and a rotation a slot
uniform samplerBuffer u_shares;          // of dual quaternions, one a vertex
uniform bool u_dual_quaternions;
uniform usamplerBuffer u_ranges;         // first influence of each vertex, and how many
uniform usamplerBuffer u_influences;     // slot and weight (as bits)
uniform bool u_skinned;
uniform mat4 u_world_from_node;

uvec4 target(int index) {
    return texelFetch(u_targets, index);
}

vec3 offset(uint first) {
    if (first == 0u) {
        return vec3(0.0);
    }
    int at = int(first - 1u) + 3 * gl_VertexID;
    return vec3(texelFetch(u_offsets, at).x, texelFetch(u_offsets, at + 1).x, texelFetch(u_offsets, at + 2).x);
}

mat4 slot(uint index) {
    int first = 5 * int(index);
    return mat4(
        texelFetch(u_palette, first),
        texelFetch(u_palette, first + 1),
        texelFetch(u_palette, first + 2),
        texelFetch(u_palette, first + 3)
    );
}

vec4 rotation(uint index) {
    return texelFetch(u_palette, 5 * int(index) + 4);
}

// Slot and weight of an influence.
uvec2 influence(uint index) {
    return texelFetch(u_influences, int(index)).xy;
}

uvec2 influences() {
    return u_skinned ? texelFetch(u_ranges, gl_VertexID).xy : uvec2(0u);
}

mat4 world_from_node() {
    return u_world_from_node;
}

float dual_quaternion_share() {
    return u_dual_quaternions ? texelFetch(u_shares, gl_VertexID).x : 0.0;
}
