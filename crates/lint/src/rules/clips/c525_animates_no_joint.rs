//! `C525`: animates-no-joint.

use glam::Vec3;

use crate::analysis::joints::add_ancestors;
use crate::analysis::topology::topology;
use crate::finding::Finding;
use crate::rig::{Channel, Clip, MorphTarget};
use crate::rules::clips::c501_empty_clip::is_empty;
use crate::rules::clips::deformers::carrying;
use crate::shown::escaped;
use crate::{Context, Findings, Follows, Offence, Rule, Through, declare_rule, follows};

declare_rule! {
    AnimatesNoJoint, "C525", "animates-no-joint", Hint, Judged
}

impl Rule for AnimatesNoJoint {
    fn follows_from(&self) -> &'static [Follows] {
        follows![Through::Clips => ["C518", "C519"], Through::If(lacks_weights) => ["W104"]]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        if cx.asset.instances.is_empty() {
            return;
        }
        let carrying = carrying(cx.asset);
        let moves = |clip: &Clip| {
            let mut driven = clip.channels.iter().map(|channel| channel.node);
            let morphs = !clip.morph_channels.is_empty() || !clip.expression_channels.is_empty();
            morphs || driven.any(|joint| carrying[joint.index()])
        };
        for clip in &cx.asset.clips {
            report_empty_targets(cx, clip, out);
        }
        let has_motion = cx.asset.clips.iter().any(moves);
        for clip in cx.asset.clips.iter().filter(|clip| !is_empty(clip)) {
            if moves(clip) {
                continue;
            }
            let is_top = |channel: &Channel| cx.asset.skeleton[channel.node].parent.is_none();
            let is_leftover = has_motion && clip.channels.iter().all(is_top);
            let group = cx.clip(clip);
            let offence = Offence::of(&group, "clip").info_if(is_leftover);
            out.add(offence, |subject| {
                let subject = match clip.drivers().next() {
                    Some(first) => subject.joint_id(first.joint),
                    None => subject,
                };
                (subject, "moves no mesh".to_owned())
            });
        }
    }
}

/// Reports the morph targets that a clip shows although they move nothing: an exporter has emptied them.
fn report_empty_targets(cx: &Context<'_>, clip: &Clip, out: &mut Findings) {
    for channel in &clip.morph_channels {
        for instance in cx
            .asset
            .instances
            .iter()
            .filter(|own| own.node == channel.node)
        {
            let targets = &cx.asset.mesh_of(instance).morph_targets;
            let is_still = |target: &MorphTarget| {
                let mut offsets = target.positions.iter().chain(&target.normals);
                offsets.all(|offset| *offset == Vec3::ZERO)
            };
            let is_shown = |index: usize| {
                let mut keys = channel.weights.keys.iter();
                keys.any(|key| key.value.get(index).is_some_and(|weight| *weight != 0.0))
            };
            // A mesh of several parts has the same targets in each, most of which move only one of them.
            let is_of_one = targets.len() == 1 || targets.iter().any(|target| !is_still(target));
            let is_part = cx
                .asset
                .instances
                .iter()
                .filter(|own| own.node == channel.node)
                .count()
                > 1;
            let still = targets.iter().enumerate();
            for (index, target) in
                still.filter(|(index, target)| is_still(target) && is_shown(*index))
            {
                if is_part || !is_of_one {
                    continue;
                }
                let group = cx.clip(clip).part("target");
                out.add(Offence::of(&group, "target"), |_| {
                    let name = escaped(&target.name);
                    let message =
                        format!("it shows morph target {index} \"{name}\", which moves nothing");
                    (cx.clip(clip).joint_id(channel.node), message)
                });
            }
        }
    }
}

/// Whether no vertex of the mesh that `cause` names has a weight, and the clip of `own` moves a joint of its skin.
fn lacks_weights(cx: &Context<'_>, cause: &Finding, own: &Finding) -> bool {
    let (Some(id), Some(clip)) = (cause.location.ids.instance, own.location.ids.clip) else {
        return false;
    };
    let (instance, clip) = (&cx.asset[id], &cx.asset[clip]);
    let used = topology(cx, instance.mesh).used.iter();
    let has_none = cause.affected.vertices_of(id).len() >= used.filter(|used| **used).count();
    let joints = cx.asset.skin_of(instance).map(|skin| &skin.joints);
    let mut carries = vec![false; cx.asset.skeleton.len()];
    for joint in joints.into_iter().flatten() {
        carries[joint.index()] = true;
    }
    add_ancestors(cx.asset, &mut carries);
    let mut driven = clip.channels.iter();
    has_none && driven.any(|channel| carries[channel.node.index()])
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;
    use crate::finding::Level;
    use crate::pose::rigs::named_joint;
    use crate::rig::{MorphChannel, NodeId, Skeleton, Track};
    use crate::testing::{arm, findings, rotating};

    #[test]
    fn a_target_that_a_clip_shows_moves_something() {
        let count = |offset: Vec3, weight: f32| {
            let mut asset = rotating(arm(), Quat::from_rotation_z(0.4));
            let positions = vec![offset; asset.meshes[0].positions.len()];
            asset.meshes[0].morph_targets = vec![MorphTarget {
                name: "Smile".into(),
                positions,
                ..MorphTarget::default()
            }];
            asset.instances[0].morph_weights = vec![0.0];
            let weights = [0.0, weight].map(|weight| vec![weight]);
            let keys = [0.0, 1.0].into_iter().zip(weights);
            asset.clips[0].morph_channels.push(MorphChannel {
                node: NodeId(0),
                weights: Track::linear(keys),
            });
            findings(&asset, &AnimatesNoJoint).len()
        };
        assert_eq!(count(Vec3::ZERO, 1.0), 1);
        assert_eq!(count(Vec3::X, 1.0), 0);
        assert_eq!(count(Vec3::ZERO, 0.0), 0, "it is not shown");
    }

    #[test]
    fn the_leftover_clip_of_a_camera_is_an_info() {
        let level = |parent: Option<u32>, has_motion: bool| {
            let mut asset = rotating(arm(), Quat::from_rotation_z(0.4));
            let mut joints = asset.skeleton.nodes().to_vec();
            let rest = joints[0].rest;
            joints.push(named_joint("rig", None, rest));
            joints.push(named_joint("camera", parent, rest));
            asset.skeleton = Skeleton::new(joints).expect("parents come first");
            let mut leftover = asset.clips[0].clone();
            leftover.name = "leftover".into();
            leftover.channels[0].node = NodeId(3);
            if !has_motion {
                asset.clips.clear();
            }
            asset.clips.push(leftover);
            findings(&asset, &AnimatesNoJoint)[0].level
        };
        assert_eq!(level(None, true), Level::Info);
        assert_eq!(level(Some(2), true), Level::Hint, "a control rig");
        assert_eq!(level(None, false), Level::Hint, "no clip moves the arm");
    }
}
