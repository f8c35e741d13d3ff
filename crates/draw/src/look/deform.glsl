// One vertex: morph targets, then skinning: linear, by dual quaternions, or a share of both.
//
// The text before gives the numbers of the vertex, from buffers (buffers.glsl) or from textures (the viewer's deform.vert):
//   uvec4 target(int index)          of an active morph target: weight (as bits) and the first offset of position, normal and
//                                    tangent, plus one; 0 for an attribute that it does not move
//   vec3 offset(uint first)          of the vertex
//   uvec2 influences()               the first, and how many
//   uvec2 influence(uint index)      slot and weight (as bits)
//   mat4 slot(uint index)            world_from_mesh
//   vec4 rotation(uint index)        of a slot
//   mat4 world_from_node()           of the mesh
//   float dual_quaternion_share()

uniform int u_target_count;

// An attribute and the offsets of all active targets.
//
// part: 1 for positions, 2 for normals, 3 for tangents
vec3 morphed(vec3 base, int part) {
    for (int k = 0; k < u_target_count; ++k) {
        uvec4 moving = target(k);
        base += offset(moving[part]) * uintBitsToFloat(moving.x);
    }
    return base;
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
    uvec2 range = influences();
    if (range.y == 0u) {
        return moved_by(world_from_node(), p);
    }
    Motion linear = moved_by(blended(range), p);
    float share = dual_quaternion_share();
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

// Without the scale, which would overflow, and which makes no difference to directions.
mat3 unscaled(mat3 matrix) {
    return matrix * (1.0 / max(largest(matrix[0]), max(largest(matrix[1]), largest(matrix[2]))));
}

// A normal, transformed by the inverse transpose: the cofactor matrix over the determinant, of which only the sign counts.
vec3 moved_normal(mat3 linear, vec3 normal) {
    mat3 cofactors = mat3(
        cross(linear[1], linear[2]),
        cross(linear[2], linear[0]),
        cross(linear[0], linear[1])
    );
    float determinant = dot(linear[0], cofactors[0]);
    return direction(cofactors * normal) * (determinant < 0.0 ? -1.0 : 1.0);
}
