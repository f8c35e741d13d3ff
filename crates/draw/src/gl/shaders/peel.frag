// The nearest translucent triangle at one sample of each pixel that is behind those that were found before.

uniform uint u_first_triangle;
uniform int u_sample;
uniform bool u_first_layer;
uniform usampler2DArray u_solid;     // what is opaque
uniform usampler2DArray u_previous;  // what was found last
uniform sampler2DArray u_colors;     // of all layers that were found before, mixed

// What is behind so much no longer shows: it is less than 1/300 of a code, in the dark too.
const float ENOUGH = 1.0 - exp2(-20.0);

layout(location = 0) out uvec2 o_seen;

void main() {
    uint id = u_first_triangle + uint(gl_PrimitiveID);
    ivec3 at = ivec3(gl_FragCoord.xy, u_sample);
    float depth = gl_FragCoord.z;
    // An opaque surface at the same depth hides it.
    if (!(depth < uintBitsToFloat(texelFetch(u_solid, at, 0).y))) {
        discard;
    }
    if (!u_first_layer) {
        uvec2 previous = texelFetch(u_previous, at, 0).xy;
        float previous_depth = uintBitsToFloat(previous.y);
        bool behind = depth > previous_depth || (depth == previous_depth && id + 1u > previous.x);
        bool hidden = texelFetch(u_colors, at, 0).a >= ENOUGH;
        if (previous.x == 0u || !behind || hidden) {
            discard;
        }
    }
    o_seen = uvec2(id + 1u, floatBitsToUint(depth));
}
