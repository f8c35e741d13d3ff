// The light on a surface, and the colours of modes. The text before gives `float decode(uint code)`, the linear light of an sRGB
// byte, and the constants of `look::glsl`.

uniform vec3 u_key;            // directions in the world
uniform vec3 u_fill;
uniform vec3 u_up;
uniform vec3 u_back;           // towards the viewer
uniform vec3 u_eye;
uniform bool u_orthographic;
uniform vec4 u_ahead;          // gives the distance before the viewer
uniform vec2 u_range;          // of such distances

vec3 direction(vec3 vector) {
    float size = max(abs(vector.x), max(abs(vector.y), abs(vector.z)));
    if (any(isnan(vector)) || isinf(size) || size == 0.0) {
        return vec3(0.0);
    }
    vector /= size;
    return vector / sqrt(dot(vector, vector));
}

// Normals nearer to the triangle's plane do not tell its sides apart.
const float DOUBTFUL_ANGLE = 1e-3;

// Where a surface is and how it lies.
struct Form {
    vec3 position;
    vec3 own_normal;  // of the vertices
    vec3 normal;      // to light by
};

vec3 towards_viewer(vec3 position) {
    return u_orthographic ? u_back : direction(u_eye - position);
}

float wrapped_light(float cosine, float wrap) {
    return max((cosine + wrap) / (1.0 + wrap), 0.0);
}

// Bends what is bright so that it never reaches 1.
float shoulder(float light) {
    float over = (light - SHOULDER) / (1.0 - SHOULDER);
    return light <= SHOULDER ? light : SHOULDER + (1.0 - SHOULDER) * over / (1.0 + over);
}

vec3 lit(vec3 albedo, Form form) {
    vec3 normal = form.normal, viewer = towards_viewer(form.position);
    float sky = dot(normal, u_up) * 0.5 + 0.5;
    vec3 diffuse = KEY_COLOR * wrapped_light(dot(normal, u_key), KEY_WRAP)
        + FILL_COLOR * wrapped_light(dot(normal, u_fill), FILL_WRAP)
        + mix(GROUND, SKY, sky);
    vec3 mirrored = 2.0 * dot(normal, u_key) * normal - u_key;
    float shine = GLOSS * pow(max(dot(mirrored, viewer), 0.0), 8.0);
    float grazing = 1.0 - clamp(dot(normal, viewer), 0.0, 1.0);
    vec3 rim = RIM * (grazing * grazing * grazing) * mix(0.4, 1.0, sky);
    vec3 light = albedo * diffuse + rim * (0.7 * albedo + 0.3) + shine;
    return vec3(shoulder(light.r), shoulder(light.g), shoulder(light.b));
}

// Shows the form of a surface without hiding its colour.
float relief(Form form) {
    float facing = min(abs(dot(form.normal, towards_viewer(form.position))), 1.0);
    float from_above = dot(form.normal, u_key) * 0.5 + 0.5;
    return dot(FORM, vec3(1.0, facing, from_above));
}

// Linear light of values (0..1) that are meant as they are read from the file.
float code(float value) {
    return decode(uint(clamp(value, 0.0, 1.0) * 255.0 + 0.5));
}

vec3 normal_color(Form form) {
    vec3 normal = form.own_normal == vec3(0.0) ? form.normal : form.own_normal;
    vec3 value = normal * 0.5 + 0.5;
    return vec3(code(value.x), code(value.y), code(value.z));
}

vec3 depth_color(vec3 position) {
    float distance = dot(u_ahead.xyz, position) + u_ahead.w;
    float share = (distance - u_range.x) / max(u_range.y - u_range.x, 1.17549435e-38);
    return vec3(code(mix(DEPTH.x, DEPTH.y, clamp(share, 0.0, 1.0))));
}

vec3 heat(float share) {
    if (isnan(share) || share <= 0.0) {
        return UNWEIGHTED;
    }
    float scaled = min(share, 1.0) * 4.0;
    int below = min(int(scaled), 3);
    return mix(HEAT[below], HEAT[below + 1], scaled - float(below));
}

float tame(float value) {
    return isnan(value) ? 0.0 : clamp(value, 0.0, 1.0);
}
