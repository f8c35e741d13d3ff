//! Conversion from assimp's types to glam's.

use glam::{Mat4, Quat, Vec3};
use russimp::sys::{aiMatrix4x4, aiQuaternion, aiVector3D};

pub(super) fn vec3(v: aiVector3D) -> Vec3 {
    Vec3::new(v.x, v.y, v.z)
}

pub(super) fn vec3s(list: &[aiVector3D]) -> Vec<Vec3> {
    list.iter().copied().map(vec3).collect()
}

pub(super) fn quat(q: aiQuaternion) -> Quat {
    Quat::from_xyzw(q.x, q.y, q.z, q.w)
}

/// assimp stores rows (a1 to a4 is the first), for column vectors. No other function transposes a matrix.
pub(super) fn mat4(m: &aiMatrix4x4) -> Mat4 {
    Mat4::from_cols_array(&[
        m.a1, m.b1, m.c1, m.d1, //
        m.a2, m.b2, m.c2, m.d2, //
        m.a3, m.b3, m.c3, m.d3, //
        m.a4, m.b4, m.c4, m.d4,
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fourth_column_of_assimps_rows_is_the_translation() {
        let matrix = aiMatrix4x4 {
            a1: 1.0,
            a2: 0.0,
            a3: 0.0,
            a4: 5.0,
            b1: 0.0,
            b2: 1.0,
            b3: 0.0,
            b4: 6.0,
            c1: 0.0,
            c2: 0.0,
            c3: 1.0,
            c4: 7.0,
            d1: 0.0,
            d2: 0.0,
            d3: 0.0,
            d4: 1.0,
        };
        let moved = mat4(&matrix).transform_point3(Vec3::ZERO);
        assert_eq!(moved, Vec3::new(5.0, 6.0, 7.0));
    }
}
