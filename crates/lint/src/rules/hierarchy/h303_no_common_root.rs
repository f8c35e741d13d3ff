//! `H303`: no-common-root.

use crate::analysis::joints;
use crate::lists::distinct;
use crate::rig::{Format, NodeId};
use crate::{Context, Findings, Offence, Rule, declare_rule};

declare_rule! {
    NoCommonRoot, "H303", "no-common-root", Error, Proved
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
                (subject.joint_id(stray), message)
            });
        }
    }
}

/// The number of trees that contain `joints`, and the first joint outside the first one's tree.
fn trees(roots: &[NodeId], joints: &[NodeId]) -> (usize, Option<NodeId>) {
    let root = |joint: &NodeId| roots[joint.index()];
    let trees = distinct(joints.iter().map(root));
    let first = joints.first().map(root);
    let mut strays = joints.iter().filter(|joint| Some(root(joint)) != first);
    (trees.len(), strays.next().copied())
}
