//! The effect of a joint's own scale.

use glam::{DMat3, DVec3, Mat4};

/// Factors by which a matrix changes sizes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Factors {
    /// The factor of the length that grows most.
    pub(crate) stretch: f64,
    /// The typical factor of areas: `|volume|^(2/3)`, as for a uniform scale with the same volume.
    pub(crate) area: f64,
    /// The factor of volumes; negative for a mirror.
    pub(crate) volume: f64,
}

/// Smaller scales are meant to hide: no two units are so far apart, and f32 leaves little of the shape.
const HIDDEN: f64 = 1e-4;

impl Factors {
    /// The factors of the 3x3 part of `matrix`.
    pub(crate) fn of(matrix: &Mat4) -> Self {
        let part = DMat3::from_mat4(matrix.as_dmat4());
        let (squares, volume) = (Squares::of(&part), part.determinant());
        let area = if squares.are_alike() {
            squares.mean
        } else {
            let side = libm::cbrt(volume.abs());
            side * side
        };
        let hidden = area < HIDDEN * HIDDEN;
        Self {
            stretch: squares.largest().max(0.0).sqrt(),
            area: if hidden { 0.0 } else { area },
            volume: if hidden { 0.0 } else { volume },
        }
    }
}

/// The squares of the singular values of a matrix.
///
/// # Reference
///
/// O. K. Smith, "Eigenvalues of a symmetric 3 × 3 matrix", Communications of the ACM 4 (4), 1961.
struct Squares {
    /// The matrix whose eigenvalues they are: transpose times matrix.
    product: DMat3,
    mean: f64,
    /// Smith's p: √(‖product − mean · I‖² / 6).
    spread: f64,
}

/// Relative spread below which the squares are equal: the f32 error of a rotation.
const ROUND: f64 = 1e-6;

impl Squares {
    fn of(part: &DMat3) -> Self {
        let product = part.transpose() * *part;
        let [x, y, z] = [product.x_axis, product.y_axis, product.z_axis];
        let mean = (x.x + y.y + z.z) / 3.0;
        let off = x.y * x.y + x.z * x.z + y.z * y.z;
        let diagonal = DVec3::new(x.x, y.y, z.z) - mean;
        Self {
            product,
            mean,
            spread: ((diagonal.length_squared() + 2.0 * off) / 6.0).sqrt(),
        }
    }

    fn are_alike(&self) -> bool {
        self.spread <= ROUND * self.mean
    }

    fn largest(&self) -> f64 {
        if self.are_alike() {
            return self.mean;
        }
        // With B = (product − mean · I) / spread, the characteristic polynomial of B is λ³ − 3λ − det B. Its largest root is 2 cos φ with
        // cos 3φ = det B / 2. The clamp absorbs rounding, which would make the angle NaN.
        let off_mean = self.product - DMat3::from_diagonal(DVec3::splat(self.mean));
        let scaled = off_mean * (1.0 / self.spread);
        let angle = libm::acos((scaled.determinant() / 2.0).clamp(-1.0, 1.0)) / 3.0;
        self.mean + 2.0 * self.spread * libm::cos(angle)
    }
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};
    use proptest::prelude::*;

    use super::*;

    /// Rotated, scaled and rotated again.
    fn scaled(x: f32, y: f32, z: f32) -> Mat4 {
        let [before, after] = [0.7, -1.9].map(|angle| {
            Mat4::from_quat(Quat::from_axis_angle(
                Vec3::new(1.0, 2.0, -0.5).normalize(),
                angle,
            ))
        });
        after * Mat4::from_scale(Vec3::new(x, y, z)) * before
    }

    #[test]
    fn rotations_change_no_size() {
        let factors = Factors::of(&scaled(1.0, 1.0, 1.0));
        for factor in [factors.stretch, factors.area, factors.volume] {
            assert!((factor - 1.0).abs() < 1e-6, "{factors:?}");
        }
    }

    #[test]
    fn a_mirror_has_a_negative_volume() {
        let factors = Factors::of(&scaled(-2.0, 2.0, 2.0));
        assert!((factors.volume + 8.0).abs() < 1e-5 && (factors.area - 4.0).abs() < 1e-5);
    }

    proptest! {
        #[test]
        fn the_largest_of_three_scales_is_the_stretch(x in -3.0_f32..3.0, y in -3.0_f32..3.0, z in 0.0_f32..1e-3) {
            let factors = Factors::of(&scaled(x, y, z));
            let largest = f64::from(x.abs().max(y.abs()).max(z));
            prop_assert!((factors.stretch - largest).abs() < 1e-4, "{} {}", factors.stretch, largest);
        }
    }

    #[test]
    fn nan_gives_no_panic() {
        for bad in [f32::NAN, f32::INFINITY, 1e30] {
            let _ = Factors::of(&(Mat4::IDENTITY * bad));
        }
        assert!(Factors::of(&Mat4::ZERO).stretch.abs() < 1e-12);
    }
}
