// Opaque triangles and the background: each triangle is coloured once a pixel.

uniform usampler2DArray u_solid;
uniform vec4 u_background;

vec2 mean_position(ivec2 pixel, uint ids[4], uint id) {
    vec2 sum = vec2(0.0);
    float count = 0.0;
    for (int s = 0; s < u_samples; ++s) {
        if (ids[s] == id) {
            sum += sample_position(ivec2(0), s) - vec2(u_tile);
            count += 1.0;
        }
    }
    return vec2(pixel + u_tile) + sum / count;
}

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    uint ids[4];
    vec4 colors[4];
    int pending = 0;
    for (int s = 0; s < u_samples; ++s) {
        ids[s] = texelFetch(u_solid, ivec3(pixel, s), 0).x;
        colors[s] = u_background;
        pending |= ids[s] == 0u ? 0 : 1 << s;
    }
    // A loop, so that what a whole block of pixels does not need is not computed.
    while (pending != 0) {
        uint id = ids[first_of(pending)];
        vec4 color = vec4(color_of(spot(id - 1u, mean_position(pixel, ids, id))).rgb, 1.0);
        for (int s = 0; s < u_samples; ++s) {
            bool own = ids[s] == id;
            colors[s] = own ? color : colors[s];
            pending &= own ? ~(1 << s) : ~0;
        }
    }
    put(0.0, colors);
}
