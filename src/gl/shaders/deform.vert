#version 330 core
// One vertex: morph targets, then skinning: linear, by dual quaternions, or a share of both.

layout(location = 0) in vec3 a_position;
layout(location = 1) in vec3 a_normal;
layout(location = 2) in vec3 a_tangent;
layout(location = 3) in vec3 a_bitangent;

uniform usamplerBuffer u_targets;        // weight (as bits) and the first offset of each attribute, plus one
uniform int u_target_count;
uniform samplerBuffer u_offsets;         // three numbers a vertex
uniform bool u_rotate_bitangents;          // whether morph targets move normals or tangents

uniform samplerBuffer u_palette;         // four columns and a rotation a slot
uniform samplerBuffer u_shares;          // of dual quaternions, one a vertex
uniform bool u_dual_quaternions;
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
    int first = 5 * int(index);
    return mat4(
        texelFetch(u_palette, first),
        texelFetch(u_palette, first + 1),
        texelFetch(u_palette, first + 2),
        texelFetch(u_palette, first + 3)
    );
}

vec4 rotation(uint index) {
    return texelFetch(u_palette, 5 * int(index) + 4);
}

// Slot and weight of an influence.
uvec2 influence(uint index) {
    return texelFetch(u_influences, int(index)).xy;
}

// Where a vertex goes, and what is done to its directions.
struct Motion {
    vec3 position;
    mat3 linear;
};

Motion moved_by(mat4 matrix, vec3 p) {
    return Motion(matrix[0].xyz * p.x + matrix[1].xyz * p.y + matrix[2].xyz * p.z + matrix[3].xyz, mat3(matrix));
}

mat4 blended(uvec2 range) {
    uvec2 first = influence(range.x);
    mat4 sum = slot(first.x) * uintBitsToFloat(first.y);
    for (uint k = 1u; k < range.y; ++k) {
        uvec2 next = influence(range.x + k);
        sum += slot(next.x) * uintBitsToFloat(next.y);
    }
    return sum;
}

// The rotation of the influence with the largest weight, the first of equal ones.
vec4 main_rotation(uvec2 range) {
    uvec2 main = influence(range.x);
    for (uint k = 1u; k < range.y; ++k) {
        uvec2 next = influence(range.x + k);
        main = uintBitsToFloat(next.y) > uintBitsToFloat(main.y) ? next : main;
    }
    return rotation(main.x);
}

vec4 product(vec4 a, vec4 b) {
    return vec4(a.w * b.xyz + b.w * a.xyz + cross(a.xyz, b.xyz), a.w * b.w - dot(a.xyz, b.xyz));
}

mat3 matrix_of(vec4 q) {
    vec3 twice = 2.0 * q.xyz;
    vec3 x = twice * q.x, y = twice * q.y, w = twice * q.w;
    float zz = twice.z * q.z;
    return mat3(
        1.0 - y.y - zz, x.y + w.z, x.z - w.y,
        x.y - w.z, 1.0 - x.x - zz, y.z + w.x,
        x.z + w.y, y.z - w.x, 1.0 - x.x - y.y
    );
}

// Blends the rigid motions of the joints, with the vertex as their origin: each goes to where its joint carries it.
Motion rigid(uvec2 range, vec3 p, Motion otherwise) {
    vec4 main = main_rotation(range);
    vec4 real = vec4(0.0), dual = vec4(0.0);
    mat3 stretch = mat3(0.0);
    for (uint k = 0u; k < range.y; ++k) {
        uvec2 next = influence(range.x + k);
        float weight = uintBitsToFloat(next.y);
        mat4 matrix = slot(next.x);
        vec4 q = rotation(next.x);
        stretch += (transpose(matrix_of(q)) * mat3(matrix)) * weight;
        // The sign that goes the shorter way.
        q = dot(q, main) < 0.0 ? -q : q;
        real += q * weight;
        dual += product(vec4(moved_by(matrix, p).position, 0.0), q) * weight;
    }
    float square = dot(real, real);
    if (!(square > 1.17549435e-38)) {
        return otherwise;
    }
    vec4 translation = product(dual, vec4(-real.xyz, real.w)) / square;
    return Motion(translation.xyz, matrix_of(real / sqrt(square)) * stretch);
}

// By the joints that pull at the vertex, or by its mesh's node where none does.
Motion moved(vec3 p) {
    uvec2 range = u_skinned ? texelFetch(u_ranges, gl_VertexID).xy : uvec2(0u);
    if (range.y == 0u) {
        return moved_by(u_world_from_node, p);
    }
    Motion linear = moved_by(blended(range), p);
    float share = u_dual_quaternions ? texelFetch(u_shares, gl_VertexID).x : 0.0;
    if (share == 0.0) {
        return linear;
    }
    Motion dual = rigid(range, p, linear);
    return Motion(mix(linear.position, dual.position, share), linear.linear * (1.0 - share) + dual.linear * share);
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
    if (u_rotate_bitangents) {
        bool mirrored = dot(cross(a_normal, a_tangent), a_bitangent) < 0.0;
        bitangent = cross(normal, tangent);
        bitangent = mirrored ? -bitangent : bitangent;
    }

    Motion motion = moved(position);
    mat3 matrix = motion.linear;
    v_position = motion.position;

    // Only directions count for the rest, so the scale that would overflow is taken out.
    float scale = 1.0 / max(largest(matrix[0]), max(largest(matrix[1]), largest(matrix[2])));
    mat3 linear = matrix * scale;
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
