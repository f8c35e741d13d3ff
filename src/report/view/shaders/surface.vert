// A posed vertex and its colour.

layout(location = 0) in vec3 a_position;
layout(location = 1) in vec3 a_normal;
layout(location = 2) in float a_weight;  // share of the selected joint
layout(location = 3) in vec2 a_uv;       // of the texture
layout(location = 4) in vec2 a_first_uv; // of the checker
layout(location = 5) in vec4 a_color;    // linear
layout(location = 6) in vec3 a_paint;    // sRGB
layout(location = 7) in float a_number;  // 0 to 254, and 255 for none

uniform mat4 u_clip_from_world;          // of positions relative to u_centre
uniform vec3 u_centre;
uniform vec4 u_base_color;
uniform int u_colors;
uniform sampler2D u_ramp;                // the colours of numbers, sRGB
uniform bool u_checkered;
uniform uint u_instance;

out vec3 v_position;                     // relative to u_centre
out vec3 v_normal;
out vec2 v_uv;
out vec4 v_color;
out float v_badness;                     // of a number, 0 to 1
flat out uvec2 v_vertex;

vec3 linear(vec3 code) {
    return mix(code / 12.92, pow((code + 0.055) / 1.055, vec3(2.4)), vec3(greaterThan(code, vec3(0.04045))));
}

vec3 on_ramp(float number) {
    if (number > 254.5) {
        return UNWEIGHTED;
    }
    int last = textureSize(u_ramp, 0).x - 1;
    float place = number / 254.0 * float(last);
    int below = min(int(place), last - 1);
    vec3 low = linear(texelFetch(u_ramp, ivec2(below, 0), 0).rgb);
    vec3 high = linear(texelFetch(u_ramp, ivec2(below + 1, 0), 0).rgb);
    return mix(low, high, place - float(below));
}

void main() {
    v_position = a_position - u_centre;
    v_normal = a_normal;
    v_uv = u_checkered ? a_first_uv : a_uv;
    switch (u_colors) {
        case COLORS_OF_MATERIAL: v_color = u_base_color * a_color; break;
        case COLORS_OF_JOINT: v_color = vec4(a_weight); break;
        case COLORS_PAINTED: v_color = vec4(linear(a_paint), 1.0); break;
        case COLORS_OF_NUMBERS: v_color = vec4(on_ramp(a_number), 1.0); break;
        default: v_color = vec4(1.0);
    }
    v_badness = u_colors == COLORS_OF_NUMBERS && a_number < 254.5 ? a_number / 254.0 : 0.0;
    v_vertex = uvec2(u_instance + 1u, uint(gl_VertexID));
    gl_Position = u_clip_from_world * vec4(v_position, 1.0);
}
