in vec4 v_color;

uniform bool u_dots;

layout(location = 0) out vec4 o_color;

void main() {
    if (u_dots) {
        float radius = 2.0 * length(gl_PointCoord - 0.5);
        if (radius > 1.0) {
            discard;
        }
        o_color = radius > 0.7 ? vec4(vec3(0.08), v_color.a) : v_color;
    } else {
        o_color = v_color;
    }
}
