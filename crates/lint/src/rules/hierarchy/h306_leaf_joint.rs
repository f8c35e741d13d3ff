//! `H306`: leaf-joint.

use crate::analysis::joints;
use crate::analysis::naming;
use crate::rig::{Asset, NodeId};
use crate::{Context, Findings, Rule, declare_rule};

declare_rule! {
    LeafJoint, "H306", "leaf-joint", Info, Judged
}

impl Rule for LeafJoint {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let (bound, followed) = (cx.asset.bound_joints(), joints::followed(cx.asset));
        let carries = carries(cx.asset);
        let is_end = |joint: &NodeId| {
            let parent = cx.asset.skeleton.get(*joint).and_then(|joint| joint.parent);
            let of_skin = bound[joint.index()] || parent.is_some_and(|p| bound[p.index()]);
            let moves = followed[joint.index()] || carries[joint.index()];
            of_skin && !moves && naming::is_end(cx, *joint)
        };
        let all = joints::nodes(cx.asset);
        joints::report_by_skin(cx, out, all.filter(is_end), |_| {
            "an end bone without weights".to_owned()
        });
    }
}

/// Whether a joint has a child or a mesh.
fn carries(asset: &Asset) -> Vec<bool> {
    let mut carries = vec![false; asset.skeleton.len()];
    let parents = asset
        .skeleton
        .nodes()
        .iter()
        .filter_map(|joint| joint.parent);
    let shown = asset.instances.iter().map(|instance| instance.node);
    for joint in parents.chain(shown) {
        carries[joint.index()] = true;
    }
    carries
}
