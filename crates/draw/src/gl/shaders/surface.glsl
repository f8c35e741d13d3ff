// What is at a position of a triangle. Weights are computed here and not by the rasterizer, because the position is not the
// pixel's centre but the mean of the samples that show the triangle.

uniform samplerBuffer u_posed;       // position, normal, tangent and bitangent of each vertex
uniform usamplerBuffer u_triangles;  // three vertices and a surface
uniform samplerBuffer u_colors;      // of each vertex, linear
uniform samplerBuffer u_uvs;         // of each vertex
uniform usamplerBuffer u_surfaces;   // first level of the texture, how many, how it goes on in u and v
uniform usamplerBuffer u_levels;     // first texel, width, height
uniform usamplerBuffer u_texels;     // sRGB, or numbers
uniform samplerBuffer u_decode;      // linear light of each sRGB byte
uniform vec2 u_half_size;            // of the image, in pixels

struct Corner {
    vec3 position;
    vec3 normal;
    vec4 clip;
    vec3 seen;  // x and y in pixels from the position, times w; and w
};

// Weights of the corners at a position, in the world, and how they change a pixel to the right and one down.
struct Weights {
    vec3 here;
    vec3 right;
    vec3 down;
    bool counter_clockwise;
};

struct Spot {
    uvec4 triangle;
    Corner corners[3];
    Weights weights;
};

Corner corner(uint vertex, vec2 position) {
    Corner found;
    vec4 first = texelFetch(u_posed, 3 * int(vertex));
    vec4 second = texelFetch(u_posed, 3 * int(vertex) + 1);
    found.position = first.xyz;
    found.normal = vec3(first.w, second.xy);
    found.clip = clip_from_world(found.position);
    found.seen = vec3(found.clip.xy * u_half_size + (u_half_size - position) * found.clip.w, found.clip.w);
    return found;
}

float cross_xy(vec3 a, vec3 b) {
    return a.x * b.y - a.y * b.x;
}

// How cross_xy(a, b) changes as the position moves right, and down.
vec2 moved(vec3 a, vec3 b) {
    return vec2(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z);
}

// M. Olano, T. Greer, "Triangle Scan Conversion using 2D Homogeneous Coordinates" (1997):
// edge functions in homogeneous coordinates need no clipping.
Weights weights(vec3 a, vec3 b, vec3 c) {
    vec3 areas = vec3(cross_xy(b, c), cross_xy(c, a), cross_xy(a, b));
    vec2 of_a = moved(b, c), of_b = moved(c, a), of_c = moved(a, b);
    vec3 right = vec3(of_a.x, of_b.x, of_c.x), down = vec3(of_a.y, of_b.y, of_c.y);
    float sum = areas.x + areas.y + areas.z;

    Weights found;
    found.here = areas / sum;
    found.right = (right - found.here * (right.x + right.y + right.z)) / sum;
    found.down = (down - found.here * (down.x + down.y + down.z)) / sum;
    found.counter_clockwise = dot(areas, vec3(a.z, b.z, c.z)) < 0.0;
    return found;
}

Spot spot(uint id, vec2 position) {
    Spot found;
    found.triangle = texelFetch(u_triangles, int(id));
    for (int k = 0; k < 3; ++k) {
        found.corners[k] = corner(found.triangle[k], position);
    }
    found.weights = weights(found.corners[0].seen, found.corners[1].seen, found.corners[2].seen);
    return found;
}

float decode(uint code) {
    return texelFetch(u_decode, int(code)).x;
}

int remainder(int value, int size) {
    return value >= 0 ? value % size : size - 1 - (-1 - value) % size;
}

const uint REPEAT = 0u;
const uint MIRROR = 1u;

// The texel of 0..size that stands at a position.
int wrapped(int position, int size, uint wrap) {
    if (wrap == REPEAT) {
        return remainder(position, size);
    }
    if (wrap == MIRROR) {
        int twice = remainder(position, 2 * size);
        return min(twice, 2 * size - 1 - twice);
    }
    return clamp(position, 0, size - 1);
}

// Beyond, floats have no fractions of texels anyway.
const float FAR = 1e9;

float tamed(float position) {
    return isnan(position) ? 0.0 : clamp(position, -FAR, FAR);
}

vec4 texel(bool is_light, uvec3 level, int column, int row) {
    uvec4 code = texelFetch(u_texels, int(level.x) + row * int(level.y) + column);
    if (!is_light) {
        return vec4(code) / 255.0;
    }
    return vec4(decode(code.r), decode(code.g), decode(code.b), float(code.a) / 255.0);
}

vec4 bilinear(bool is_light, int index, uvec2 wrap, vec2 uv) {
    uvec3 level = texelFetch(u_levels, index).xyz;
    ivec2 size = ivec2(level.yz);
    float x = tamed(uv.x * float(size.x) - 0.5), y = tamed(uv.y * float(size.y) - 0.5);
    int column = int(floor(x)), row = int(floor(y));
    int left = wrapped(column, size.x, wrap.x), right = wrapped(column + 1, size.x, wrap.x);
    int top = wrapped(row, size.y, wrap.y), bottom = wrapped(row + 1, size.y, wrap.y);
    float along_x = x - floor(x), along_y = y - floor(y);
    vec4 above = mix(texel(is_light, level, left, top), texel(is_light, level, right, top), along_x);
    vec4 below = mix(texel(is_light, level, left, bottom), texel(is_light, level, right, bottom), along_x);
    return mix(above, below, along_y);
}

// The level, with fraction, whose texels are as large as the pixels.
float detail(uvec2 levels, vec2 right, vec2 down) {
    vec2 size = vec2(texelFetch(u_levels, int(levels.x)).yz);
    float texels = max(dot(right * size, right * size), dot(down * size, down * size));
    return texels > 1.0 ? min(0.5 * log2(texels), float(levels.y) - 1.0) : 0.0;
}

vec2 uv_sum(uvec4 triangle, vec3 weights) {
    vec2 a = texelFetch(u_uvs, int(triangle.x)).xy;
    vec2 b = texelFetch(u_uvs, int(triangle.y)).xy;
    vec2 c = texelFetch(u_uvs, int(triangle.z)).xy;
    return a * weights.x + b * weights.y + c * weights.z;
}

// What a texture has at a position.
//
// map: its first level, how many, how it goes on in u and v
vec4 sampled(bool is_light, uvec4 map, Spot at) {
    vec2 uv = uv_sum(at.triangle, at.weights.here);
    vec2 right = uv_sum(at.triangle, at.weights.right), down = uv_sum(at.triangle, at.weights.down);
    float level = detail(map.xy, right, down);
    int sharp = int(level);
    uvec2 wrap = map.zw & 3u;
    vec4 near = bilinear(is_light, int(map.x) + sharp, wrap, uv);
    float rest = level - float(sharp);
    if (rest == 0.0 || sharp + 1 >= int(map.y)) {
        return near;
    }
    return mix(near, bilinear(is_light, int(map.x) + sharp + 1, wrap, uv), rest);
}

// Linear; white where there is no texture.
vec4 texture_color(Spot at) {
    if (!TEXTURES) {
        return vec4(1.0);
    }
    uvec4 surface = texelFetch(u_surfaces, int(at.triangle.w));
    return surface.y == 0u ? vec4(1.0) : sampled(true, surface, at);
}

vec4 vertex_color(Spot at) {
    vec4 a = texelFetch(u_colors, int(at.triangle.x));
    vec4 b = texelFetch(u_colors, int(at.triangle.y));
    vec4 c = texelFetch(u_colors, int(at.triangle.z));
    return a * at.weights.here.x + b * at.weights.here.y + c * at.weights.here.z;
}

// Linear, straight alpha.
vec4 surface_color(Spot at) {
    return vertex_color(at) * texture_color(at);
}
