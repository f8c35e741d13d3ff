// Opaque triangles and the background: each triangle is coloured once a pixel.

uniform usampler2DArray u_solid;
uniform vec4 u_background;

vec2 mean_place(ivec2 pixel, uint ids[4], uint id) {
    vec2 sum = vec2(0.0);
    float count = 0.0;
    for (int s = 0; s < u_samples; ++s) {
        if (ids[s] == id) {
            sum += sample_place(ivec2(0), s) - vec2(u_tile);
            count += 1.0;
        }
    }
    return vec2(pixel + u_tile) + sum / count;
}

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    uint ids[4];
    vec4 colors[4];
    for (int s = 0; s < u_samples; ++s) {
        ids[s] = texelFetch(u_solid, ivec3(pixel, s), 0).x;
        colors[s] = u_background;
    }
    for (int s = 0; s < u_samples; ++s) {
        bool seen_before = false;
        for (int k = 0; k < s; ++k) {
            seen_before = seen_before || ids[k] == ids[s];
        }
        if (ids[s] == 0u || seen_before) {
            continue;
        }
        vec4 color = vec4(color_of(spot(ids[s] - 1u, mean_place(pixel, ids, ids[s]))).rgb, 1.0);
        for (int k = s; k < u_samples; ++k) {
            colors[k] = ids[k] == ids[s] ? color : colors[k];
        }
    }
    put(0.0, colors);
}
