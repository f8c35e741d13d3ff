//! Conversion from ufbx's types to glam's.

use glam::{DMat4, DVec3, Vec3};
use ufbx::Matrix;

pub(super) fn dvec3(v: ufbx::Vec3) -> DVec3 {
    DVec3::new(v.x, v.y, v.z)
}

pub(super) fn vec3(v: ufbx::Vec3) -> Vec3 {
    dvec3(v).as_vec3()
}

/// ufbx names elements by row and column; the last row, which it omits, is 0 0 0 1.
pub(super) fn dmat4(m: &Matrix) -> DMat4 {
    DMat4::from_cols_array(&[
        m.m00, m.m10, m.m20, 0.0, //
        m.m01, m.m11, m.m21, 0.0, //
        m.m02, m.m12, m.m22, 0.0, //
        m.m03, m.m13, m.m23, 1.0,
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fourth_column_is_the_translation() {
        let translation = ufbx::Vec3 {
            x: 5.0,
            y: 6.0,
            z: 7.0,
        };
        let moved = ufbx::transform_to_matrix(&ufbx::Transform {
            translation,
            ..ufbx::identity_transform()
        });
        assert_eq!(
            dmat4(&moved).transform_point3(DVec3::ZERO),
            dvec3(translation)
        );
    }
}
