//! The root of a model, and the ground.

use std::collections::BTreeSet;

use glam::DVec3;

use crate::lint::rules::clips::extent::origin;
use crate::lint::{Context, matches};
use crate::pose::{ModelPose, model_pose, sample_finite};
use crate::rig::{Clip, NodeId};
use crate::units::Seconds;

/// Whether one of `patterns` matches the name of `clip`.
pub(super) fn is_listed(patterns: &[String], clip: &Clip) -> bool {
    patterns.iter().any(|pattern| matches(pattern, &clip.name))
}

/// The joints that match one of `patterns`; for a pattern without `*`, the first.
pub(super) fn listed_joints(cx: &Context<'_>, patterns: &[String]) -> Vec<NodeId> {
    let skeleton = &cx.asset.skeleton;
    let all = patterns.iter().flat_map(|pattern| {
        let named = skeleton
            .iter()
            .filter(|(_, joint)| matches(pattern, &joint.name));
        let most = if pattern.contains('*') { usize::MAX } else { 1 };
        named.map(|(id, _)| id).take(most)
    });
    let all: BTreeSet<NodeId> = all.collect();
    all.into_iter().collect()
}

/// The joint that carries the whole model: the configured one (the first of several), else the first joint of a skin
/// whose parent is in no skin, else the first that `clip` drives.
pub(super) fn root(cx: &Context<'_>, clip: &Clip) -> Option<NodeId> {
    if let Some(pattern) = &cx.settings.root {
        let named = listed_joints(cx, std::slice::from_ref(pattern));
        return named.first().copied();
    }
    let bound = cx.asset.bound_joints();
    // Parents come first, so the first bound joint has no bound ancestor.
    let root = bound.iter().position(|bound| *bound);
    let driven = clip.channels.iter().map(|channel| channel.node);
    root.map(NodeId::from_index).or_else(|| driven.min())
}

/// Every joint at `time`, in world space.
pub(super) fn pose_at(cx: &Context<'_>, clip: &Clip, time: Seconds) -> ModelPose {
    model_pose(cx.asset, &sample_finite(cx.asset, clip, time))
}

/// The component of `vector` along the ground.
pub(super) fn along_ground(cx: &Context<'_>, vector: DVec3) -> DVec3 {
    let up = cx.asset.space.up.unit();
    vector - up * vector.dot(up)
}

/// How far `root` travels along the ground from pose `first` to pose `last`.
pub(super) fn drift(cx: &Context<'_>, root: NodeId, [first, last]: [&ModelPose; 2]) -> DVec3 {
    along_ground(cx, origin(last, root) - origin(first, root))
}
