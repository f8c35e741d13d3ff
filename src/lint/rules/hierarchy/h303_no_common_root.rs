//! `H303`: no-common-root.

use std::collections::BTreeSet;

use crate::lint::analysis::joints;
use crate::lint::{Context, Findings, Offence, Rule, declare_rule};
use crate::rig::{Format, NodeId};

declare_rule! {
    /// ## What it does
    /// Checks that all joints of a glTF skin descend from one node or one joint.
    ///
    /// The scene is not a node: joints below two different root nodes of the scene have no common root. Other formats
    /// have a root of their own above everything, or allow several; see `H309`.
    ///
    /// ## Why is this bad?
    /// glTF requires a common root, and engines use it to find the skeleton. Some refuse the file. Others take the
    /// first joint's tree and leave all other joints, and their vertices, in the rest pose.
    ///
    /// ## How to fix
    /// - Put all joints of the skin below one node.
    /// - Blender: bones of two armatures deform one mesh; join the armatures (*Ctrl+J*).
    /// - Maya: group the root joints, and export the group with them.
    /// - Exporters: write one node above all joints, and name it as the skin's `skeleton`.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.3.2 "Joint Hierarchy"; glTF-Validator `SKIN_NO_COMMON_ROOT`.
    NoCommonRoot, "H303", "no-common-root", Error
}

impl Rule for NoCommonRoot {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        if cx.asset.format != Format::Gltf {
            return;
        }
        let roots = joints::roots(cx.asset);
        let locations = joints::skin_locations(cx);
        for (id, skin) in joints::skins(cx.asset) {
            let (count, stray) = trees(&roots, &skin.joints);
            let Some(stray) = stray else { continue };
            let group = &locations[id.index()];
            out.add(Offence::of(group, "skin"), |subject| {
                let message = format!("its joints are in {count} trees without a common root");
                (subject.of_joint(stray), message)
            });
        }
    }
}

/// The number of trees that contain `joints`, and the first joint outside the first one's tree.
fn trees(roots: &[NodeId], joints: &[NodeId]) -> (usize, Option<NodeId>) {
    let root = |joint: &NodeId| roots[joint.index()];
    let trees: BTreeSet<NodeId> = joints.iter().map(root).collect();
    let first = joints.first().map(root);
    let mut strays = joints.iter().filter(|joint| Some(root(joint)) != first);
    (trees.len(), strays.next().copied())
}
