//! How far transforms that should be equal distort a mesh.

use glam::{DMat3, DMat4, DVec3};

use crate::lint::Context;
use crate::lint::analysis::uses::Skinned;
use crate::lint::analysis::weighting::{Weighting, weighting};
use crate::lint::rules::bind::matrices::norm;
use crate::rig::{Asset, Bounds, LocalTransform};

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
    let weightings = users.iter().map(|user| weighting(cx, user.instance.mesh));
    let weightings: Vec<&Weighting> = weightings.collect();
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
                let slot = influence.joint.index();
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
        let transform = transforms[influence.joint.index()]?;
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
