// Lines, and joints as dots.

layout(location = 0) in vec3 a_position;
layout(location = 1) in vec4 a_color;

uniform mat4 u_clip_from_world;
uniform vec3 u_centre;
uniform float u_size;

out vec4 v_color;

void main() {
    v_color = a_color;
    gl_Position = u_clip_from_world * vec4(a_position - u_centre, 1.0);
    gl_PointSize = u_size;
}
