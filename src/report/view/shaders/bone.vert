// A bone as a kite on the screen, widest near its upper joint.

layout(location = 0) in vec3 a_head;
layout(location = 1) in vec3 a_tail;

uniform mat4 u_clip_from_world;
uniform vec3 u_centre;
uniform vec2 u_half_size;                // of the view, in pixels
uniform float u_scale;                   // of the drawing
uniform bool u_outline;

out float v_side;

void main() {
    vec4 head = u_clip_from_world * vec4(a_head - u_centre, 1.0);
    vec4 tail = u_clip_from_world * vec4(a_tail - u_centre, 1.0);
    if (head.w <= 0.0 || tail.w <= 0.0) {
        gl_Position = vec4(0.0, 0.0, 2.0, 1.0);
        return;
    }
    vec2 from = head.xy / head.w * u_half_size, to = tail.xy / tail.w * u_half_size;
    float size = length(to - from);
    vec2 along = size > 0.0 ? (to - from) / size : vec2(1.0, 0.0), across = vec2(-along.y, along.x);
    float width = clamp(size * 0.085, 0.8 * u_scale, 6.0 * u_scale) + (u_outline ? 1.3 * u_scale : 0.0);
    float longer = u_outline ? 2.0 * u_scale : 0.0;
    // Head, left, right, tail.
    vec2 corners[4] = vec2[4](
        from - along * longer,
        from + along * 0.16 * size + across * width,
        from + along * 0.16 * size - across * width,
        to + along * longer
    );
    float sides[4] = float[4](0.0, 1.0, -1.0, 0.0);
    v_side = sides[gl_VertexID] * (across.y >= 0.0 ? 1.0 : -1.0);
    gl_Position = vec4(corners[gl_VertexID] / u_half_size, 0.0, 1.0);
}
