//! `H321`: skeleton-order.

use crate::lint::analysis::joints;
use crate::lint::rules::hierarchy::contracted::Contracted;
use crate::lint::{Context, Findings, Offence, Required, Rule, declare_rule};

declare_rule! {
    SkeletonOrder, "H321", "skeleton-order", Error,
    requires = Some(Required { key: "skeleton", example: "skeleton = \"mixamo\"" })
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
