//! `C536`: stretched-bone.

use glam::{DVec3, Vec3};

use super::paths::diagonal;
use crate::analysis::joints;
use crate::core::numbers::{as_f64, diagonals, median, percents};
use crate::core::reading::{Gauge, ReadingUnit};
use crate::finding::Finding;
use crate::pose::{model_pose, rest};
use crate::rig::{Asset, Clip, Key, LocalTransform, NodeId, Track};
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
        follows![Through::Mended => ["C530"]]
    }

    /// Without the change of length: of one clip, or of all if they share it, then also of the root's way.
    fn mended(&self, cx: &Context<'_>, finding: &Finding) -> Option<Asset> {
        let id = finding.location.ids.clip?;
        let bones = Bones::of(cx)?;
        let mut asset = cx.asset.clone();
        let is_of_one = finding.location.ids.node.is_some();
        for (index, clip) in asset.clips.iter_mut().enumerate() {
            if is_of_one && index != id.index() {
                continue;
            }
            let (stretches, _) = bones.stretches(&cx.asset.clips[index]);
            let common = common(&stretches).filter(|_| !is_of_one);
            for channel in &mut clip.channels {
                let own = stretches.iter().find(|(joint, _)| *joint == channel.node);
                let own = own.filter(|(joint, _)| finding.affected.joint_ids.contains(joint));
                let factor = common.or(own.map(|(_, ratio)| *ratio)).unwrap_or(1.0);
                let track = channel.translation.iter_mut();
                for key in track.flat_map(|track| &mut track.keys) {
                    key.value = (key.value.as_dvec3() / factor).as_vec3();
                }
            }
        }
        Some(asset)
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &PART);
        let Some(bones) = Bones::of(cx) else { return };
        report_displaced(cx, &bones, out);
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
        let common: Vec<Option<f64>> = clips.iter().map(|(own, _)| common(own)).collect();
        // A clip for this skeleton shows that another one is meant to be styled.
        let is_off = |ratio: f64| (ratio - 1.0).abs() > limit;
        let is_of_all = common.iter().all(|ratio| ratio.is_some_and(is_off));
        for (index, clip) in cx.asset.clips.iter().enumerate() {
            let (own, bound) = &clips[index];
            if let Some(ratio) = common[index].filter(|_| is_of_all) {
                let joints: Vec<NodeId> = own.iter().map(|(joint, _)| *joint).collect();
                report_common(cx, clip, (ratio, limit), &joints, out);
                continue;
            }
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
                let is_seen = part * bones.length(joint) > SEEN;
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

/// Reports that all bones of a clip have another length by the same factor.
fn report_common(
    cx: &Context<'_>,
    clip: &Clip,
    (ratio, limit): (f64, f64),
    joints: &[NodeId],
    out: &mut Findings,
) {
    let group = cx.clip(clip);
    let offence = Offence {
        covers_all: true,
        ..Offence::above(&group, "joint", (ratio - 1.0).abs(), limit)
    };
    out.add_many(offence.joints(joints), joints.len(), |subject| {
        let count = joints.len();
        let message = format!(
            "all {count} bones that it moves are {ratio:.2} times as long as at rest: was it made for this rig in another \
             size or unit?"
        );
        (subject, message)
    });
}

/// A limb that is held farther than this from its place at rest is displaced, in diagonals: 4 cm on a person.
const DISPLACED: f64 = 0.02;

/// Reports limbs that all clips hold at one place beside that at rest, while the other bones stay where they rest.
fn report_displaced(cx: &Context<'_>, bones: &Bones, out: &mut Findings) {
    let clips: Vec<&Clip> = cx
        .asset
        .clips
        .iter()
        .filter(|clip| !clip.channels.is_empty())
        .collect();
    let Some((first, others)) = clips.split_first() else {
        return;
    };
    let place = |clip: &Clip, joint: NodeId| {
        let track = clip.channel_of(joint)?.translation.as_ref()?;
        let start = track.keys.first()?.value.as_dvec3();
        let is_near = |key: &Key<Vec3>| bones.apart(joint, key.value.as_dvec3(), start) < SEEN;
        track.keys.iter().all(is_near).then_some(start)
    };
    let displaced = |joint: NodeId| {
        let (rest, own) = (bones.offsets[joint.index()]?, place(first, joint)?);
        let is_same = |clip: &&Clip| {
            place(clip, joint).is_some_and(|other| bones.apart(joint, other, own) < SEEN)
        };
        let is_along = own.dot(rest) > STRAIGHT * own.length() * rest.length();
        let off = bones.apart(joint, own, rest);
        (off > DISPLACED && !is_along && others.iter().all(is_same)).then_some((joint, off))
    };
    let limbs = first.channels.iter().map(|channel| channel.node);
    let limbs: Vec<NodeId> = limbs.filter(|joint| bones.is_limb[joint.index()]).collect();
    let found: Vec<(NodeId, f64)> = limbs.iter().filter_map(|joint| displaced(*joint)).collect();
    if limbs.len() < COMMON || found.len() * ONE_IN > limbs.len() {
        return;
    }
    for (joint, off) in found {
        let group = cx.joint(joint).part("place");
        out.add(Offence::of(&group, "joint"), |_| {
            let message = format!(
                "all clips hold it {} beside its place at rest, and the other bones at theirs",
                diagonals(off, 2)
            );
            (cx.joint(joint), message)
        });
    }
}

/// The least bones, and the part of them, that show a common factor.
const COMMON: usize = 5;
const MOST: f64 = 0.8;

/// The factor that nearly all bones have in common.
fn common(stretches: &[(NodeId, f64)]) -> Option<f64> {
    let ratio = median(stretches.iter().map(|(_, ratio)| *ratio).collect())?;
    let alike = stretches.iter();
    let alike = alike
        .filter(|(_, own)| (own - ratio).abs() < SAME * ratio)
        .count();
    let is_common = alike >= COMMON && as_f64(alike) >= MOST * as_f64(stretches.len());
    is_common.then_some(ratio)
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
    /// The length of a unit of that space, in diagonals of the model.
    units: Vec<f64>,
    /// Whether other bones hang on it.
    is_limb: Vec<bool>,
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
            let scale = worlds[parent.index()].x_axis.truncate().length();
            is_bone.then(|| (offset(&joint.rest), f64::from(scale) / size))
        });
        let bones: Vec<Option<(DVec3, f64)>> = bones.collect();
        let below = cx.asset.skeleton.iter();
        let below = below.filter(|(id, _)| bones[id.index()].is_some());
        Some(Self {
            offsets: bones
                .iter()
                .map(|bone| bone.map(|(offset, _)| offset))
                .collect(),
            units: bones
                .iter()
                .map(|bone| bone.map_or(0.0, |(_, unit)| unit))
                .collect(),
            is_limb: joints::flags(cx.asset, below.filter_map(|(id, _)| parent(id))),
        })
    }

    /// The length of a bone at rest, in diagonals.
    fn length(&self, joint: NodeId) -> f64 {
        let offset = self.offsets[joint.index()].unwrap_or_default();
        self.apart(joint, offset, DVec3::ZERO)
    }

    /// The distance between two places of a joint, in diagonals.
    fn apart(&self, joint: NodeId, one: DVec3, other: DVec3) -> f64 {
        one.distance(other) * self.units[joint.index()]
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pose::rigs::{clip, named_joint};
    use crate::rig::{Channel, LocalTransform, Skeleton, Trs};
    use crate::testing::{arm, findings};

    /// The arm with five fingers in a row, and two clips in which each bone has `factor` of its length, the last one `last`.
    fn asset(factor: f32, last: f32) -> Asset {
        let mut asset = arm();
        let mut joints = asset.skeleton.nodes().to_vec();
        let rest = LocalTransform::Trs(Trs {
            translation: Vec3::Y * 0.1,
            ..Trs::IDENTITY
        });
        for index in 0..5 {
            joints.push(named_joint("finger", Some(index + 1), rest));
        }
        let own = asset.skins[0].inverse_bind_matrices[1];
        for index in 2..7 {
            asset.skins[0].joints.push(NodeId(index));
            asset.skins[0].inverse_bind_matrices.push(own);
        }
        // All vertices follow the last joint, so that each bone carries them.
        let slots = asset.meshes[0].positions.iter();
        let slots = slots.map(|_| [crate::rig::Influence::new(crate::rig::SkinSlot(6), 1.0)]);
        asset.meshes[0].influences = crate::rig::Influences::from_vertices(slots);
        let channel = |index: u32| {
            let factor = if index == 6 { last } else { factor };
            let offset = joints[index as usize].rest.to_trs().translation * factor;
            Channel {
                translation: Some(Track::linear([(0.0, offset), (1.0, offset)])),
                ..Channel::of(NodeId(index))
            }
        };
        let channels: Vec<Channel> = (1..7).map(channel).collect();
        asset.clips = ["Walk", "Wave"]
            .map(|name| Clip {
                channels: channels.clone(),
                ..clip(name, 0.0, 1.0)
            })
            .into();
        asset.skeleton = Skeleton::new(joints).expect("parents come first");
        asset
    }

    #[test]
    fn clips_for_another_size_are_reported_once_each() {
        let count = |asset: &Asset| findings(asset, &StretchedBone).len();
        for factor in [0.1, 0.5, 0.8, 1.08, 2.54] {
            assert_eq!(count(&asset(factor, factor)), 2, "{factor}");
        }
        assert_eq!(count(&asset(1.0, 1.0)), 0);
        let mut one = asset(0.5, 0.5);
        one.clips[1] = asset(1.0, 1.0).clips.remove(1);
        assert_eq!(count(&one), 0, "one of two clips is meant to be so");
    }

    #[test]
    fn a_limb_that_all_clips_hold_beside_its_place_is_reported() {
        let moved = |joint: usize, clips: usize, by: Vec3| {
            let mut asset = asset(1.0, 1.0);
            for clip in &mut asset.clips[..clips] {
                let track = clip.channels[joint - 1].translation.as_mut();
                for key in &mut track.expect("the clip holds it").keys {
                    key.value += by;
                }
            }
            findings(&asset, &StretchedBone).len()
        };
        assert_eq!(moved(3, 2, Vec3::X * 0.1), 1);
        assert_eq!(
            moved(3, 1, Vec3::X * 0.1),
            0,
            "another clip holds it where it rests"
        );
        assert_eq!(moved(3, 2, Vec3::X * 0.01), 0, "nobody sees that");
        assert_eq!(
            moved(6, 2, Vec3::X * 0.1),
            0,
            "what hangs on nothing may be a prop"
        );
    }
}
