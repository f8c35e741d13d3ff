//! The weights of a mesh, made comparable.

use std::sync::OnceLock;

use glam::{Mat3, Mat4, Quat, Vec3};

use crate::core::context::{Analysis, Context};
use crate::lists::value_of;
use crate::rig::{Influence, Influences, Mesh, MeshId, NodeId, Skin, SkinSlot};

/// The weights of each vertex, in order of slots, each slot once, with sum 1.
///
/// Empty for a vertex whose weights are not all finite or do not sum to more than 0: other rules report those.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Weighting(Influences);

impl Weighting {
    /// Computes it for every vertex of `mesh`.
    pub(crate) fn of(mesh: &Mesh) -> Self {
        let (mut all, mut own) = (Influences::default(), Vec::new());
        for influences in mesh.influences.iter() {
            normalize(influences, &mut own);
            for influence in &own {
                all.add(*influence);
            }
            all.end_vertex();
        }
        Self(all)
    }

    /// The weights of one vertex.
    pub(crate) fn at(&self, vertex: usize) -> &[Influence] {
        self.0.of(vertex)
    }
}

/// Overwrites `sorted` with the weights of one vertex.
fn normalize(influences: &[Influence], sorted: &mut Vec<Influence>) {
    sorted.clear();
    let weights = influences
        .iter()
        .map(|influence| f64::from(influence.weight));
    let sum: f64 = weights.sum();
    if !sum.is_finite() || sum <= 0.0 {
        return;
    }
    sorted.extend(
        influences
            .iter()
            .filter(|influence| influence.weight != 0.0),
    );
    // Stable: weights of one joint are added in the file's order, which gives the same bits in every run.
    sorted.sort_by_key(|influence| influence.slot);
    sorted.dedup_by(|later, first| {
        let same = later.slot == first.slot;
        first.weight += if same { later.weight } else { 0.0 };
        same
    });
    for influence in sorted {
        influence.weight = share(influence.weight, sum);
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a weight is as exact as its file has it, in f32"
)]
fn share(weight: f32, sum: f64) -> f32 {
    (f64::from(weight) / sum) as f32
}

/// One per mesh.
struct Weightings(Vec<OnceLock<Weighting>>);

impl Analysis for Weightings {
    fn of(cx: &Context<'_>) -> Self {
        Self(cx.asset.meshes.iter().map(|_| OnceLock::new()).collect())
    }
}

/// The weights of a mesh of the model of `cx`.
pub(crate) fn weighting<'a>(cx: &'a Context<'_>, mesh: MeshId) -> &'a Weighting {
    let of_mesh = || Weighting::of(&cx.asset[mesh]);
    cx.get::<Weightings>().0[mesh.index()].get_or_init(of_mesh)
}

/// For each joint of two vertices, in order: the joint, and the difference of its weights (second minus first).
pub(crate) fn differences<'a>(
    from: &'a [Influence],
    to: &'a [Influence],
) -> impl Iterator<Item = (SkinSlot, f64)> + 'a {
    // Merges two sorted lists: a joint missing from one of them has weight 0 there.
    let (mut from, mut to) = (from.iter().peekable(), to.iter().peekable());
    std::iter::from_fn(move || {
        let joints =
            [from.peek(), to.peek()].map(|influence| influence.map(|influence| influence.slot));
        let joint = joints.into_iter().flatten().min()?;
        let weight = |influence: Option<&Influence>| {
            influence.map_or(0.0, |influence| f64::from(influence.weight))
        };
        let before = weight(from.next_if(|influence| influence.slot == joint));
        let after = weight(to.next_if(|influence| influence.slot == joint));
        Some((joint, after - before))
    })
}

/// The share of the weight that must move between joints to make two vertices equal: 0 for none, 1 for all.
pub(crate) fn distance(from: &[Influence], to: &[Influence]) -> f64 {
    let moved = differences(from, to).map(|(_, difference)| difference.abs());
    moved.sum::<f64>() / 2.0
}

/// As [`distance`], between joints instead of slots: MD5 binds a joint anew for each vertex.
pub(crate) fn distance_of_joints(skin: &Skin, from: &[Influence], to: &[Influence]) -> f64 {
    let mut moved: Vec<(NodeId, f64)> = Vec::new();
    for (sign, own) in [(-1.0, from), (1.0, to)] {
        for influence in own {
            let joint = skin.joints[influence.slot.index()];
            *value_of(&mut moved, joint) += sign * f64::from(influence.weight);
        }
    }
    moved.iter().map(|(_, moved)| moved.abs()).sum::<f64>() / 2.0
}

/// Least share of a vertex's weight that the two joints together must have.
const SHARE: f32 = 0.8;

/// The factor by which linear blending shrinks the distance from the axis of a rotation by θ between two joints: √(1 −
/// 2w(1 − w)(1 − cos θ)).
///
/// * `mixed` – w(1 − w), where w is one joint's share of the weight of both.
///
/// # Reference
///
/// L. Kavan, S. Collins, J. Žára, C. O'Sullivan, "Skinning with Dual Quaternions", I3D 2007, §2.
pub(crate) fn blend_width(mixed: f32, cosine: f32) -> f64 {
    f64::from(1.0 - 2.0 * mixed * (1.0 - cosine))
        .max(0.0)
        .sqrt()
}

/// The slots of the joint and its parent that a vertex is blended between, and w(1 − w) of the blend; `None` if its two
/// strongest influences are no such pair.
///
/// * `joints` – of the skin.
/// * `parents` – for each node, its nearest bound ancestor.
pub(crate) fn blended_pair(
    influences: &[Influence],
    joints: &[NodeId],
    parents: &[Option<NodeId>],
) -> Option<([SkinSlot; 2], f32)> {
    let is_above = |below: SkinSlot, above: SkinSlot| {
        parents[joints[below.index()].index()] == Some(joints[above.index()])
    };
    let strongest = |but: Option<SkinSlot>| {
        let others = influences
            .iter()
            .filter(|influence| Some(influence.slot) != but);
        others.max_by(|a, b| a.weight.total_cmp(&b.weight))
    };
    let first = strongest(None)?;
    let second = strongest(Some(first.slot))?;
    let both = first.weight + second.weight;
    let is_blend = second.weight > 0.0 && both >= SHARE && both.is_finite();
    let slots = if is_above(first.slot, second.slot) {
        [first.slot, second.slot]
    } else {
        [second.slot, first.slot]
    };
    let mixed = first.weight * second.weight / (both * both);
    (is_blend && is_above(slots[0], slots[1])).then_some((slots, mixed))
}

/// The cosine of the angle between two transforms, whatever their scales.
pub(crate) fn cosine(a: &Mat4, b: &Mat4) -> Option<f32> {
    let between = between(a, b)?;
    // The trace of a rotation by θ is 1 + 2 cos θ.
    let trace = between.x_axis.x + between.y_axis.y + between.z_axis.z;
    trace
        .is_finite()
        .then(|| (0.5 * (trace - 1.0)).clamp(-1.0, 1.0))
}

/// The axis of the rotation between two matrices, in the space that both map from; `None` without a rotation.
pub(crate) fn axis(a: &Mat4, b: &Mat4) -> Option<Vec3> {
    Quat::from_mat3(&between(a, b)?).xyz().try_normalize()
}

/// The rotation from the axes of one matrix to those of the other, without their scales.
fn between(a: &Mat4, b: &Mat4) -> Option<Mat3> {
    let rotation = |matrix: &Mat4| {
        let linear = Mat3::from_mat4(*matrix);
        let axes = [linear.x_axis, linear.y_axis, linear.z_axis];
        let [across, along, up] = axes.map(Vec3::try_normalize);
        Some(Mat3::from_cols(across?, along?, up?))
    };
    Some(rotation(a)?.transpose() * rotation(b)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn influences(weights: &[(u32, f32)]) -> Vec<Influence> {
        let influence = |(slot, weight): &(u32, f32)| Influence::new(SkinSlot(*slot), *weight);
        weights.iter().map(influence).collect()
    }

    fn normalized(raw: &[Influence]) -> Vec<Influence> {
        let mut sorted = influences(&[(9, 1.0)]);
        normalize(raw, &mut sorted);
        sorted
    }

    #[test]
    fn slots_of_one_joint_are_one() {
        let skin = Skin {
            name: String::new(),
            joints: [0, 1, 1].map(NodeId).into(),
            inverse_bind_matrices: vec![glam::Mat4::IDENTITY; 3],
        };
        let of = |slots: &[u32]| -> Vec<Influence> {
            let own = slots.iter();
            own.map(|slot| Influence::new(SkinSlot(*slot), 0.5))
                .collect()
        };
        assert!(distance_of_joints(&skin, &of(&[0, 1]), &of(&[0, 2])) < 1e-9);
        assert!(distance_of_joints(&skin, &of(&[0, 1]), &of(&[1, 2])) > 0.49);
    }

    #[test]
    fn weights_are_sorted_joined_and_divided_by_their_sum() {
        let raw = influences(&[(3, 0.5), (1, 1.0), (3, 0.5), (2, 0.0)]);
        assert_eq!(normalized(&raw), influences(&[(1, 0.5), (3, 0.5)]));
    }

    #[test]
    fn influences_without_a_sum_have_no_weights() {
        for weights in [vec![], vec![(0, f32::NAN)], vec![(0, 0.0)], vec![(0, -1.0)]] {
            assert_eq!(normalized(&influences(&weights)), []);
        }
    }

    #[test]
    fn the_distance_is_the_weight_that_would_have_to_move() {
        let (left, right) = (
            influences(&[(0, 0.25), (1, 0.75)]),
            influences(&[(1, 0.25), (4, 0.75)]),
        );
        assert!((distance(&left, &right) - 0.75).abs() < 1e-9);
        assert!(distance(&left, &left).abs() < 1e-9);
        assert!((distance(&left, &influences(&[(7, 1.0)])) - 1.0).abs() < 1e-9);
        let slots: Vec<u32> = differences(&left, &right)
            .map(|(joint, _)| joint.0)
            .collect();
        assert_eq!(slots, [0, 1, 4]);
    }
}
