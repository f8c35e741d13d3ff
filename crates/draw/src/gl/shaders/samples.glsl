// Where the samples of a pixel are.

uniform int u_samples;
uniform ivec2 u_tile;  // the first pixel of the tile that is drawn

vec2 sample_position(ivec2 pixel, int index) {
    return vec2(pixel + u_tile) + (u_samples == 1 ? vec2(0.5) : SAMPLES[index]);
}
