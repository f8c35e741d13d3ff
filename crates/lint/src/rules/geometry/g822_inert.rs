//! `G822`: inert.

use crate::coverage::Coverage;
use crate::rig::{Asset, Clip, Keyed, Location, NodeId};
use crate::units::amount;
use crate::{Context, Findings, Offence, Rule, declare_rule};

/// Fewer nodes that a clip moves, without a skin, are a camera or a light and what carries it.
const SKELETON: usize = 3;

declare_rule! {
    Inert, "G822", "inert", Error, Proved
}

impl Rule for Inert {
    fn conclude(&self, cx: &Context<'_>, coverage: &Coverage, out: &mut Findings) {
        // After the deadline, poses are missing. Files of clips alone are for a model in another file.
        if coverage.vertices.all == 0 || cx.deadline.has_passed() {
            return;
        }
        if let Some(reason) = unbound(cx.asset, coverage).or_else(|| unmoved(cx.asset, coverage)) {
            out.add(Offence::of(&Location::FILE, "file"), |subject| {
                (subject, format!("nothing moves: {reason}"))
            });
        }
    }
}

/// Why no pose can move a vertex, if a skeleton or weights are there without each other, and nothing else moves one.
fn unbound(asset: &Asset, coverage: &Coverage) -> Option<String> {
    let mut carried = asset.bound_joints();
    let joints = carried.iter().filter(|is_bound| **is_bound).count();
    asset.skeleton.hand_down(&mut carried);
    let mut instances = asset.instances.iter();
    let is_attached = instances.any(|own| own.skin.is_none() && carried[own.node.index()]);
    if coverage.joints.all > 0 || coverage.vertices.moved > 0 || is_attached {
        return None;
    }
    let mut instances = asset.instances.iter();
    let has_weights = instances.any(|own| !asset.mesh_of(own).influences.is_empty());
    if joints > 0 {
        Some(format!(
            "no vertex has a weight on any of the {}",
            amount(joints, "joint")
        ))
    } else {
        has_weights.then(|| "vertices have weights, but no skin names their joints".to_owned())
    }
}

/// Why no clip moves a vertex, if there are clips with motion.
fn unmoved(asset: &Asset, coverage: &Coverage) -> Option<String> {
    let is_unmoved = |own: &crate::CheckedClip| !own.moves && own.poses > 0;
    if !coverage.clips.iter().all(is_unmoved) {
        return None;
    }
    let mut nodes: Vec<NodeId> = asset.clips.iter().flat_map(moved_nodes).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let clips = match asset.clips.len() {
        1 => "its clip moves".to_owned(),
        count => format!("its {count} clips move"),
    };
    let moved = amount(nodes.len(), "node");
    match (nodes.len(), coverage.joints.all) {
        (1.., joints @ 1..) => Some(format!(
            "{clips} {moved}, and none of the {} that vertices follow",
            amount(joints, "joint")
        )),
        (SKELETON.., 0) => Some(format!(
            "{clips} {moved}, and no vertex follows any of them"
        )),
        _ => None,
    }
}

/// The nodes that a clip moves from one key to another.
fn moved_nodes(clip: &Clip) -> impl Iterator<Item = NodeId> {
    let varies = |track: &dyn Keyed| {
        let mut keys = 1..track.count();
        keys.any(|key| track.value(key) != track.value(0))
    };
    let moving = clip.drivers().filter(move |driver| varies(driver.track));
    moving.map(|driver| driver.joint)
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;
    use crate::Settings;
    use crate::pose::rigs::{clip, named_joint};
    use crate::rig::{Influences, Skeleton};
    use crate::testing::{arm, rotating};

    /// What the rule says of a model.
    fn said(asset: &Asset) -> Vec<String> {
        let settings = Settings::default();
        let cx = Context::new(asset, "model.glb".as_ref(), &settings);
        let findings = crate::check(&cx).findings.into_iter();
        let inert = findings.filter(|finding| finding.code == Inert::META.code);
        inert.map(|finding| finding.message).collect()
    }

    fn turning() -> Asset {
        rotating(arm(), Quat::from_rotation_z(1.0))
    }

    /// With nodes beside the arm, which its clip moves instead of the elbow.
    fn beside(mut asset: Asset, nodes: u32) -> Asset {
        let mut all = asset.skeleton.nodes().to_vec();
        let (rest, first) = (all[0].rest, 2);
        for index in 0..nodes {
            all.push(named_joint(
                "control",
                index.checked_sub(1).map(|above| first + above),
                rest,
            ));
        }
        asset.skeleton = Skeleton::new(all).expect("parents come first");
        let channel = asset.clips[0].channels.remove(0);
        for index in 0..nodes {
            let mut own = channel.clone();
            own.node = NodeId(first + index);
            asset.clips[0].channels.push(own);
        }
        asset
    }

    fn unskinned(mut asset: Asset) -> Asset {
        asset.instances[0].skin = None;
        asset.skins.clear();
        asset.meshes[0].influences = Influences::default();
        asset
    }

    #[test]
    fn a_model_that_some_pose_moves_is_not_inert() {
        let mut empty = arm();
        empty.clips.push(clip("Take 001", 0.0, 1.0));
        for asset in [turning(), arm(), empty] {
            assert!(said(&asset).is_empty());
        }
    }

    #[test]
    fn a_mesh_that_is_not_bound_to_its_skeleton_is() {
        let mut without_weights = arm();
        without_weights.meshes[0].influences = Influences::default();
        let mut without_skin = arm();
        without_skin.instances[0].skin = None;
        for mut asset in [without_weights, without_skin] {
            // Next to the joints, not below one.
            let mut nodes = asset.skeleton.nodes().to_vec();
            nodes.push(named_joint("mesh", None, nodes[0].rest));
            asset.skeleton = Skeleton::new(nodes).expect("parents come first");
            asset.instances[0].node = NodeId(2);
            assert_eq!(
                said(&asset),
                ["nothing moves: no vertex has a weight on any of the 2 joints"]
            );
        }
        let mut weights_alone = arm();
        weights_alone.instances[0].skin = None;
        weights_alone.skins.clear();
        assert_eq!(
            said(&weights_alone),
            ["nothing moves: vertices have weights, but no skin names their joints"]
        );
    }

    #[test]
    fn clips_that_move_other_nodes_make_it_inert() {
        assert_eq!(
            said(&beside(turning(), 1)),
            ["nothing moves: its clip moves 1 node, and none of the 2 joints that vertices follow"]
        );
        assert_eq!(
            said(&beside(unskinned(turning()), 3)),
            ["nothing moves: its clip moves 3 nodes, and no vertex follows any of them"]
        );
    }

    #[test]
    fn one_clip_of_several_that_moves_a_vertex_is_enough() {
        let mut asset = beside(turning(), 1);
        let mut moving = turning().clips.remove(0);
        moving.name = "wave".into();
        asset.clips.push(moving);
        assert!(said(&asset).is_empty());
    }

    #[test]
    fn a_prop_and_its_camera_are_not_inert() {
        let mut prop = unskinned(arm());
        assert!(said(&prop).is_empty());
        prop.clips.push(clip("Take 001", 0.0, 1.0));
        assert!(said(&prop).is_empty());
        assert!(said(&beside(unskinned(turning()), 2)).is_empty());
    }

    #[test]
    fn a_clip_of_one_pose_is_no_motion() {
        let mut asset = turning();
        let channel = &mut asset.clips[0].channels[0];
        let rotation = channel.rotation.as_mut().expect("it rotates");
        for key in &mut rotation.keys {
            key.value = Quat::IDENTITY;
        }
        assert!(said(&asset).is_empty());
    }
}
