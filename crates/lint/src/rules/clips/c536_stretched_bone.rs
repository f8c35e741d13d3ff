//! `C536`: stretched-bone.

use glam::{DVec3, Vec3};

use super::paths::diagonal;
use crate::analysis::joints;
use crate::core::numbers::percents;
use crate::core::reading::{Gauge, ReadingUnit};
use crate::pose::{model_pose, rest};
use crate::rig::{Clip, LocalTransform, NodeId, Track};
use crate::rules::clips::deformers::carrying;
use crate::{
    Context, Findings, Follows, Limit, LimitRange, Offence, Rule, Through, declare_rule, follows,
};

/// Proportions of people differ by more, and so does a clip that was retargeted without scaling. Rounding stays below a
/// hundredth of it.
const PART: Limit = Limit::new("part", 0.04, LimitRange::FROM_ZERO)
    .about("minimum change of a bone's length, as a share of its length at rest");

/// A joint that is in the direction of its rest position, to within this cosine (5°), is stretched; others have moved.
const STRAIGHT: f64 = 0.996;

/// Lengths that differ by less are the same.
const SAME: f64 = 0.01;

/// A stretch by less than this fraction of the diagonal is not seen: 1 cm on a person.
const SEEN: f64 = 0.006;

/// A clip in which more than one in this many joints has another length is for another skeleton, or styled.
const ONE_IN: usize = 5;

const LENGTH: Gauge = Gauge::new("change of a bone's length", ReadingUnit::Part);

declare_rule! {
    StretchedBone, "C536", "stretched-bone", Hint, Judged, limits = &[PART]
}

impl Rule for StretchedBone {
    fn follows_from(&self) -> &'static [Follows] {
        follows![Through::Clips => ["C530"]]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &PART);
        let Some(bones) = Bones::of(cx) else { return };
        let elastic = elastic(cx);
        let clips: Vec<_> = cx
            .asset
            .clips
            .iter()
            .map(|clip| bones.stretches(clip))
            .collect();
        let mut ratios: Vec<Vec<(f64, usize)>> = vec![Vec::new(); cx.asset.skeleton.len()];
        for (index, (own, _)) in clips.iter().enumerate() {
            for &(joint, ratio) in own {
                ratios[joint.index()].push((ratio, index));
            }
        }
        for own in &mut ratios {
            own.sort_unstable_by(|(a, _), (b, _)| a.total_cmp(b));
        }
        for (index, clip) in cx.asset.clips.iter().enumerate() {
            let (own, bound) = &clips[index];
            let is_elsewhere = |joint: NodeId, ratio: f64| {
                let all = &ratios[joint.index()];
                let first = all.partition_point(|(other, _)| *other <= ratio - SAME);
                let mut near = all[first..]
                    .iter()
                    .take_while(|(other, _)| *other < ratio + SAME);
                near.any(|(_, clip)| *clip != index)
            };
            let changed = own
                .iter()
                .filter(|(_, ratio)| (ratio - 1.0).abs() > SAME)
                .count();
            if changed > 2 && changed * ONE_IN > *bound {
                continue;
            }
            let group = cx.clip(clip);
            for &(joint, ratio) in own {
                let part = (ratio - 1.0).abs();
                let is_seen = part * bones.lengths[joint.index()] > SEEN;
                let is_style = || elastic[joint.index()] || is_elsewhere(joint, ratio);
                if !is_seen || part > limit && is_style() {
                    continue;
                }
                out.measure(LENGTH, [part, limit], || group.clone().joint_id(joint));
                if part <= limit {
                    continue;
                }
                let offence = Offence::above(&group, "joint", part, limit);
                out.add(offence.joint(joint), |subject| {
                    let how = if ratio > 1.0 { "longer" } else { "shorter" };
                    let [part, limit] = percents(part, limit, 0);
                    let message = format!(
                        "its bone is {part} % {how} throughout this clip than at rest, limit {limit} %"
                    );
                    (subject.joint_id(joint), message)
                });
            }
        }
    }
}

/// One flag per node: whether its distance from its parent changes within a clip.
fn elastic(cx: &Context<'_>) -> Vec<bool> {
    let channels = cx.asset.clips.iter().flat_map(|clip| &clip.channels);
    let elastic = channels.filter(|channel| {
        let keys = channel.translation.iter().flat_map(|track| &track.keys);
        let lengths = keys.map(|key| f64::from(key.value.length()));
        let (low, high) = lengths.fold(
            (f64::INFINITY, 0.0_f64),
            |(low, high): (f64, f64), length| (length.min(low), length.max(high)),
        );
        high > (1.0 + SAME) * low
    });
    joints::flags(cx.asset, elastic.map(|channel| channel.node))
}

/// The position of a joint relative to its parent.
fn offset(local: &LocalTransform) -> DVec3 {
    local.to_matrix().w_axis.truncate().as_dvec3()
}

/// The bones of a model at rest.
struct Bones {
    /// From the parent, in its space; `None` for joints that are no bones.
    offsets: Vec<Option<DVec3>>,
    /// In the world, in diagonals of the model.
    lengths: Vec<f64>,
}

impl Bones {
    fn of(cx: &Context<'_>) -> Option<Self> {
        let size = diagonal(cx)?;
        let carrying = carrying(cx.asset);
        let bound = cx.asset.bound_joints();
        let worlds = model_pose(cx.asset, &rest(cx.asset)).nodes;
        let parent = |id: NodeId| {
            let parent = cx.asset.skeleton[id].parent;
            parent.filter(|parent| bound[parent.index()])
        };
        let mut children = vec![0; cx.asset.skeleton.len()];
        let all = cx.asset.skeleton.iter().map(|(id, _)| id);
        for parent in all.filter(|id| bound[id.index()]).filter_map(parent) {
            children[parent.index()] += 1;
        }
        let is_top = |id: NodeId| parent(id).is_none();
        let bones = cx.asset.skeleton.iter().map(|(id, joint)| {
            let parent = parent(id)?;
            // Its height is that of the whole body.
            let is_pelvis = is_top(parent) && children[parent.index()] == 1;
            let is_bone = bound[id.index()] && carrying[id.index()] && !is_pelvis;
            let offset = offset(&joint.rest);
            let scale = worlds[parent.index()].x_axis.truncate().length();
            is_bone.then(|| (offset, offset.length() * f64::from(scale) / size))
        });
        let bones: Vec<Option<(DVec3, f64)>> = bones.collect();
        Some(Self {
            offsets: bones
                .iter()
                .map(|bone| bone.map(|(offset, _)| offset))
                .collect(),
            lengths: bones
                .iter()
                .map(|bone| bone.map_or(0.0, |(_, length)| length))
                .collect(),
        })
    }

    /// The bones that a clip keeps at one length in their direction, each with the ratio of that length to the one at rest,
    /// and the number of bones that it moves in any way.
    fn stretches(&self, clip: &Clip) -> (Vec<(NodeId, f64)>, usize) {
        let driven = clip
            .channels
            .iter()
            .filter(|channel| self.offsets[channel.node.index()].is_some());
        let stretch = |(joint, track): (NodeId, &Track<Vec3>)| {
            let ratio = ratio(track, self.offsets[joint.index()]?)?;
            Some((joint, ratio))
        };
        let moved = driven
            .clone()
            .filter_map(|own| Some((own.node, own.translation.as_ref()?)));
        (moved.filter_map(stretch).collect(), driven.count())
    }
}

/// The ratio of the length of all keys to `rest`, if they agree and point its way.
fn ratio(track: &Track<Vec3>, rest: DVec3) -> Option<f64> {
    let length = rest.length();
    let ratio = |key: DVec3| {
        let long = key.length();
        (key.dot(rest) > STRAIGHT * long * length).then_some(long / length)
    };
    let first = ratio(track.keys.first()?.value.as_dvec3())?;
    let mut others = track.keys.iter().map(|key| ratio(key.value.as_dvec3()));
    others
        .all(|other| other.is_some_and(|other| (other - first).abs() < SAME * first))
        .then_some(first)
}
