// The colour of a triangle at a position, in one mode.

Form form_of(Spot at) {
    Corner a = at.corners[0], b = at.corners[1], c = at.corners[2];
    vec3 weights = at.weights.here;
    Form form;
    form.position = a.position * weights.x + b.position * weights.y + c.position * weights.z;
    form.own_normal = direction(a.normal * weights.x + b.normal * weights.y + c.normal * weights.z);

    vec3 face = cross(b.position - a.position, c.position - a.position);
    vec3 to_viewer = at.weights.counter_clockwise ? face : -face;
    bool both_sides = (texelFetch(u_surfaces, int(at.triangle.w)).z & BOTH_SIDES) != 0u;
    vec3 normals = a.normal + b.normal + c.normal;
    bool points_away = dot(to_viewer, normals) < -DOUBTFUL_ANGLE * length(to_viewer) * length(normals);
    if (form.own_normal == vec3(0.0)) {
        form.normal = direction(to_viewer);
    } else {
        form.normal = both_sides && points_away ? -form.own_normal : form.own_normal;
    }
    return form;
}

float distance_to_side(vec3 a, vec3 b) {
    return abs(cross_xy(a, b)) / length(vec2(a.z * b.y - b.z * a.y, b.z * a.x - a.z * b.x));
}

vec3 wire(Spot at, Form form) {
    vec3 a = at.corners[0].seen, b = at.corners[1].seen, c = at.corners[2].seen;
    float nearest = min(distance_to_side(a, b), min(distance_to_side(b, c), distance_to_side(c, a)));
    return mix(BETWEEN_WIRES * relief(form), WIRE, clamp(1.0 - nearest, 0.0, 1.0));
}

vec3 light_of(Spot at, vec3 color) {
    Form form = form_of(at);
    switch (SHOW) {
        case SHOW_LIT: return finished(at, color, form);
        case SHOW_TEXTURE: return color;
        case SHOW_NORMALS: return normal_color(form);
        case SHOW_VALUES: return heat(color.r) * relief(form);
        case SHOW_DEPTH: return depth_color(form.position);
        case SHOW_WIREFRAME: return wire(at, form);
        default: return color * relief(form);
    }
}

// Linear, straight alpha; every value in 0..1.
vec4 color_of(Spot at) {
    vec4 color = surface_color(at);
    vec3 light = light_of(at, color.rgb);
    return vec4(tame(light.r), tame(light.g), tame(light.b), tame(color.a));
}
