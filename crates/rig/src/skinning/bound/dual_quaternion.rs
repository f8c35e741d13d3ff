//! How far rounding may move vertices that dual quaternions skin.
//!
//! To first order, for a vertex with influences of weights `w`, images `y` and rotations `r` as unit quaternions, with
//! `D = Σ w r`:
//!
//! | step | error |
//! |---|---|
//! | rotation of a matrix with the smallest singular value `σ` that is off by `d`: polar decomposition | `r`: `4 d / σ` and its own `64 u κ` |
//! | `D`, a product and `n - 1` sums | `Σ w (error of r + (n + 4) u)` |
//! | `N = Σ w y r`, a product of quaternions more | `Σ w (error of y + \|y\| (error of r + (n + 12) u))` |
//! | `N conj(D) / \|D\|²` | `error of N / \|D\| + 3 \|N\| error of D / \|D\|² + 16 u \|N\| / \|D\|` |
//!
//! A quarter more covers the higher orders, for which `D` must be at least 16 times its error. Where a sign of `r`, or
//! whether a matrix is flat, depends on rounding, there is no bound.
//!
//! # Reference
//!
//! N. Higham, "Functions of Matrices", 2008, theorem 8.9: how a polar factor moves with its matrix.

use glam::{DMat3, DQuat, DVec3};

use super::{Magnitudes, NO_PROMISE, Product, UNIT, cofactors, count, gamma, unit_error};
use crate::skinning::dual_quaternion::FLAT;
use crate::skinning::reference::{
    blend_dual_quaternions, dual_quaternion_rotation, final_weights, largest_first,
};

/// The bounds of a vertex that dual quaternions skin.
pub(super) struct Carried {
    /// How far its position may be off.
    pub(super) position: f64,
    /// The transform of directions.
    linear: DMat3,
    /// The error of `linear`, as its Frobenius norm.
    off: f64,
}

/// An influence.
struct Contribution {
    weight: f64,
    product: Product,
    rotation: DQuat,
    /// The error of the rotation.
    off: f64,
    /// The error of the matrix.
    matrix_off: f64,
    /// The size of the matrix.
    size: f64,
}

impl Contribution {
    /// `None` where rounding decides whether the matrix is flat.
    fn of(product: Product, weight: f64) -> Option<Self> {
        let linear = DMat3::from_mat4(product.matrix);
        let largest = largest(linear);
        let flatness = linear.determinant().abs() / (largest * largest * largest);
        let size = norm(linear);
        let matrix_off = gamma(4) * norm(DMat3::from_mat4(product.magnitude));
        // The product of the two larger singular values is at most half of the square of the size.
        let smallest = 2.0 * linear.determinant().abs() / (size * size);
        let off = if flatness < 0.25 * FLAT {
            0.0
        } else {
            (4.0 * matrix_off + 64.0 * UNIT * size) / smallest
        };
        let is_sure = flatness.is_finite() && !(0.25 * FLAT..=4.0 * FLAT).contains(&flatness);
        is_sure.then(|| Self {
            weight,
            product,
            rotation: dual_quaternion_rotation(linear),
            off,
            matrix_off,
            size,
        })
    }
}

/// Sums over the influences of a vertex, and the errors of these sums.
struct Sums {
    /// `Σ w r`.
    real: DQuat,
    real_off: f64,
    /// `Σ |w| |y|`.
    carried: f64,
    carried_off: f64,
    /// `Σ |w| |M|`.
    stretch: f64,
    stretch_off: f64,
    /// `Σ w M`.
    blended: DMat3,
}

impl Sums {
    /// * `point`, `magnitude`, `targets` – of the morphed vertex.
    fn of(
        contributions: &[Contribution],
        signs: &[f64],
        (point, magnitude, targets): (DVec3, DVec3, usize),
    ) -> Self {
        // Every `_off` is a bound on the rounding of the sum before it: a relative error per operation, times the sum of
        // magnitudes, with one more for each of the `n` additions.
        let n = count(contributions.len());
        let mut sums = Self {
            real: DQuat::from_array([0.0; 4]),
            real_off: 0.0,
            carried: 0.0,
            carried_off: 0.0,
            stretch: 0.0,
            stretch_off: 0.0,
            blended: DMat3::ZERO,
        };
        for (contribution, sign) in contributions.iter().zip(signs) {
            let Product {
                matrix,
                magnitude: size,
            } = contribution.product;
            let weight = contribution.weight.abs();
            sums.real += contribution.rotation * (sign * contribution.weight);
            sums.real_off += weight * (contribution.off + (n + 4.0) * UNIT);
            let image = matrix.transform_point3(point).length();
            // Morphing and one product of a matrix with a point; then the weight and the sum.
            let image_off = gamma(targets + 12) * size.transform_point3(magnitude).length();
            sums.carried += weight * image;
            sums.carried_off +=
                weight * (image_off + image * (contribution.off + (n + 12.0) * UNIT));
            let stretch_off =
                3.0 * contribution.off * contribution.size + (n + 12.0) * UNIT * contribution.size;
            sums.stretch += weight * contribution.size;
            sums.stretch_off += weight * (stretch_off + 2.0 * contribution.matrix_off);
            sums.blended += DMat3::from_mat4(matrix) * contribution.weight;
        }
        sums
    }
}

impl Magnitudes<'_> {
    /// `None` for a vertex that is blended linearly.
    pub(super) fn carried(&self, vertex: usize) -> Option<Carried> {
        let mesh = self.instance.mesh;
        let share = f64::from(mesh.dual_quaternion_share(vertex, self.options.method));
        self.instance.skin.as_ref().filter(|_| share != 0.0)?;
        let influences = final_weights(mesh.influences.of(vertex), self.options);
        if influences.is_empty() {
            return None;
        }
        let contributions = influences.into_iter();
        let contributions =
            contributions.map(|(slot, weight)| Contribution::of(self.slots[slot.index()], weight));
        let contributions: Option<Vec<Contribution>> = contributions.collect();
        let carried =
            contributions.and_then(|contributions| self.carried_by(&contributions, vertex, share));
        Some(carried.unwrap_or(Carried::NO_PROMISE))
    }

    fn carried_by(
        &self,
        contributions: &[Contribution],
        vertex: usize,
        share: f64,
    ) -> Option<Carried> {
        let base = self.instance.mesh.positions[vertex];
        let morphed = self.morphed(base, vertex, |target| &target.positions);
        let sums = Sums::of(contributions, &signs(contributions)?, morphed);
        let length = sums.real.length();
        let rigid = sums.carried_off / length
            + 3.0 * sums.carried * sums.real_off / (length * length)
            + 16.0 * UNIT * sums.carried / length;
        let stretch_rotation_off = 6.0 * (sums.real_off / length + 4.0 * UNIT) * sums.stretch;
        let matrices: Vec<_> = contributions
            .iter()
            .map(|contribution| (contribution.product.matrix, contribution.weight))
            .collect();
        let (_, rigid_linear) = blend_dual_quaternions(&largest_first(matrices), morphed.0)?;
        // The linear bound covers the linear share, and results too small for relative rounding.
        let position = 1.25 * rigid + 4.0 * self.linear_position(vertex) * (1.0 + 1.0 / length);
        (16.0 * sums.real_off < length && position.is_finite()).then_some(Carried {
            position,
            linear: sums.blended * (1.0 - share) + rigid_linear * share,
            off: 1.25 * (stretch_rotation_off + sums.stretch_off + 16.0 * UNIT * sums.stretch),
        })
    }
}

impl Carried {
    const NO_PROMISE: Self = Self {
        position: f64::INFINITY,
        linear: DMat3::ZERO,
        off: f64::INFINITY,
    };

    /// The error of the unit vector of a direction along the surface.
    ///
    /// * `roundings` – of the direction before the transform.
    pub(super) fn along(&self, (direction, magnitude): (DVec3, DVec3), roundings: usize) -> f64 {
        let before = gamma(roundings + 8) * norm(self.linear) * magnitude.length();
        unit_error(
            self.off * direction.length() + before,
            self.linear * direction,
        )
    }

    /// Like [`Carried::along`], for a normal. Cofactors are products of two elements.
    pub(super) fn across(&self, (normal, magnitude): (DVec3, DVec3), roundings: usize) -> f64 {
        let size = norm(self.linear);
        let off = 3.0 * size * self.off + gamma(12) * size * size;
        if self.linear.determinant().abs() <= 2.0 * size * off || !off.is_finite() {
            return NO_PROMISE;
        }
        let before = gamma(roundings + 8) * size * size * magnitude.length();
        unit_error(
            off * normal.length() + before,
            cofactors(self.linear) * normal,
        )
    }
}

/// The sign that each rotation is blended with; `None` where rounding decides it.
fn signs(contributions: &[Contribution]) -> Option<Vec<f64>> {
    let most = contributions
        .iter()
        .map(|contribution| contribution.weight)
        .fold(f64::NEG_INFINITY, f64::max);
    // Rounding may make another weight the largest, which must not change the signs.
    let is_first = |contribution: &&Contribution| contribution.weight >= most - 1e-6 * most.abs();
    let mut agreed: Option<Vec<f64>> = None;
    for first in contributions.iter().filter(is_first) {
        let dots = contributions.iter().map(|contribution| {
            (
                contribution.rotation.dot(first.rotation),
                contribution.off + first.off,
            )
        });
        let signs: Option<Vec<f64>> = dots
            .map(|(dot, off)| (dot.abs() > 2.0 * off + 16.0 * UNIT).then(|| dot.signum()))
            .collect();
        let signs = signs?;
        let Some(agreed) = &agreed else {
            agreed = Some(signs);
            continue;
        };
        let same = agreed
            .iter()
            .zip(&signs)
            .all(|(a, b)| a * b * agreed[0] * signs[0] > 0.0);
        if !same {
            return None;
        }
    }
    agreed
}

fn norm(matrix: DMat3) -> f64 {
    let elements = matrix.to_cols_array().into_iter();
    elements
        .map(|element| element * element)
        .sum::<f64>()
        .sqrt()
}

fn largest(matrix: DMat3) -> f64 {
    let elements = matrix.to_cols_array().into_iter();
    elements.map(f64::abs).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use glam::DMat4;

    use super::*;

    #[test]
    fn the_rotation_of_a_solid_matrix_is_off_by_its_rounding() {
        let matrix = DMat4::from_scale(DVec3::new(1.0, 2.0, 0.5));
        let product = Product {
            matrix,
            magnitude: matrix,
        };
        let solid = Contribution::of(product, 1.0).expect("it is far from flat");
        assert!(solid.off > UNIT && solid.off < 1e-3, "{}", solid.off);
    }

    #[test]
    fn the_error_of_a_direction_does_not_depend_on_its_length() {
        let carried = Carried {
            position: 0.0,
            linear: DMat3::IDENTITY,
            off: 1e-6,
        };
        let [short, long] = [1.0, 1e3].map(|length| {
            let direction = DVec3::X * length;
            carried.along((direction, direction), 4)
        });
        assert!((short - long).abs() < 1e-12, "{short} {long}");
    }

    #[test]
    fn the_error_of_a_rotation_does_not_depend_on_the_scale_of_its_matrix() {
        let off = |scale: f64| {
            let matrix = glam::DMat4::from_scale(DVec3::new(1.0, 2.0, 0.5) * scale);
            let product = Product {
                matrix,
                magnitude: matrix,
            };
            let contribution = Contribution::of(product, 1.0).expect("it is not flat");
            contribution.off
        };
        assert!(off(1.0) > 0.0);
        for scale in [1.0 / 1024.0, 1024.0] {
            assert!((off(scale) / off(1.0) - 1.0).abs() < 1e-12, "{scale}");
        }
    }
}
