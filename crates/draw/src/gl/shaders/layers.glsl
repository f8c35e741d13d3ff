// One layer of every sample: the colours are put under those that are there already, linear and premultiplied.

layout(location = 0) out float o_front;  // depth of the nearest translucent triangle
layout(location = 1) out vec4 o_color0;
layout(location = 2) out vec4 o_color1;
layout(location = 3) out vec4 o_color2;
layout(location = 4) out vec4 o_color3;

void put(float front, vec4 colors[4]) {
    o_front = front;
    o_color0 = colors[0];
    o_color1 = colors[1];
    o_color2 = colors[2];
    o_color3 = colors[3];
}

// The lowest bit of a number that has one.
int first_of(int pending) {
    int index = 0;
    while ((pending & (1 << index)) == 0) {
        ++index;
    }
    return index;
}
