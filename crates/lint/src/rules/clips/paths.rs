//! Positions of joints over a clip, the root and the ground, and what they are measured by.

use glam::DVec3;

use crate::Context;
use crate::analysis::deformation;
use crate::analysis::joints;
use crate::lists::distinct;
use crate::names::{fits, matches};
use crate::pose::{ModelPose, frame_rate, model_pose, rest, sample_finite};
use crate::rig::{Asset, Bounds, Clip, NodeId};
use crate::units::Seconds;

/// `None` if the file does not count in frames.
pub(super) fn stated_frame(clip: &Clip) -> Option<f64> {
    clip.rate.stated?;
    let rate = frame_rate(clip);
    let counts_frames = (rate - clip.rate.used).abs() < 1e-9;
    counts_frames.then_some(1.0 / rate)
}

/// The times of the frames of `clip`.
pub(super) fn frames(clip: &Clip, frame: f64) -> impl Iterator<Item = f64> {
    let (start, end) = (clip.start.0, clip.end.0);
    let times = (0..u32::MAX).map(move |index| start + f64::from(index) * frame);
    // A last frame that rounding puts behind the end still counts.
    times.take_while(move |time| *time < end + 0.01 * frame)
}

/// Times closer than at 1 kHz count as one.
pub(super) const SAME_TIME: f64 = 1e-3;

/// Whether one of `patterns` matches the name of `clip`.
pub(super) fn is_listed(patterns: &[String], clip: &Clip) -> bool {
    patterns.iter().any(|pattern| fits(pattern, &clip.name))
}

/// The joints that match one of `patterns`, or else do without a prefix; for a pattern without `*`, the first.
pub(super) fn listed_joints(cx: &Context<'_>, patterns: &[String]) -> Vec<NodeId> {
    let skeleton = &cx.asset.skeleton;
    let all = patterns.iter().flat_map(|pattern| {
        let named = |is_named: fn(&str, &str) -> bool| {
            let named = skeleton.iter();
            let named = named.filter(move |(_, joint)| is_named(pattern, &joint.name));
            named.map(|(id, _)| id).collect::<Vec<_>>()
        };
        let mut found = named(matches);
        if found.is_empty() {
            found = named(fits);
        }
        let most = if pattern.contains('*') { usize::MAX } else { 1 };
        found.truncate(most);
        found
    });
    distinct(all)
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

/// The diagonal of the box around the skinned meshes (or all, if none is) in the rest pose, in the model's unit,
/// without strays; around the joints if there are no vertices. `None` if there is no box, or one without extent.
pub(super) fn diagonal(cx: &Context<'_>) -> Option<f64> {
    let usable = |size: &f64| size.is_finite() && *size > 0.0;
    let rest = deformation::rest(cx);
    let of_vertices = rest.map(|rest| rest.size).filter(usable);
    of_vertices.or_else(|| Some(of_joints(cx.asset)).filter(usable))
}

fn of_joints(asset: &Asset) -> f64 {
    let pose = model_pose(asset, &rest(asset));
    let joints = joints::nodes(asset);
    Bounds::of(joints.map(|joint| origin(&pose, joint))).diagonal()
}

/// The position of `joint` in the world; NaN if `pose` lacks it.
pub(super) fn origin(pose: &ModelPose, joint: NodeId) -> DVec3 {
    let world = pose.nodes.get(joint.index());
    world.map_or(DVec3::NAN, |world| world.w_axis.truncate().as_dvec3())
}

/// The longest frame that tools offer for games and film, in seconds: 24 per second.
pub(super) const LONGEST_FRAME: f64 = 1.0 / 24.0;

/// The seconds of a frame of `clip`: by its rate if the file states one, else [`LONGEST_FRAME`], so that nothing within
/// a frame counts as a frame late.
pub(super) fn frame_seconds(clip: &Clip) -> f64 {
    if clip.rate.stated.is_some() {
        1.0 / frame_rate(clip)
    } else {
        LONGEST_FRAME
    }
}
