//! `H319`: skeleton-parent.

use std::collections::BTreeMap;

use crate::lint::analysis::joints;
use crate::lint::analysis::joints::is_below;
use crate::lint::rules::hierarchy::contracted::Contracted;
use crate::lint::{Context, Findings, Follows, Required, Rule, Through, declare_rule, follows};

declare_rule! {
    SkeletonParent, "H319", "skeleton-parent", Error,
    requires = Some(Required { key: "skeleton", example: "skeleton = \"mixamo\"" })
}

impl Rule for SkeletonParent {
    fn uncheckable(&self, cx: &Context<'_>) -> Option<String> {
        cx.unset(&Self::META, cx.settings.skeleton.is_some(), "no skeleton")
    }

    fn follows_from(&self) -> &'static [Follows] {
        follows![Through::Model => ["H317"]]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let contracted = cx.get::<Contracted>();
        let Some(contract) = contracted.fitting() else {
            return;
        };
        let mut wrong = BTreeMap::new();
        for joint in 0..contract.joints.len() {
            let above = contracted.above(contract, joint);
            if let (Some(node), Some((above, parent))) = (contracted.node(joint), above)
                && node != parent
                && !is_below(cx.asset, node, parent)
            {
                wrong.insert(node, contract.joints[above].name());
            }
        }
        joints::report_by_skin(cx, out, wrong.keys().copied(), |node| {
            let (expected, name) = (wrong[&node], &contract.name);
            let parent = cx.asset.skeleton[node].parent;
            let found = parent.map_or_else(
                || "no joint".to_owned(),
                |parent| format!("{:?}", cx.joint_label(parent)),
            );
            format!("is below {found}; the skeleton {name} has it below {expected:?}")
        });
    }
}
