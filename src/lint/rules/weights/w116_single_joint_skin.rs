//! `W116`: single-joint-skin.

use crate::lint::analysis::joints;
use crate::lint::rules::rule::declare_rule;
use crate::lint::{Context, Findings, Offence, Rule};

declare_rule! {
    /// ## What it does
    /// Looks for skins of several joints where a single joint has all the weight, in all meshes that use the skin.
    ///
    /// ## Why is this bad?
    /// The mesh does not bend. It could be a plain mesh parented to the joint, which is cheaper and exact. If it was
    /// meant to bend, its weights are lost. Often they were cut to the first influence, or every vertex was assigned to
    /// the root because there were no weights.
    ///
    /// ## How to fix
    /// - Parent the mesh to the joint if it is rigid, and bind it again if it should bend.
    /// - Rigid (a helmet, a weapon): in Blender *Ctrl P → Bone*; in Maya parent the mesh to the joint.
    /// - Bending: bind again, or transfer the weights from the original model.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.3 (a mesh may be attached to a joint's node as to any other).
    SingleJointSkin, "W116", "single-joint-skin", Warning, attribute: "JOINTS_0"
}

impl Rule for SingleJointSkin {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let mut pulling: Vec<Vec<bool>> = Vec::new();
        pulling.extend(
            cx.asset
                .skins
                .iter()
                .map(|skin| vec![false; skin.joints.len()]),
        );
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
            let group = joints::skin_location(cx, use_.skin_id).of_joint(joint);
            out.add(Offence::of(&group, "skin"), |subject| {
                let message = format!("all weight is on this one of its {count} joints");
                (subject, message)
            });
        }
    }
}
