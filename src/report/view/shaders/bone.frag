in float v_side;

uniform bool u_outline;

layout(location = 0) out vec4 o_color;

// Of the side that the key light would reach, and of the other.
const vec3 LIGHT = vec3(255.0, 196.0, 84.0) / 255.0;
const vec3 DARK = vec3(214.0, 138.0, 36.0) / 255.0;
const vec3 OUTLINE = vec3(22.0, 20.0, 18.0) / 255.0;

void main() {
    o_color = vec4(u_outline ? OUTLINE : v_side >= 0.0 ? LIGHT : DARK, 1.0);
}
