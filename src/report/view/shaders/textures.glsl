// The numbers of a vertex, from textures of 2048 texels a row.

layout(location = 2) in uvec2 a_range;   // first influence, and how many
layout(location = 3) in float a_share;   // of dual quaternions

uniform usampler2D u_targets;            // weight (as bits) and the first offset of each attribute, plus one
uniform sampler2D u_offsets;             // one texel a vertex
uniform sampler2D u_palette;             // three rows a bone, and a rotation if there are dual quaternions
uniform int u_texels;                    // of a bone
uniform usampler2D u_influences;         // bone and weight (as bits)
uniform uint u_bone;                     // of the mesh's node

ivec2 at(int index) {
    return ivec2(index & 2047, index >> 11);
}

uvec4 target(int index) {
    return texelFetch(u_targets, at(index), 0);
}

vec3 offset(uint first) {
    return first == 0u ? vec3(0.0) : texelFetch(u_offsets, at(int(first - 1u) + gl_VertexID), 0).xyz;
}

mat4 slot(uint index) {
    int first = u_texels * int(index);
    vec4 x = texelFetch(u_palette, at(first), 0);
    vec4 y = texelFetch(u_palette, at(first + 1), 0);
    vec4 z = texelFetch(u_palette, at(first + 2), 0);
    return mat4(x.x, y.x, z.x, 0.0, x.y, y.y, z.y, 0.0, x.z, y.z, z.z, 0.0, x.w, y.w, z.w, 1.0);
}

vec4 rotation(uint index) {
    return texelFetch(u_palette, at(u_texels * int(index) + 3), 0);
}

uvec2 influences() {
    return a_range;
}

uvec2 influence(uint index) {
    return texelFetch(u_influences, at(int(index)), 0).xy;
}

mat4 world_from_node() {
    return slot(u_bone);
}

float dual_quaternion_share() {
    return a_share;
}
