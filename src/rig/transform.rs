//! Transforms of a joint relative to its parent.

use glam::{Mat4, Quat, Vec3};
use serde::{Deserialize, Serialize};

/// Translation, rotation and scale; a point is scaled first and translated last.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Trs {
    /// In the parent's space and units.
    pub translation: Vec3,
    /// Unit quaternion.
    pub rotation: Quat,
    /// Factor per axis.
    pub scale: Vec3,
}

impl Trs {
    /// No change.
    pub const IDENTITY: Self = Self {
        translation: Vec3::ZERO,
        rotation: Quat::IDENTITY,
        scale: Vec3::ONE,
    };

    /// `T · R · S` as a matrix.
    #[must_use]
    #[inline]
    pub fn to_matrix(&self) -> Mat4 {
        Mat4::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }
}

impl Default for Trs {
    fn default() -> Self {
        Self::IDENTITY
    }
}

/// `parent_from_joint`, as the file gives it.
///
/// A matrix is kept unchanged, because a sheared one has no translation, rotation and scale.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum LocalTransform {
    /// By parts, which clips can drive separately.
    Trs(Trs),
    /// By a whole matrix.
    Matrix(Mat4),
}

impl LocalTransform {
    /// `parent_from_joint`.
    #[must_use]
    #[inline]
    pub fn to_matrix(&self) -> Mat4 {
        match self {
            Self::Trs(trs) => trs.to_matrix(),
            Self::Matrix(matrix) => *matrix,
        }
    }

    /// The parts: exact for [`LocalTransform::Trs`], decomposed (and without shear) for a matrix.
    ///
    /// A mirroring matrix has its x scale negated. An axis of length 0 yields scale 0 and an arbitrary unit quaternion.
    #[must_use]
    pub fn to_trs(&self) -> Trs {
        match self {
            Self::Trs(trs) => *trs,
            Self::Matrix(matrix) => decompose(matrix),
        }
    }
}

fn decompose(matrix: &Mat4) -> Trs {
    let (scale, rotation, translation) = matrix.to_scale_rotation_translation();
    let usable = rotation.is_finite() && rotation.length_squared() > 0.5;
    Trs {
        translation,
        rotation: if usable {
            rotation.normalize()
        } else {
            Quat::IDENTITY
        },
        scale,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decomposing_a_mirrored_matrix_composes_back() {
        let trs = Trs {
            translation: Vec3::new(1.0, 2.0, 3.0),
            rotation: Quat::from_xyzw(0.5, 0.5, 0.5, 0.5),
            scale: Vec3::new(-2.0, 0.5, 3.0),
        };
        let matrix = trs.to_matrix();
        let back = LocalTransform::Matrix(matrix).to_trs().to_matrix();
        assert!(back.abs_diff_eq(matrix, 1e-5), "{back} != {matrix}");
    }

    #[test]
    fn a_collapsed_axis_still_gives_a_unit_rotation() {
        let flat = Mat4::from_scale(Vec3::new(0.0, 1.0, 1.0));
        let trs = LocalTransform::Matrix(flat).to_trs();
        assert!(trs.rotation.is_normalized());
        assert!(trs.scale.is_finite());
    }
}
