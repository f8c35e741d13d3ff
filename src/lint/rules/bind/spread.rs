//! How far transforms that should be equal distort a mesh.

use glam::{DMat3, DMat4, DQuat, DVec3, Mat4};

use crate::lint::Context;
use crate::lint::analysis::joints::Skinned;
use crate::lint::analysis::weighting::{Weighting, weighting};
use crate::rig::{Asset, Bounds, LocalTransform, NodeId, rotation_angle};

/// `world_from_joint` in the rest pose, in f64.
pub(super) fn rest_worlds(asset: &Asset) -> Vec<DMat4> {
    worlds(asset, asset.skeleton.nodes().iter().map(|joint| joint.rest))
}

/// `world_from_joint` in f64, from each joint's local transform.
pub(super) fn worlds(
    asset: &Asset,
    locals: impl IntoIterator<Item = LocalTransform>,
) -> Vec<DMat4> {
    let mut worlds: Vec<DMat4> = Vec::with_capacity(asset.skeleton.len());
    for (joint, local) in asset.skeleton.nodes().iter().zip(locals) {
        let local = local.to_matrix().as_dmat4();
        let world = match joint.parent {
            Some(parent) => worlds[parent.index()] * local,
            None => local,
        };
        worlds.push(world);
    }
    worlds
}

/// The number of ancestors of each joint.
pub(super) fn depths(asset: &Asset) -> Vec<u32> {
    let mut depths: Vec<u32> = Vec::with_capacity(asset.skeleton.len());
    for joint in asset.skeleton.nodes() {
        let depth = joint.parent.map_or(0, |parent| depths[parent.index()] + 1);
        depths.push(depth);
    }
    depths
}

/// The f32 error of a product `a · b` of `factors` matrices, applied to a point at `reach`.
///
/// Each entry of a product of two matrices is a sum of four products: five roundings of 2^-24 (N. J. Higham, "Accuracy
/// and Stability of Numerical Algorithms", §3.5) of the sum, which is at most the product of the norms. The numbers of
/// each matrix are rounded too, and twice as much through the sines and quaternions they come from.
pub(super) fn rounding(a: &DMat4, b: &DMat4, factors: u32, reach: f64) -> f64 {
    const A_FACTOR: f64 = 8.0 / 16_777_216.0;
    let [linear_a, linear_b] = [a, b].map(|matrix| norm(&DMat3::from_mat4(*matrix)));
    let [move_a, move_b] = [a, b].map(|matrix| matrix.w_axis.truncate().length());
    A_FACTOR * f64::from(factors) * (linear_a * (linear_b * reach + move_b) + move_a)
}

/// The vertex that moves farthest, and the number of vertices that move too far.
pub(super) struct Spread<'a> {
    pub(super) skinned: Skinned<'a>,
    pub(super) vertex: usize,
    /// Distance of the vertex from where the reference puts it, in diagonals of the mesh there.
    pub(super) distance: f64,
    pub(super) count: usize,
    /// The counted unit, in the singular.
    pub(super) counted: &'static str,
    /// The distance up to which nothing is reported, in the file's units.
    pub(super) allowed: f64,
    /// The diagonal of the mesh there, in the file's units.
    pub(super) diagonal: f64,
}

/// Compares meshes blended by `transforms` (one per slot; `None` to ignore it) with their positions under only the
/// transform of the joint with the most weight.
///
/// * `limit` – in diagonals.
/// * `rounding` – the error of each transform, given how far from the origin the meshes reach.
pub(super) fn spread<'a>(
    cx: &Context<'_>,
    users: &[Skinned<'a>],
    transforms: &[Option<DMat4>],
    limit: f64,
    rounding: impl Fn(usize, f64) -> f64,
) -> Option<Spread<'a>> {
    let weightings: Vec<&Weighting> = users
        .iter()
        .map(|user| weighting(cx, user.instance.mesh))
        .collect();
    let weights = weights_of_slots(users, &weightings, transforms);
    let reference = heaviest(&weights)?;
    let to = transforms[reference]?;
    let extent = Extent::of(users, &to);
    let weighted = (0..weights.len()).filter(|&slot| weights[slot] > 0.0);
    let rounding = weighted
        .map(|slot| rounding(slot, extent.reach))
        .fold(0.0, f64::max);
    let allowed = limit * extent.diagonal + 2.0 * rounding;
    let mut worst: Option<Spread<'a>> = None;
    let mut count = 0;
    for (user, weighting) in users.iter().zip(&weightings) {
        for (vertex, position) in user.mesh.positions.iter().enumerate() {
            let at = position.as_dvec3();
            let Some(blended) = blend(weighting, vertex, at, transforms) else {
                continue;
            };
            let moved = (blended - to.transform_point3(at)).length();
            if moved.is_nan() || moved <= allowed {
                continue;
            }
            count += 1;
            let distance = moved / extent.diagonal;
            if worst.as_ref().is_none_or(|worst| distance > worst.distance) {
                worst = Some(Spread {
                    skinned: *user,
                    vertex,
                    distance,
                    count,
                    counted: match users {
                        [_] => "vertex",
                        _ => "vertex of the skin",
                    },
                    allowed,
                    diagonal: extent.diagonal,
                });
            }
        }
    }
    worst.map(|worst| Spread { count, ..worst })
}

/// The total weight of each slot that has a transform.
fn weights_of_slots(
    users: &[Skinned<'_>],
    weightings: &[&Weighting],
    transforms: &[Option<DMat4>],
) -> Vec<f64> {
    let mut weights = vec![0.0; transforms.len()];
    for (user, weighting) in users.iter().zip(weightings) {
        for vertex in 0..user.mesh.positions.len() {
            for influence in weighting.at(vertex) {
                let slot = influence.slot.index();
                if transforms[slot].is_some() {
                    weights[slot] += f64::from(influence.weight);
                }
            }
        }
    }
    weights
}

/// The slot with the most weight; the first of equal ones.
fn heaviest(weights: &[f64]) -> Option<usize> {
    let mut best: Option<usize> = None;
    for (slot, weight) in weights.iter().enumerate() {
        if *weight > best.map_or(0.0, |best| weights[best]) {
            best = Some(slot);
        }
    }
    best
}

/// `None` if the vertex has no weights, or one of its joints no transform.
fn blend(
    weighting: &Weighting,
    vertex: usize,
    at: DVec3,
    transforms: &[Option<DMat4>],
) -> Option<DVec3> {
    let influences = weighting.at(vertex);
    let mut blended = DVec3::ZERO;
    for influence in influences {
        let transform = transforms[influence.slot.index()]?;
        blended += f64::from(influence.weight) * transform.transform_point3(at);
    }
    (!influences.is_empty()).then_some(blended)
}

/// The size of meshes.
pub(super) struct Extent {
    /// The diagonal of their bounding box, after the transform.
    pub(super) diagonal: f64,
    /// Their largest distance from the origin, before the transform.
    pub(super) reach: f64,
}

impl Extent {
    /// Measures the finite vertices of `users`, transformed by `to`.
    pub(super) fn of(users: &[Skinned<'_>], to: &DMat4) -> Self {
        let mut there = Bounds::EMPTY;
        let mut reach: f64 = 0.0;
        let positions = users.iter().flat_map(|user| &user.mesh.positions);
        for position in positions.filter(|position| position.is_finite()) {
            let at = position.as_dvec3();
            there.include(to.transform_point3(at));
            reach = reach.max(at.length());
        }
        Self {
            diagonal: there.diagonal(),
            reach,
        }
    }
}

/// A joint whose rest pose differs from its bind pose, relative to the nearest weighted joint above.
pub(super) struct Culprit {
    pub(super) joint: NodeId,
    /// Its rotation from the bind pose, in degrees.
    pub(super) degrees: f64,
    /// The distance of its origin from the bind pose, in diagonals.
    pub(super) distance: f64,
    /// The number of vertices that follow it or a joint below it.
    pub(super) followers: usize,
}

/// Half a degree moves the end of a limb by a hundredth of its length.
const DEGREES: f64 = 0.5;

impl Culprit {
    /// Among the topmost such joints, the one that most vertices follow.
    ///
    /// * `users` – the meshes of one skin.
    /// * `transforms` – each slot's transform of the meshes at rest, if it counts.
    /// * `diagonal` – the diagonal of the meshes.
    /// * `limit` – the least distance, in diagonals.
    /// * `among` – candidates; all joints if empty.
    pub(super) fn of(
        asset: &Asset,
        users: &[Skinned<'_>],
        transforms: &[Option<DMat4>],
        [diagonal, limit]: [f64; 2],
        among: &[NodeId],
    ) -> Option<Self> {
        let skin = users.first()?.skin;
        let mut weighted = vec![None; asset.skeleton.len()];
        let influences = users.iter().flat_map(|user| user.mesh.influences.all());
        for influence in influences.filter(|influence| influence.weight > 0.0) {
            let slot = influence.slot.index();
            weighted[skin.joints[slot].index()] = transforms[slot].map(|_| slot);
        }
        // For each joint, the nearest weighted slot at or above it, and the topmost culprit there.
        let mut bases: Vec<Option<usize>> = Vec::with_capacity(weighted.len());
        let mut tops: Vec<Option<usize>> = Vec::with_capacity(weighted.len());
        let mut culprits: Vec<Self> = Vec::new();
        for (joint, node) in asset.skeleton.iter() {
            let above = node.parent.map(NodeId::index);
            let base = above.and_then(|parent| bases[parent]);
            let own = weighted[joint.index()];
            let mut top = above.and_then(|parent| tops[parent]);
            if let (None, Some(base), Some(slot)) = (top, base, own) {
                let inverse_bind = skin.inverse_bind_matrices[slot].as_dmat4();
                let pair = [transforms[base]?, transforms[slot]?];
                let [degrees, distance] = apart(pair, &inverse_bind)?;
                let distance = distance / diagonal;
                let is_candidate = among.is_empty() || among.contains(&joint);
                if is_candidate && (degrees > DEGREES || distance > limit) {
                    top = Some(culprits.len());
                    culprits.push(Self {
                        joint,
                        degrees,
                        distance,
                        followers: 0,
                    });
                }
            }
            bases.push(own.or(base));
            tops.push(top);
        }
        count_followers(users, &tops, &mut culprits);
        let more = |a: Self, b: Self| if b.followers > a.followers { b } else { a };
        culprits.into_iter().reduce(more)
    }
}

/// The angle in degrees and the distance between two transforms of a mesh that should be equal, as seen from a joint.
fn apart([base, own]: [DMat4; 2], inverse_bind: &DMat4) -> Option<[f64; 2]> {
    let between = DMat3::from_mat4(inverse(&base)? * own);
    let axes = [between.x_axis, between.y_axis, between.z_axis].map(DVec3::normalize_or_zero);
    let rotation = DQuat::from_mat3(&DMat3::from_cols(axes[0], axes[1], axes[2])).normalize();
    let origin = inverse(inverse_bind)?.w_axis.truncate();
    let distance = own
        .transform_point3(origin)
        .distance(base.transform_point3(origin));
    Some([rotation_angle(rotation).to_degrees(), distance])
}

/// * `tops` – for each joint, the culprit at or above it.
fn count_followers(users: &[Skinned<'_>], tops: &[Option<usize>], culprits: &mut [Culprit]) {
    let mut seen = Vec::new();
    for user in users {
        for influences in user.mesh.influences.iter() {
            let influences = influences.iter().filter(|influence| influence.weight > 0.0);
            seen.clear();
            seen.extend(influences.filter_map(|influence| {
                let joint = user.skin[influence.slot];
                tops[joint.index()]
            }));
            seen.sort_unstable();
            seen.dedup();
            for culprit in &seen {
                culprits[*culprit].followers += 1;
            }
        }
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
