// One vertex with all its directions.

layout(location = 0) in vec3 a_position;
layout(location = 1) in vec3 a_normal;
layout(location = 2) in vec3 a_tangent;
layout(location = 3) in vec3 a_bitangent;

uniform bool u_rotate_bitangents;        // whether morph targets move normals or tangents

out vec3 v_position;
out vec3 v_normal;
out vec3 v_tangent;
out vec3 v_bitangent;

void main() {
    vec3 normal = morphed(a_normal, 2), tangent = morphed(a_tangent, 3), bitangent = a_bitangent;
    if (u_rotate_bitangents) {
        bool mirrored = dot(cross(a_normal, a_tangent), a_bitangent) < 0.0;
        bitangent = cross(normal, tangent);
        bitangent = mirrored ? -bitangent : bitangent;
    }
    Motion motion = moved(morphed(a_position, 1));
    mat3 linear = unscaled(motion.linear);
    v_position = motion.position;
    v_normal = moved_normal(linear, normal);
    v_tangent = direction(linear * tangent);
    v_bitangent = direction(linear * bitangent);
    gl_Position = vec4(0.0);
}
