// The colour of a surface in one mode, as the desktop's shaders compute it.

in vec3 v_position;
in vec3 v_normal;
in vec2 v_uv;
in vec4 v_color;
in float v_badness;

uniform int u_show;
uniform bool u_both_sides;
uniform bool u_textured;
uniform sampler2D u_texture;             // sRGB, which the sampler decodes
uniform vec2 u_alphas;                   // what is drawn: from the first to below the second
uniform bool u_opaque;
uniform float u_through;                 // opacity of all but what measures badly

layout(location = 0) out vec4 o_color;

Form form_here() {
    Form form;
    form.position = v_position;
    form.own_normal = direction(v_normal);
    vec3 to_viewer = cross(dFdx(v_position), dFdy(v_position));
    bool points_away = dot(to_viewer, v_normal) < -DOUBTFUL_ANGLE * length(to_viewer) * length(v_normal);
    if (form.own_normal == vec3(0.0)) {
        form.normal = direction(to_viewer);
    } else {
        form.normal = u_both_sides && points_away ? -form.own_normal : form.own_normal;
    }
    return form;
}

vec3 light_here(vec3 color) {
    Form form = form_here();
    switch (u_show) {
        case SHOW_LIT: return lit(color, form);
        case SHOW_TEXTURE: return color;
        case SHOW_NORMALS: return normal_color(form);
        case SHOW_VALUES: return heat(color.r) * relief(form);
        default: return color * relief(form);
    }
}

float encode(float light) {
    return light > 0.0031308 ? 1.055 * pow(light, 1.0 / 2.4) - 0.055 : 12.92 * light;
}

void main() {
    vec4 color = v_color * (u_textured ? texture(u_texture, v_uv) : vec4(1.0));
    vec3 light = light_here(color.rgb);
    float own = u_show == SHOW_LIT || u_show == SHOW_TEXTURE ? tame(color.a) : 1.0;
    float alpha = u_opaque ? 1.0 : own * mix(u_through, 1.0, smoothstep(0.4, 0.5, v_badness));
    if (alpha < u_alphas.x || alpha >= u_alphas.y) {
        discard;
    }
    o_color = vec4(encode(tame(light.r)), encode(tame(light.g)), encode(tame(light.b)), alpha);
}
