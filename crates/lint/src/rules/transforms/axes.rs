//! The effect of a transform on the axes, in f64.

use glam::{DMat3, DVec3, Mat4};

use crate::core::numbers::{capped, significant};
use crate::rig::LocalTransform;

/// The images of the axes.
#[inline]
pub(super) fn axes(matrix: &Mat4) -> DMat3 {
    DMat3::from_cols(
        matrix.x_axis.truncate().as_dvec3(),
        matrix.y_axis.truncate().as_dvec3(),
        matrix.z_axis.truncate().as_dvec3(),
    )
}

/// The scale of each axis, as in the file; for a matrix, the lengths of its axes.
pub(super) fn scale(local: &LocalTransform) -> DVec3 {
    match local {
        LocalTransform::Trs(trs) => trs.scale.as_dvec3(),
        LocalTransform::Matrix(matrix) => lengths(&axes(matrix)),
    }
}

/// The lengths of the images of the axes.
#[inline]
fn lengths(axes: &DMat3) -> DVec3 {
    DVec3::new(
        axes.x_axis.length(),
        axes.y_axis.length(),
        axes.z_axis.length(),
    )
}

/// The length of the longest image of an axis; 0 if one is NaN.
#[inline]
pub(super) fn longest(axes: &DMat3) -> f64 {
    let longest = lengths(axes).max_element();
    if longest.is_finite() { longest } else { 0.0 }
}

/// Whether two axes of a transform are sheared by more than `limit`.
#[inline]
pub(super) fn is_sheared(matrix: &Mat4, limit: f64) -> bool {
    let axes = axes(matrix);
    shear(&axes, longest(&axes)) > limit
}

/// How far axes are from perpendicular: the largest `|a · b|` of two of them, over the square of `size`.
///
/// * `size` – the reference length, in the unit of the axes: the longest of them, or more.
///
/// For axes of equal length, with that as `size`, it is the sine of the worst pair's deviation from a right angle.
/// Short axes count less, because they affect vertices little. 0 for a transform of size 0, or one that is not finite.
#[inline]
pub(super) fn shear(axes: &DMat3, size: f64) -> f64 {
    // Division first: the squares of small lengths may underflow.
    let (x, y, z) = (axes.x_axis / size, axes.y_axis / size, axes.z_axis / size);
    let (xy, yz, zx) = (x.dot(y).abs(), y.dot(z).abs(), z.dot(x).abs());
    if (xy + yz + zx).is_finite() {
        xy.max(yz).max(zx)
    } else {
        0.0
    }
}

/// Such as `1 × 1.2 × 1`. Factors too large to mean anything are put in words.
pub(super) fn product(factors: DVec3) -> String {
    /// No two units that models are made in differ by more.
    const MOST: f64 = 1e6;
    let rounded = factors.to_array().map(|factor| {
        let thousandths = (factor * 1000.0).round() / 1000.0;
        // Avoids "-0".
        capped(thousandths, MOST).unwrap_or_else(|| significant(thousandths + 0.0, 7))
    });
    rounded.join(" × ")
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;

    #[test]
    fn a_rotation_and_a_scale_do_not_shear() {
        let rotation = Quat::from_xyzw(0.1, 0.7, -0.3, 0.5).normalize();
        for size in [1e-20_f32, 1.0, 1e15] {
            let scale = Vec3::new(1.0, -2.0, 0.5) * size;
            let matrix = Mat4::from_scale_rotation_translation(scale, rotation, Vec3::ONE);
            let axes = axes(&matrix);
            assert!(shear(&axes, longest(&axes)) < 1e-6, "{size}");
        }
    }

    #[test]
    fn a_lean_is_the_sine_of_its_angle() {
        let mut axes = DMat3::IDENTITY;
        axes.y_axis = DVec3::new(0.5, 0.75_f64.sqrt(), 0.0);
        assert!((shear(&axes, longest(&axes)) - 0.5).abs() < 1e-12);
        assert!((shear(&axes, 10.0) - 0.005).abs() < 1e-12);
    }

    #[test]
    fn nan_and_zero_size_have_no_shear() {
        for value in [f64::NAN, f64::INFINITY, 0.0] {
            let axes = DMat3::from_cols_array(&[value; 9]);
            assert_eq!(shear(&axes, longest(&axes)).to_bits(), 0, "{value}");
        }
    }

    #[test]
    fn factors_are_rounded_for_people() {
        let factors = DVec3::new(1.000_04, -0.000_01, 1.25);
        assert_eq!(product(factors), "1 × 0 × 1.25");
        let factors = DVec3::new(1e30, 100.0, 1e6);
        assert_eq!(product(factors), "more than 1000000 × 100 × 1000000");
    }
}
