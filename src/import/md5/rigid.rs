//! The transform of a joint as stored: a point, and three of the four components of a rotation.

use glam::{DMat3, DMat4, DQuat, DVec3, Mat4, Quat};

use crate::import::unit;
use crate::rig::Trs;

/// A rigid transform in f64, for computing; it is rounded once at the end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rigid {
    pub(super) translation: DVec3,
    /// A unit quaternion.
    pub(super) rotation: DQuat,
}

impl Rigid {
    pub(super) const IDENTITY: Self = Self {
        translation: DVec3::ZERO,
        rotation: DQuat::IDENTITY,
    };

    /// From the six numbers of the file.
    pub(super) fn new(numbers: [f64; 6]) -> Self {
        let [tx, ty, tz, ..] = numbers;
        let rotation = quaternion(numbers);
        let length = rotation.length();
        Self {
            translation: DVec3::new(tx, ty, tz),
            rotation: DQuat::from_vec4(glam::DVec4::from(rotation) / length),
        }
    }

    pub(super) fn point(&self, point: DVec3) -> DVec3 {
        self.rotation * point + self.translation
    }

    /// The point in the space of the joint.
    pub(super) fn inverse_point(&self, point: DVec3) -> DVec3 {
        self.rotation.inverse() * (point - self.translation)
    }

    /// The transform relative to `parent`.
    pub(super) fn under(&self, parent: &Self) -> Self {
        Self {
            translation: parent.inverse_point(self.translation),
            rotation: (parent.rotation.inverse() * self.rotation).normalize(),
        }
    }

    /// `joint_from_model`, plus `offset` in the space of the joint. Its last row is exactly 0 0 0 1.
    pub(super) fn inverse_matrix(&self, offset: DVec3) -> Mat4 {
        let rotation = DMat3::from_quat(self.rotation).transpose();
        let translation = offset - rotation * self.translation;
        DMat4::from_mat3_translation(rotation, translation).as_mat4()
    }

    pub(super) fn trs(&self) -> Trs {
        Trs {
            translation: self.translation.as_vec3(),
            rotation: self.rotation.as_quat(),
            ..Trs::IDENTITY
        }
    }
}

/// The quaternion with the three components in the file. The fourth is never positive and makes the length 1; it is 0
/// where the three are too long already.
fn quaternion([.., x, y, z]: [f64; 6]) -> DQuat {
    let left = 1.0 - (x * x + y * y + z * z);
    // NaN stays NaN, so that it is reported.
    let w = if left < 0.0 { 0.0 } else { -left.sqrt() };
    DQuat::from_xyzw(x, y, z, w)
}

/// The rotation of a frame. One that is too long stays so, to be reported and repaired.
pub(super) fn rotation(numbers: [f64; 6]) -> Quat {
    match too_long(numbers) {
        None => Rigid::new(numbers).rotation.as_quat(),
        Some(_) => quaternion(numbers).as_quat(),
    }
}

/// How far the length of the rotation is from 1, and that length, if that is more than rounding explains.
pub(super) fn too_long(numbers: [f64; 6]) -> Option<(f64, f64)> {
    let length = quaternion(numbers).length();
    Some((unit::excess(length, unit::ROTATION)?, length))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_fourth_number_is_negative() {
        let half = Rigid::new([0.0, 0.0, 0.0, 0.0, 0.0, 0.6]);
        assert!((half.rotation.w + 0.8).abs() < 1e-15);
        let none = Rigid::new([1.0, 2.0, 3.0, 0.0, 0.0, 0.0]);
        assert_eq!(none.point(DVec3::X), DVec3::new(2.0, 2.0, 3.0));
    }

    #[test]
    fn a_rotation_that_is_too_long_is_by_180_degrees() {
        let long = Rigid::new([0.0, 0.0, 0.0, 0.0, 0.0, 2.0]);
        assert!(long.point(DVec3::X).abs_diff_eq(DVec3::NEG_X, 1e-15));
        let length_of = |z| too_long([0.0, 0.0, 0.0, 0.0, 0.0, z]);
        assert_eq!(length_of(2.0), Some((1.0, 2.0)));
        assert_eq!(length_of(1.000_001), None);
    }

    prop_compose! {
        fn any_transform()(
            translation in prop::array::uniform3(-10.0..10.0),
            axis in prop::array::uniform3(-0.55..0.55),
        ) -> Rigid {
            let [tx, ty, tz]: [f64; 3] = translation;
            let [x, y, z]: [f64; 3] = axis;
            Rigid::new([tx, ty, tz, x, y, z])
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_transform_relative_to_its_parent_moves_points_as_before(
            parent in any_transform(), child in any_transform(), point in prop::array::uniform3(-10.0..10.0),
        ) {
            let point = DVec3::from(point);
            let by_parent = parent.point(child.under(&parent).point(point));
            prop_assert!(by_parent.abs_diff_eq(child.point(point), 1e-12));
        }

        #[test]
        fn an_inverse_matrix_takes_points_back_and_is_affine(
            child in any_transform(), point in prop::array::uniform3(-10.0..10.0),
        ) {
            let point = DVec3::from(point);
            let inverse = child.inverse_matrix(DVec3::ZERO);
            let back = inverse.as_dmat4().transform_point3(child.point(point));
            prop_assert!(back.abs_diff_eq(point, 1e-5));
            let last = inverse.row(3).to_array().map(f32::to_bits);
            prop_assert_eq!(last, [0.0_f32, 0.0, 0.0, 1.0].map(f32::to_bits));
        }
    }
}
