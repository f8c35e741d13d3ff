//! `H322`: skeleton-joint-unknown.

use crate::lint::analysis::joints;
use crate::lint::analysis::naming::is_end;
use crate::lint::rules::hierarchy::contracted::Contracted;
use crate::lint::{Context, Findings, Rule, declare_rule};
use crate::rig::NodeId;

declare_rule! {
    /// ## What it does
    /// Lists the joints of skins that the skeleton does not name. End bones do not count.
    ///
    /// `H318` describes how a skeleton is named.
    ///
    /// ## Why is this bad?
    /// Clips that are made for the skeleton leave these joints in their rest pose. Joints for hair, cloth or props are
    /// meant to be extra. A misspelled joint, or one of a control rig, is not.
    ///
    /// ## How to fix
    /// - Rename the joint if it stands for one of the skeleton.
    /// - Exclude joints of the control rig from the export.
    /// - Add the joint to your own skeleton file, with ` ?` after its name.
    ///
    /// ## References
    /// - The `source` of each known skeleton: docs/presets.md, *Skeletons*.
    SkeletonJointUnknown, "H322", "skeleton-joint-unknown", Info, requires: "skeleton" = "skeleton = \"mixamo\""
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
