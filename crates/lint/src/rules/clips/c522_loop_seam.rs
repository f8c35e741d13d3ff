//! `C522`: loop-seam.

use glam::{DVec3, Mat4};

use super::paths::{diagonal, drift, is_listed, origin, pose_at, root};
use crate::analysis::joints;
use crate::core::numbers::percents;
use crate::core::reading::{Gauge, ReadingUnit};
use crate::pose::ModelPose;
use crate::rig::{Clip, NodeId};
use crate::rules::clips::deformers::deforming;
use crate::{Context, Findings, Limit, LimitRange, Offence, Required, Rule, declare_rule};

/// Half a per cent: a centimetre on a person, which shows as a twitch in a single frame. In a walk, the feet move five
/// to ten times as far per frame, so a loop that lacks a frame is found.
const APART: Limit = Limit::new("diagonals", 0.005, LimitRange::FROM_ZERO).about(
    "maximum distance of a joint between the first and last pose, in diagonals of the model",
);

/// The distance from a joint at which its rotation is measured, in diagonals: half the length of a lower arm or leg. So
/// `APART` is a rotation by about 3°.
const LEVER: f64 = 0.1;

const SEAM: Gauge = Gauge::new(
    "distance of a loop's last pose from its first",
    ReadingUnit::Diagonals,
);

declare_rule! {
    LoopSeam, "C522", "loop-seam", Warning, Proved,
    limits = &[APART],
    requires = Some(Required { key: "clips.loops", example: "[clips]\nloops = [\"Walk*\", \"Idle\"]" })
}

impl Rule for LoopSeam {
    fn uncheckable(&self, cx: &Context<'_>) -> Option<String> {
        let set = !cx.settings.loops.is_empty();
        cx.unset(&Self::META, set, "no loops in [clips]")
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &APART);
        let Some(size) = diagonal(cx) else {
            return;
        };
        let judged = judged(cx);
        let loops = cx.asset.clips.iter();
        for clip in loops.filter(|clip| is_listed(&cx.settings.loops, clip)) {
            let group = cx.clip(clip);
            for (joint, apart) in seam(cx, clip, size) {
                let apart = apart / size;
                if !judged[joint.index()] {
                    continue;
                }
                out.measure(SEAM, [apart, limit], || {
                    group.clone().joint_id(joint).at(clip.end)
                });
                if apart <= limit || apart.is_nan() {
                    continue;
                }
                let offence = Offence::above(&group, "joint", apart, limit);
                out.add(offence.joint(joint), |subject| {
                    let subject = subject.joint_id(joint).at(clip.end);
                    let [apart, limit] = percents(apart, limit, 1);
                    let message = format!(
                        "is {apart} % of the model's diagonal away from its first pose, limit {limit} %"
                    );
                    (subject, message)
                });
            }
        }
    }
}

/// The joints that deform a mesh; all joints without a mesh.
fn judged(cx: &Context<'_>) -> Vec<bool> {
    if cx.asset.instances.is_empty() {
        vec![true; cx.asset.skeleton.len()]
    } else {
        deforming(cx.asset)
    }
}

/// The distance of each joint in the last pose from the first.
fn seam(cx: &Context<'_>, clip: &Clip, size: f64) -> Vec<(NodeId, f64)> {
    let [first, last] = [clip.start, clip.end].map(|time| pose_at(cx, clip, time));
    let root = root(cx, clip);
    let drift = root.map_or(DVec3::ZERO, |root| drift(cx, root, [&first, &last]));
    let joints = joints::nodes(cx.asset);
    joints
        .map(|joint| (joint, apart([&first, &last], joint, drift, size)))
        .collect()
}

/// How far a joint moves from one pose to the other, by position and rotation.
///
/// * `drift` – of the root, which does not count.
fn apart(poses: [&ModelPose; 2], joint: NodeId, drift: DVec3, size: f64) -> f64 {
    let [first, last] = poses;
    let moved = origin(last, joint) - origin(first, joint) - drift;
    let rotated = axes_apart(poses, joint) * LEVER * size;
    moved.length().max(rotated)
}

/// The distance between the ends of a joint's unit axes.
fn axes_apart([first, last]: [&ModelPose; 2], joint: NodeId) -> f64 {
    let axes = |world: &Mat4| {
        let columns = [world.x_axis, world.y_axis, world.z_axis];
        columns.map(|axis| axis.truncate().as_dvec3().normalize_or_zero())
    };
    let (Some(from), Some(to)) = (
        first.nodes.get(joint.index()),
        last.nodes.get(joint.index()),
    ) else {
        return 0.0;
    };
    let pairs = axes(from).into_iter().zip(axes(to));
    pairs.map(|(a, b)| a.distance(b)).fold(0.0, f64::max)
}
