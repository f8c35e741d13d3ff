//! `H322`: skeleton-joint-unknown.

use crate::lint::analysis::joints;
use crate::lint::analysis::naming::is_end;
use crate::lint::rules::hierarchy::contracted::Contracted;
use crate::lint::{Context, Findings, Required, Rule, declare_rule};
use crate::rig::NodeId;

declare_rule! {
    SkeletonJointUnknown, "H322", "skeleton-joint-unknown", Info,
    requires = Some(Required { key: "skeleton", example: "skeleton = \"mixamo\"" })
}

impl Rule for SkeletonJointUnknown {
    fn uncheckable(&self, cx: &Context<'_>) -> Option<String> {
        cx.unset(&Self::META, cx.settings.skeleton.is_some(), "no skeleton")
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let contracted = cx.get::<Contracted>();
        let Some(contract) = contracted.fitting() else {
            return;
        };
        let (known, bound) = (contracted.all(), cx.asset.bound_joints());
        let is_extra =
            |node: &NodeId| bound[node.index()] && !known.contains(node) && !is_end(cx, *node);
        let nodes = joints::nodes(cx.asset);
        joints::report_by_skin(cx, out, nodes.filter(is_extra), |_| {
            format!("is not in the skeleton {}", contract.name)
        });
    }
}
