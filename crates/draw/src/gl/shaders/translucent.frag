// Translucent triangles: one layer of each sample.

uniform usampler2DArray u_solid;
uniform usampler2DArray u_layer;

// Whether the triangle covers a sample and nothing opaque hides it there.
bool shows(Spot at, float solid_depth) {
    vec3 weights = at.weights.here;
    vec4 clip = at.corners[0].clip * weights.x + at.corners[1].clip * weights.y + at.corners[2].clip * weights.z;
    return all(greaterThanEqual(weights, vec3(0.0))) && 0.5 * clip.z / clip.w + 0.5 < solid_depth;
}

// The mean of the samples that show the triangle, whichever layer they show it in.
vec2 mean_position(ivec2 pixel, uvec2 layers[4], uint id) {
    vec2 sum = vec2(0.0);
    float count = 0.0;
    for (int s = 0; s < u_samples; ++s) {
        vec2 position = sample_position(pixel, s);
        float solid_depth = uintBitsToFloat(texelFetch(u_solid, ivec3(pixel, s), 0).y);
        if (layers[s].x == id || shows(spot(id - 1u, position), solid_depth)) {
            sum += sample_position(ivec2(0), s) - vec2(u_tile);
            count += 1.0;
        }
    }
    return vec2(pixel + u_tile) + sum / count;
}

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    uvec2 layers[4];
    vec4 colors[4];
    int pending = 0;
    float front = uintBitsToFloat(0x7f800000u);
    for (int s = 0; s < u_samples; ++s) {
        layers[s] = texelFetch(u_layer, ivec3(pixel, s), 0).xy;
        colors[s] = vec4(0.0);
        pending |= layers[s].x == 0u ? 0 : 1 << s;
        front = min(front, uintBitsToFloat(layers[s].y));
    }
    while (pending != 0) {
        uint id = layers[first_of(pending)].x;
        vec4 color = color_of(spot(id - 1u, mean_position(pixel, layers, id)));
        color.rgb *= color.a;
        for (int s = 0; s < u_samples; ++s) {
            bool own = layers[s].x == id;
            colors[s] = own ? color : colors[s];
            pending &= own ? ~(1 << s) : ~0;
        }
    }
    put(front, colors);
}
