//! `H321`: skeleton-order.

use crate::lint::analysis::joints;
use crate::lint::rules::hierarchy::contracted::Contracted;
use crate::lint::{Context, Findings, Offence, Rule, declare_rule};

declare_rule! {
    /// ## What it does
    /// Checks that the joints of each skin are in the order of the skeleton, if the skeleton demands one (`ordered = true`).
    ///
    /// Joints that are not in the skeleton may stand anywhere. None of the known skeletons demands an order. `H318` describes
    /// how a skeleton is named.
    ///
    /// ## Why is this bad?
    /// Data that stores joints by number (masks, baked clips, crowds, a game's own format) moves the wrong ones.
    ///
    /// ## How to fix
    /// - Export the joints in the order of the skeleton.
    /// - Blender exports them in the order of the hierarchy, and children in the order of their creation; Maya exports
    ///   them in the order of the Outliner.
    ///
    /// ## References
    /// - glTF 2.0 §5.28: `joints` of a skin are referenced by index.
    SkeletonOrder, "H321", "skeleton-order", Error, requires: "skeleton" = "skeleton = \"mixamo\""
}

impl Rule for SkeletonOrder {
    fn uncheckable(&self, cx: &Context<'_>) -> Option<String> {
        cx.unset(&Self::META, cx.settings.skeleton.is_some(), "no skeleton")
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let contracted = cx.get::<Contracted>();
        let Some(contract) = contracted.fitting().filter(|contract| contract.is_ordered) else {
            return;
        };
        let locations = joints::skin_locations(cx);
        for (id, skin) in joints::skins(cx.asset) {
            let own: Vec<_> = skin
                .joints
                .iter()
                .filter_map(|node| Some((*node, contracted.joint(*node)?)))
                .collect();
            let wrong = own.windows(2).filter(|pair| pair[0].1 > pair[1].1);
            for pair in wrong {
                let [(before, _), (node, joint)] = [pair[0], pair[1]];
                out.add(Offence::of(&locations[id.index()], "joint"), |subject| {
                    let (name, before) = (&contract.name, cx.joint_label(before));
                    let joint = contract.joints[joint].name();
                    (
                        subject.of_joint(node),
                        format!("comes after {before:?}; the skeleton {name} has {joint:?} first"),
                    )
                });
            }
        }
    }
}
