// Surfaces that say how they reflect light, and normal maps.

// For each surface the normal map and the map of roughness and metal (first level, how many, how it goes on in u and v), and
// roughness, metal, the scale of the normal map (as bits) and flags.
uniform usamplerBuffer u_finishes;

// Flags.
const uint REFLECTS = 1u;
const uint HAS_TANGENTS = 2u;

vec3 studio(vec3 towards) {
    return KEY_COLOR * wrapped_light(dot(towards, u_key), KEY_WRAP)
        + FILL_COLOR * wrapped_light(dot(towards, u_fill), FILL_WRAP)
        + mix(GROUND, SKY, dot(towards, u_up) * 0.5 + 0.5);
}

vec3 reflected(vec3 albedo, vec2 stated, Form form) {
    vec3 normal = form.normal, viewer = towards_viewer(form.position);
    float roughness = clamp(stated.x, LEAST_ROUGHNESS, 1.0), metallic = clamp(stated.y, 0.0, 1.0);
    float grazing = 1.0 - clamp(dot(normal, viewer), 0.0, 1.0);
    float cubed = grazing * grazing * grazing;

    float peak = max(dot(normal, direction(viewer + u_key)), 0.0);
    float width = roughness * roughness * roughness * roughness;
    float spread = peak * peak * (width - 1.0) + 1.0;
    float highlight = HIGHLIGHT * wrapped_light(dot(normal, u_key), KEY_WRAP) * width / (spread * spread);

    vec3 mirrored = 2.0 * dot(normal, viewer) * normal - viewer;
    vec3 mirror = studio(direction(mix(mirrored, normal, roughness)));
    vec3 ahead = mix(vec3(DIELECTRIC), albedo, metallic);
    float fresnel = cubed * grazing * grazing * (1.0 - roughness);
    vec3 rim = RIM * cubed * mix(0.4, 1.0, dot(normal, u_up) * 0.5 + 0.5);
    vec3 light = albedo * studio(normal) * (1.0 - metallic) + (ahead + fresnel) * mirror
        + ahead * highlight * KEY_COLOR + rim * (0.7 * albedo + 0.3);
    return vec3(shoulder(light.r), shoulder(light.g), shoulder(light.b));
}

// The directions in which u grows and v falls over a triangle; any length.
mat2x3 directions(Spot at) {
    vec2 uv = texelFetch(u_uvs, int(at.triangle.x)).xy;
    vec2 first = texelFetch(u_uvs, int(at.triangle.y)).xy - uv, second = texelFetch(u_uvs, int(at.triangle.z)).xy - uv;
    vec3 to_first = at.corners[1].position - at.corners[0].position;
    vec3 to_second = at.corners[2].position - at.corners[0].position;
    float turn = first.x * second.y - first.y * second.x < 0.0 ? -1.0 : 1.0;
    return mat2x3(turn * (to_first * second.y - to_second * first.y), turn * (to_first * second.x - to_second * first.x));
}

// Tangent and bitangent of a corner.
mat2x3 frame_of(uint vertex) {
    vec4 second = texelFetch(u_posed, 3 * int(vertex) + 1), third = texelFetch(u_posed, 3 * int(vertex) + 2);
    return mat2x3(vec3(second.zw, third.x), third.yzw);
}

vec3 bent_normal(Spot at, Form form, uvec4 map, float scale, bool has_tangents) {
    if (form.own_normal == vec3(0.0)) {
        return form.normal;
    }
    mat2x3 along = directions(at), frame = mat2x3(0.0);
    for (int k = 0; k < 3; ++k) {
        mat2x3 own = frame_of(at.triangle[k]);
        if (!has_tangents) {
            vec3 normal = direction(at.corners[k].normal);
            own = mat2x3(
                direction(along[0] - normal * dot(normal, along[0])),
                direction(along[1] - normal * dot(normal, along[1]))
            );
        }
        frame += own * at.weights.here[k];
    }
    vec3 bump = sampled(false, map, at).xyz * 2.0 - 1.0;
    vec3 bent = direction(frame[0]) * bump.x * scale + direction(frame[1]) * bump.y * scale + form.own_normal * bump.z;
    bent = direction(bent);
    if (bent == vec3(0.0)) {
        return form.normal;
    }
    return form.normal == form.own_normal ? bent : -bent;
}

vec3 finished(Spot at, vec3 color, Form form) {
    int first = 3 * int(at.triangle.w);
    uvec4 normals = texelFetch(u_finishes, first), reflection = texelFetch(u_finishes, first + 1);
    uvec4 numbers = texelFetch(u_finishes, first + 2);
    if (normals.y != 0u) {
        bool has_tangents = (numbers.w & HAS_TANGENTS) != 0u;
        form.normal = bent_normal(at, form, normals, uintBitsToFloat(numbers.z), has_tangents);
    }
    if ((numbers.w & REFLECTS) == 0u) {
        return lit(color, form);
    }
    vec2 stated = uintBitsToFloat(numbers.xy);
    if (reflection.y != 0u) {
        stated *= sampled(false, reflection, at).yz;
    }
    return reflected(color, stated, form);
}
