//! `H308`: joint-limit.

use std::collections::BTreeSet;

use crate::lint::analysis::joints;
use crate::lint::rules::rule::declare_rule;
use crate::lint::{Context, Findings, Offence, Rule};

declare_rule! {
    /// ## What it does
    /// Checks that no skin has more joints than the profile's limit.
    ///
    /// Without a profile, or with a profile without a limit, nothing is checked.
    ///
    /// ## Why is this bad?
    /// The shader gets one matrix per joint, in a buffer of fixed size. Engines refuse a larger skin, split the mesh
    /// into several draws, or drop the last joints, whose vertices then stay behind or collapse to the origin.
    ///
    /// ## How to fix
    /// - Remove end bones and unused joints. `H306` and `H305` report them.
    /// - Split the mesh into parts, each with its own skin of only the joints it uses.
    /// - Engines: raise the limit where it can be set.
    ///
    /// ## References
    /// - The source of each profile's limit, in the table of profiles.
    JointLimit, "H308", "joint-limit", Warning
}

impl Rule for JointLimit {
    fn uncheckable(&self, cx: &Context<'_>) -> Option<String> {
        let profile = cx.settings.profile;
        let limit = profile.and_then(|profile| profile.max_joints);
        cx.unset(
            &Self::META,
            limit.is_some(),
            "no profile that limits joints",
        )
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let Some(profile) = cx.settings.profile else {
            return;
        };
        let Some(limit) = profile.max_joints else {
            return;
        };
        let locations = joints::skin_locations(cx);
        for (id, skin) in joints::skins(cx.asset) {
            let count = skin.joints.iter().collect::<BTreeSet<_>>().len();
            let count = u32::try_from(count).unwrap_or(u32::MAX);
            if count <= limit {
                continue;
            }
            let group = &locations[id.index()];
            let offence = Offence::above(group, "skin", count.into(), limit.into());
            out.add(offence, |location| {
                let title = profile.title;
                (
                    location,
                    format!("{count} joints; {title} supports {limit}"),
                )
            });
        }
    }
}
