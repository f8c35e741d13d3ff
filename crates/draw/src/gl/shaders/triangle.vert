// A corner of the model's triangles, shifted so that one sample of each pixel is at its centre.

layout(location = 0) in vec3 a_position;

uniform vec2 u_shift;

void main() {
    vec4 clip = clip_from_world(a_position);
    clip.xy += u_shift * clip.w;
    gl_Position = clip;
}
