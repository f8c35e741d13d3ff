// From the samples of a pixel to its bytes.

uniform usampler2DArray u_solid;
uniform sampler2D u_front;
uniform sampler2DArray u_samples_colors;  // linear, premultiplied
uniform samplerBuffer u_thresholds;       // the least light that rounds to each sRGB byte's successor
uniform int u_samples;

layout(location = 0) out uvec4 o_pixel;  // sRGB, straight alpha
layout(location = 1) out float o_depth;

float threshold(int code) {
    return texelFetch(u_thresholds, code).x;
}

// Begins where the curve of sRGB has the light, a step off at most (in the dark two or three): two thresholds are read and
// not eight.
uint encode(float light) {
    float guess = 1.055 * pow(min(light, 1.0), 1.0 / 2.4) - 0.055;
    int code = light >= threshold(0) ? clamp(int(guess * 255.0 + 0.5), 0, 255) : 0;
    while (code > 0 && light < threshold(code - 1)) {
        --code;
    }
    while (code < 255 && light >= threshold(code)) {
        ++code;
    }
    return uint(code);
}

vec4 sample_color(ivec2 pixel, int index) {
    return texelFetch(u_samples_colors, ivec3(pixel, index), 0);
}

vec4 mean(ivec2 pixel) {
    vec4 first = sample_color(pixel, 0);
    if (u_samples == 1) {
        return first;
    }
    vec4 b = sample_color(pixel, 1), c = sample_color(pixel, 2), d = sample_color(pixel, 3);
    return ((first + b) + (c + d)) / 4.0;
}

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    vec4 color = mean(pixel);
    vec3 straight = color.rgb / color.a;
    o_pixel = color.a <= 0.0
        ? uvec4(0u)
        : uvec4(encode(straight.r), encode(straight.g), encode(straight.b), uint(color.a * 255.0 + 0.5));

    float nearest = texelFetch(u_front, pixel, 0).x;
    for (int s = 0; s < u_samples; ++s) {
        nearest = min(nearest, uintBitsToFloat(texelFetch(u_solid, ivec3(pixel, s), 0).y));
    }
    o_depth = clamp(nearest, 0.0, 1.0);
}
