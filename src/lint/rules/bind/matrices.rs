//! Scale-independent properties of matrices.

use glam::{DMat3, DMat4, Mat4};

/// The 3x3 part of a matrix.
pub(super) fn linear(matrix: &Mat4) -> DMat3 {
    DMat3::from_mat4(matrix.as_dmat4())
}

/// The distance of a matrix from singularity: `|det| / (‖A‖ ‖adj A‖)` in the Frobenius norm, which is `1 / (‖A‖
/// ‖A⁻¹‖)`. It is 1/3 for a rotation with any uniform scale, and decreases to 0; NaN for zeros and non-finite matrices.
pub(super) fn reciprocal_condition(matrix: &DMat3) -> f64 {
    let [x, y, z] = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
    let adjugate = [y.cross(z), z.cross(x), x.cross(y)];
    let squares: f64 = adjugate.iter().map(|row| row.length_squared()).sum();
    matrix.determinant().abs() / (norm(matrix) * squares.sqrt())
}

/// The Frobenius norm.
pub(super) fn norm(matrix: &DMat3) -> f64 {
    let columns = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
    let squares: f64 = columns.iter().map(|column| column.length_squared()).sum();
    squares.sqrt()
}

/// The inverse of an affine matrix, if it has one.
pub(super) fn inverse(matrix: &DMat4) -> Option<DMat4> {
    let inverse = matrix.inverse();
    inverse.is_finite().then_some(inverse)
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;

    #[test]
    fn the_condition_does_not_depend_on_the_scale() {
        let rotation = DMat3::from_quat(glam::DQuat::from_xyzw(0.5, -0.5, 0.5, 0.5));
        for scale in [1e-12, 1.0, 1e12] {
            let condition = reciprocal_condition(&(rotation * scale));
            assert!((condition - 1.0 / 3.0).abs() < 1e-12, "{condition}");
        }
    }

    #[test]
    fn a_flat_matrix_has_no_condition() {
        let flat = DMat3::from_diagonal(DVec3::new(1.0, 0.0, 1.0));
        assert!(reciprocal_condition(&flat) < 1e-300);
        assert!(reciprocal_condition(&DMat3::ZERO).is_nan());
        assert!(reciprocal_condition(&DMat3::NAN).is_nan());
    }
}
