//! Vertices blended between a joint and its parent.

use glam::{Mat3, Mat4, Vec3};

use crate::rig::{Influence, JointId, NodeId};

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
pub(in crate::lint) fn width(mixed: f32, cosine: f32) -> f64 {
    f64::from(1.0 - 2.0 * mixed * (1.0 - cosine))
        .max(0.0)
        .sqrt()
}

/// The slots of the joint and its parent that a vertex is blended between, and w(1 − w) of the blend; `None` if its two
/// strongest influences are no such pair.
///
/// * `joints` – of the skin.
/// * `parents` – for each node, its nearest bound ancestor.
pub(in crate::lint) fn pair(
    influences: &[Influence],
    joints: &[NodeId],
    parents: &[Option<NodeId>],
) -> Option<([JointId; 2], f32)> {
    let is_above = |below: JointId, above: JointId| {
        parents[joints[below.index()].index()] == Some(joints[above.index()])
    };
    let strongest = |but: Option<JointId>| {
        let others = influences
            .iter()
            .filter(|influence| Some(influence.joint) != but);
        others.max_by(|a, b| a.weight.total_cmp(&b.weight))
    };
    let first = strongest(None)?;
    let second = strongest(Some(first.joint))?;
    let both = first.weight + second.weight;
    let is_blend = second.weight > 0.0 && both >= SHARE && both.is_finite();
    let slots = if is_above(first.joint, second.joint) {
        [first.joint, second.joint]
    } else {
        [second.joint, first.joint]
    };
    let mixed = first.weight * second.weight / (both * both);
    (is_blend && is_above(slots[0], slots[1])).then_some((slots, mixed))
}

/// The cosine of the angle between two transforms, whatever their scales.
pub(in crate::lint) fn cosine(a: &Mat4, b: &Mat4) -> Option<f32> {
    let rotation = |matrix: &Mat4| {
        let linear = Mat3::from_mat4(*matrix);
        let axes = [linear.x_axis, linear.y_axis, linear.z_axis];
        let [across, along, up] = axes.map(Vec3::try_normalize);
        Some(Mat3::from_cols(across?, along?, up?))
    };
    let between = rotation(a)?.transpose() * rotation(b)?;
    // The trace of a rotation by θ is 1 + 2 cos θ.
    let trace = between.x_axis.x + between.y_axis.y + between.z_axis.z;
    trace
        .is_finite()
        .then(|| (0.5 * (trace - 1.0)).clamp(-1.0, 1.0))
}
