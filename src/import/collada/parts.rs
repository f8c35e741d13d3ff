//! Matrices, and their translation, rotation and scale.

use glam::{DMat3, DMat4, DQuat, DVec3};

/// How far a matrix may be from a product of rotation and scale, relative to its largest number or 1, before it counts
/// as sheared: well above the rounding of six digits or six decimals in the file.
const SHEAR: f64 = 1e-5;

/// A transform by translation, rotation and scale, in f64.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Parts {
    pub(super) translation: DVec3,
    pub(super) rotation: DQuat,
    pub(super) scale: DVec3,
}

impl Parts {
    pub(super) fn matrix(&self) -> DMat4 {
        DMat4::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }

    /// The parts of `matrix` without shear, decomposed as by
    /// [`LocalTransform::to_trs`](crate::rig::LocalTransform::to_trs).
    pub(super) fn of(matrix: &DMat4) -> Self {
        let (scale, rotation, translation) = matrix.to_scale_rotation_translation();
        let usable = rotation.is_finite() && rotation.length_squared() > 0.5;
        let rotation = if usable { rotation } else { DQuat::IDENTITY };
        Self {
            translation,
            rotation: rotation.normalize(),
            scale,
        }
    }

    /// Whether `matrix` has shear that its [parts](Self::of) do not express.
    pub(super) fn lose_shear_of(&self, matrix: &DMat4) -> bool {
        let largest = |matrix: DMat4| {
            let numbers = DMat3::from_mat4(matrix).to_cols_array().into_iter();
            numbers.map(f64::abs).fold(0.0, f64::max)
        };
        largest(self.matrix() - *matrix) > SHEAR * largest(*matrix).max(1.0)
    }
}

/// The matrix of 16 numbers, row by row. Its last row is always 0 0 0 1: `ColladaMax` writes 0 for its last number.
pub(super) fn affine(numbers: &[f64]) -> DMat4 {
    let mut matrix = DMat4::from_cols_slice(numbers).transpose();
    matrix.x_axis.w = 0.0;
    matrix.y_axis.w = 0.0;
    matrix.z_axis.w = 0.0;
    matrix.w_axis.w = 1.0;
    matrix
}
