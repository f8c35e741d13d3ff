//! How far transforms that should be equal distort a mesh.

use glam::{DMat3, DMat4, DVec3, Mat4};

use crate::analysis::joints::Skinned;
use crate::analysis::weighting::weighting;
use crate::core::reading::{Gauge, ReadingUnit};
use crate::rig::{Asset, Bounds, Location};
use crate::{Context, Findings};

const MOVED: Gauge = Gauge::new("movement by the bind pose", ReadingUnit::Diagonals);

/// `world_from_joint` in the rest pose, in f64.
pub(super) fn rest_worlds(asset: &Asset) -> Vec<DMat4> {
    let mut worlds: Vec<DMat4> = Vec::with_capacity(asset.skeleton.len());
    for joint in asset.skeleton.nodes() {
        let local = joint.rest.to_matrix().as_dmat4();
        worlds.push(
            joint
                .parent
                .map_or(local, |parent| worlds[parent.index()] * local),
        );
    }
    worlds
}

/// The f32 error of a product `a · b`, applied to a point at `reach`.
///
/// Each entry of a product of two matrices is a sum of four products: five roundings of 2^-24 (N. J. Higham, "Accuracy
/// and Stability of Numerical Algorithms", §3.5) of the sum, which is at most the product of the norms. The numbers of
/// each matrix are rounded too, and twice as much through the sines and quaternions they come from. Both are products of
/// chains of joints, of 16 factors together.
fn rounding(a: &DMat4, b: &DMat4, reach: f64) -> f64 {
    const ERROR: f64 = 16.0 * 8.0 / 16_777_216.0;
    let [linear_a, linear_b] = [a, b].map(|matrix| norm(&DMat3::from_mat4(*matrix)));
    let [move_a, move_b] = [a, b].map(|matrix| matrix.w_axis.truncate().length());
    ERROR * (linear_a * (linear_b * reach + move_b) + move_a)
}

/// The vertex that moves farthest, and how many move too far.
pub(super) struct Spread<'a> {
    skinned: Skinned<'a>,
    vertex: usize,
    /// Distance of the vertex from where the reference puts it, in diagonals of the mesh there.
    pub(super) distance: f64,
    /// The number of vertices.
    pub(super) count: usize,
    /// The counted unit, in the singular.
    pub(super) counted: &'static str,
    /// The distance up to which nothing is reported, in the file's units.
    pub(super) allowed: f64,
    /// The diagonal of the mesh there, in the file's units.
    pub(super) diagonal: f64,
}

/// Compares meshes of a skin blended by transforms that should be equal with their positions under only the transform of
/// the joint with the most weight; `None` if no joint with transforms has weight.
///
/// * `factors` – of the transform of each slot, the first times the second; `None` to ignore it.
/// * `limit` – in diagonals.
pub(super) fn spread<'a>(
    cx: &Context<'_>,
    users: &[Skinned<'a>],
    factors: &[Option<[DMat4; 2]>],
    limit: f64,
) -> Option<Spread<'a>> {
    let transforms: Vec<Option<DMat4>> =
        factors.iter().map(|own| own.map(|[a, b]| a * b)).collect();
    let mut weights = vec![0.0; transforms.len()];
    let (mut reach, mut there) = (0.0_f64, Bounds::EMPTY);
    for user in users {
        let weighting = weighting(cx, user.instance.mesh);
        for vertex in 0..user.mesh.positions.len() {
            for influence in weighting.at(vertex) {
                weights[influence.slot.index()] += f64::from(influence.weight);
            }
        }
    }
    let usable =
        (0..weights.len()).filter(|slot| weights[*slot] > 0.0 && transforms[*slot].is_some());
    let heaviest = usable
        .clone()
        .reduce(|a, b| if weights[b] > weights[a] { b } else { a })?;
    let to = transforms[heaviest]?;
    let positions = users.iter().flat_map(|user| &user.mesh.positions);
    for position in positions.filter(|position| position.is_finite()) {
        let at = position.as_dvec3();
        there.include(to.transform_point3(at));
        reach = reach.max(at.length());
    }
    let rounding = usable.filter_map(|slot| factors[slot].map(|[a, b]| rounding(&a, &b, reach)));
    let diagonal = there.diagonal();
    let mut spread = Spread {
        skinned: *users.first()?,
        vertex: 0,
        distance: 0.0,
        count: 0,
        counted: if users.len() == 1 {
            "vertex"
        } else {
            "vertex of the skin"
        },
        allowed: limit * diagonal + 2.0 * rounding.fold(0.0, f64::max),
        diagonal,
    };
    for user in users {
        let weighting = weighting(cx, user.instance.mesh);
        for (vertex, position) in user.mesh.positions.iter().enumerate() {
            let (at, influences) = (position.as_dvec3(), weighting.at(vertex));
            let blended = influences.iter().map(|influence| {
                let moved = transforms[influence.slot.index()]?.transform_point3(at);
                Some(f64::from(influence.weight) * moved)
            });
            let Some(blended) = blended
                .sum::<Option<DVec3>>()
                .filter(|_| !influences.is_empty())
            else {
                continue;
            };
            let moved = blended.distance(to.transform_point3(at));
            spread.count += usize::from(moved > spread.allowed);
            if moved / diagonal > spread.distance {
                (spread.skinned, spread.vertex) = (*user, vertex);
                spread.distance = moved / diagonal;
            }
        }
    }
    Some(spread)
}

impl Spread<'_> {
    /// Records the distance. One within the rounding is not beyond the limit.
    ///
    /// * `location` – of the mesh, the skin or the joint.
    pub(super) fn measure(&self, limit: f64, location: &Location, out: &mut Findings) {
        let distance = if self.count == 0 {
            self.distance.min(limit)
        } else {
            self.distance
        };
        out.measure(MOVED, [distance, limit], || location.clone());
    }

    /// `location`, with the mesh and the vertex that moves farthest.
    pub(super) fn at_worst(&self, cx: &Context<'_>, mut location: Location) -> Location {
        location.ids.instance = cx.mesh(self.skinned.instance).ids.instance;
        cx.at_vertex(location, self.skinned.instance, self.vertex)
    }

    /// The location of the worst mesh.
    pub(super) fn mesh(&self, cx: &Context<'_>) -> Location {
        cx.mesh(self.skinned.instance)
    }
}

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
