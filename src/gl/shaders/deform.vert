#version 330 core
// One vertex: morph targets, then linear blend skinning.

layout(location = 0) in vec3 a_position;
layout(location = 1) in vec3 a_normal;
layout(location = 2) in vec3 a_tangent;
layout(location = 3) in vec3 a_bitangent;

uniform usamplerBuffer u_targets;        // weight (as bits) and the first offset of each attribute, plus one
uniform int u_target_count;
uniform samplerBuffer u_offsets;         // three numbers a vertex
uniform bool u_turn_bitangents;          // whether morph targets move normals or tangents

uniform samplerBuffer u_palette;         // four columns a slot
uniform usamplerBuffer u_ranges;         // first influence of each vertex, and how many
uniform usamplerBuffer u_influences;     // slot and weight (as bits)
uniform bool u_skinned;
uniform mat4 u_world_from_node;

out vec3 v_position;
out vec3 v_normal;
out vec3 v_tangent;
out vec3 v_bitangent;

vec3 offset(uint first) {
    if (first == 0u) {
        return vec3(0.0);
    }
    int at = int(first - 1u) + 3 * gl_VertexID;
    return vec3(texelFetch(u_offsets, at).x, texelFetch(u_offsets, at + 1).x, texelFetch(u_offsets, at + 2).x);
}

mat4 slot(uint index) {
    int first = 4 * int(index);
    return mat4(
        texelFetch(u_palette, first),
        texelFetch(u_palette, first + 1),
        texelFetch(u_palette, first + 2),
        texelFetch(u_palette, first + 3)
    );
}

// Of the joints that pull at the vertex, or of its mesh's node where none does.
mat4 world_from_mesh() {
    uvec2 range = u_skinned ? texelFetch(u_ranges, gl_VertexID).xy : uvec2(0u);
    if (range.y == 0u) {
        return u_world_from_node;
    }
    uvec2 first = texelFetch(u_influences, int(range.x)).xy;
    mat4 sum = slot(first.x) * uintBitsToFloat(first.y);
    for (uint k = 1u; k < range.y; ++k) {
        uvec2 influence = texelFetch(u_influences, int(range.x + k)).xy;
        sum += slot(influence.x) * uintBitsToFloat(influence.y);
    }
    return sum;
}

float largest(vec3 vector) {
    vec3 size = abs(vector);
    return max(size.x, max(size.y, size.z));
}

// Unit length; zero for what has no direction.
vec3 direction(vec3 vector) {
    float size = largest(vector);
    if (any(isnan(vector)) || isinf(size) || size == 0.0) {
        return vec3(0.0);
    }
    vector /= size;
    return vector / sqrt(dot(vector, vector));
}

void main() {
    vec3 position = a_position, normal = a_normal, tangent = a_tangent, bitangent = a_bitangent;
    for (int k = 0; k < u_target_count; ++k) {
        uvec4 target = texelFetch(u_targets, k);
        float weight = uintBitsToFloat(target.x);
        position += offset(target.y) * weight;
        normal += offset(target.z) * weight;
        tangent += offset(target.w) * weight;
    }
    if (u_turn_bitangents) {
        bool mirrored = dot(cross(a_normal, a_tangent), a_bitangent) < 0.0;
        bitangent = cross(normal, tangent);
        bitangent = mirrored ? -bitangent : bitangent;
    }

    mat4 matrix = world_from_mesh();
    v_position = matrix[0].xyz * position.x + matrix[1].xyz * position.y + matrix[2].xyz * position.z + matrix[3].xyz;

    // Only directions count for the rest, so the scale that would overflow is taken out.
    float scale = 1.0 / max(largest(matrix[0].xyz), max(largest(matrix[1].xyz), largest(matrix[2].xyz)));
    mat3 linear = mat3(matrix) * scale;
    v_tangent = direction(linear * tangent);
    v_bitangent = direction(linear * bitangent);

    // The inverse transpose is the cofactor matrix over the determinant, of which only the sign counts.
    mat3 cofactors = mat3(
        cross(linear[1], linear[2]),
        cross(linear[2], linear[0]),
        cross(linear[0], linear[1])
    );
    float determinant = dot(linear[0], cofactors[0]);
    v_normal = direction(cofactors * normal) * (determinant < 0.0 ? -1.0 : 1.0);
    gl_Position = vec4(0.0);
}
