// From the world to the screen.

uniform mat4 u_clip_from_world;   // of positions relative to u_centre; y grows downwards
uniform vec3 u_centre;            // keeps the numbers small, wherever the model stands

vec4 clip_from_world(vec3 position) {
    return u_clip_from_world * vec4(position - u_centre, 1.0);
}
