// As visible.frag, for a surface that ends where its alpha is below a limit.

uniform uint u_first_triangle;
uniform int u_sample;
uniform float u_cutoff;

layout(location = 0) out uvec2 o_seen;

void main() {
    uint id = u_first_triangle + uint(gl_PrimitiveID);
    vec2 position = sample_position(ivec2(gl_FragCoord.xy), u_sample);
    if (!(surface_color(spot(id, position)).a >= u_cutoff)) {
        discard;
    }
    o_seen = uvec2(id + 1u, floatBitsToUint(gl_FragCoord.z));
}
