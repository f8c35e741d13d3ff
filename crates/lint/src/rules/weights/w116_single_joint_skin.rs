//! `W116`: single-joint-skin.

use crate::analysis::joints;
use crate::analysis::naming::is_control;
use crate::rig::NodeId;
use crate::{Context, Findings, Offence, Rule, declare_rule};

declare_rule! {
    SingleJointSkin, "W116", "single-joint-skin", Hint, Judged, attribute = Some("JOINTS_0")
}

/// That many joints in a row are a limb.
const ROW: usize = 3;

impl Rule for SingleJointSkin {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let mut pulling: Vec<Vec<bool>> = Vec::new();
        pulling.extend(
            cx.asset
                .skins
                .iter()
                .map(|skin| vec![false; skin.joints.len()]),
        );
        let parents = joints::bound_parents(cx.asset);
        let skinned = joints::skinned(cx.asset);
        for use_ in &skinned {
            for influence in use_.mesh.influences.all() {
                pulling[use_.skin_id.index()][influence.slot.index()] |= influence.weight != 0.0;
            }
        }
        for use_ in &skinned {
            // One finding for all meshes, since a location for each would add nothing.
            let pulling = std::mem::take(&mut pulling[use_.skin_id.index()]);
            let mut slots = pulling
                .iter()
                .zip(&use_.skin.joints)
                .filter(|(influences, _)| **influences);
            let (Some((_, &joint)), None) = (slots.next(), slots.next()) else {
                continue;
            };
            let count = use_.skin.joints.len();
            if count < 2 {
                continue;
            }
            let above = |joint: &NodeId| parents[joint.index()];
            let is_row = |joint: &NodeId| {
                let row = std::iter::successors(Some(*joint), above).take(ROW);
                row.filter(|own| !is_control(cx.joint_name(*own))).count() == ROW
            };
            let bends = use_.skin.joints.iter().any(is_row);
            let group = joints::skin_location(cx, use_.skin_id).joint_id(joint);
            let offence = Offence::of(&group, "skin").info_if(!bends);
            out.add(offence, |subject| {
                let message = format!("all weight is on this one of its {count} joints");
                (subject, message)
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Level;
    use crate::pose::rigs::{asset_of, named_joint};
    use crate::rig::{Asset, Influence, Influences, Skin, SkinSlot};
    use crate::testing::{arm, findings};

    /// The level of a mesh that follows the first of three joints.
    fn level(names: [&str; 3], parents: [u32; 2]) -> Level {
        let own = arm();
        let rest = own.skeleton[NodeId(0)].rest;
        let parents = [None, Some(parents[0]), Some(parents[1])];
        let joints = names
            .iter()
            .zip(parents)
            .map(|(name, parent)| named_joint(name, parent, rest));
        let mut asset = Asset {
            skeleton: asset_of(joints.collect()).skeleton,
            ..own
        };
        let skin = &asset.skins[0];
        asset.skins = vec![Skin {
            joints: (0..3).map(NodeId).collect(),
            inverse_bind_matrices: vec![skin.inverse_bind_matrices[0]; 3],
            ..skin.clone()
        }];
        let mesh = &mut asset.meshes[0];
        let whole = mesh
            .positions
            .iter()
            .map(|_| [Influence::new(SkinSlot(0), 1.0)]);
        mesh.influences = Influences::from_vertices(whole);
        findings(&asset, &SingleJointSkin)[0].level
    }

    #[test]
    fn a_rigid_object_with_sockets_is_an_info() {
        let names = ["root", "muzzle", "loop"];
        assert_eq!(level(names, [0, 0]), Level::Info);
        assert_eq!(level(names, [0, 1]), Level::Hint);
        let named = ["root", "tag_weapon", "shot"];
        assert_eq!(level(named, [0, 1]), Level::Info);
    }
}
