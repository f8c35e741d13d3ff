//! `C525`: animates-no-joint.

use crate::analysis::joints::add_ancestors;
use crate::analysis::topology::topology;
use crate::finding::Finding;
use crate::rig::{Channel, Clip};
use crate::rules::clips::c501_empty_clip::is_empty;
use crate::rules::clips::deformers::carrying;
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
    use crate::rig::{NodeId, Skeleton};
    use crate::testing::{arm, findings, rotating};

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
