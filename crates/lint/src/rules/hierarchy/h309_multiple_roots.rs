//! `H309`: multiple-roots.

use crate::analysis::joints;
use crate::lists::distinct;
use crate::rig::{Asset, Format, NodeId, Skin};
use crate::{Context, Findings, Offence, Rule, declare_rule};

declare_rule! {
    MultipleRoots, "H309", "multiple-roots", Info, Proved
}

impl Rule for MultipleRoots {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let root_of = joints::roots(cx.asset);
        let is_gltf = cx.asset.format == Format::Gltf;
        let highest = highest_bound(cx.asset);
        let locations = joints::skin_locations(cx);
        for (id, skin) in joints::skins(cx.asset) {
            let trees = all(skin, &root_of);
            // In glTF, H303 reports several trees.
            let roots = match (is_gltf, trees.len()) {
                (true, 1) => all(skin, &highest),
                (true, _) => continue,
                (false, _) => trees,
            };
            let [first, _, ..] = roots[..] else { continue };
            let group = &locations[id.index()];
            out.add_many(Offence::of_all(group, "root"), roots.len(), |subject| {
                let message = format!("{} roots{}", roots.len(), joints::also(cx, &roots));
                (subject.joint_id(first), message)
            });
        }
    }
}

/// What `of` says of the joints of `skin`, each once.
fn all(skin: &Skin, of: &[NodeId]) -> Vec<NodeId> {
    distinct(skin.joints.iter().map(|joint| of[joint.index()]))
}

/// For each joint, its topmost bound ancestor, or itself.
fn highest_bound(asset: &Asset) -> Vec<NodeId> {
    let bound = asset.bound_joints();
    let mut highest: Vec<Option<NodeId>> = Vec::with_capacity(bound.len());
    for (id, joint) in asset.skeleton.iter() {
        let above = joint.parent.and_then(|parent| highest[parent.index()]);
        highest.push(above.or(bound[id.index()].then_some(id)));
    }
    let ids = (0..bound.len()).map(NodeId::from_index);
    ids.zip(highest)
        .map(|(id, highest)| highest.unwrap_or(id))
        .collect()
}
