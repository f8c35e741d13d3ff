// The nearest opaque triangle at one sample of each pixel.

uniform uint u_first_triangle;

layout(location = 0) out uvec2 o_seen;  // triangle plus one, and depth as bits

void main() {
    uint id = u_first_triangle + uint(gl_PrimitiveID);
    o_seen = uvec2(id + 1u, floatBitsToUint(gl_FragCoord.z));
}
