//! `H318`: skeleton-joint-missing.

use crate::lint::rules::hierarchy::contracted::{Contracted, found_of};
use crate::lint::{
    Context, Contract, Findings, Follows, Offence, Required, Rule, Subject, Through, contracts,
    declare_rule, follows,
};
use crate::names::nearest;
use crate::units::first_few;

declare_rule! {
    SkeletonJointMissing, "H318", "skeleton-joint-missing", Error,
    requires = Some(Required { key: "skeleton", example: "skeleton = \"mixamo\"" })
}

/// Most joints that the message names.
const MOST_NAMED: usize = 5;

impl Rule for SkeletonJointMissing {
    fn uncheckable(&self, cx: &Context<'_>) -> Option<String> {
        cx.unset(&Self::META, cx.settings.skeleton.is_some(), "no skeleton")
    }

    fn follows_from(&self) -> &'static [Follows] {
        follows![Through::Model => ["H317"]]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let Some(contract) = cx.settings.skeleton.as_deref() else {
            return;
        };
        // Clips and props without a skeleton are for a model elsewhere.
        if cx.asset.skins.is_empty() {
            return;
        }
        let contracted = cx.get::<Contracted>();
        let joints = contract.joints.iter().enumerate();
        let missing =
            joints.filter(|(joint, own)| !own.is_optional && contracted.node(*joint).is_none());
        let missing: Vec<&str> = missing.map(|(_, own)| own.name()).collect();
        if missing.is_empty() {
            return;
        }
        let group = Subject::FILE;
        let offence = Offence::of_all(&group, "joint");
        out.add_many(offence, missing.len(), |subject| {
            let message = if contracted.fits {
                lacks(cx, contract, &missing)
            } else {
                differs(cx, contract, contracted.found())
            };
            (subject, message)
        });
    }
}

fn lacks(cx: &Context<'_>, contract: &Contract, missing: &[&str]) -> String {
    let named = missing.iter().map(|name| format!("{name:?}"));
    let named = first_few(named, MOST_NAMED);
    let names = cx
        .asset
        .skeleton
        .nodes()
        .iter()
        .map(|node| node.name.as_str());
    let hint = missing
        .first()
        .and_then(|name| nearest(name, names))
        .map_or_else(String::new, |name| {
            format!("; is {name:?} meant to be {:?}?", missing[0])
        });
    format!(
        "lacks joints of the skeleton {}: {named}{hint}",
        contract.name
    )
}

fn differs(cx: &Context<'_>, contract: &Contract, found: usize) -> String {
    let known = contracts().map(|known| (found_of(cx.asset, known), known));
    let fitting = known.filter(|(found, known)| 10 * found >= 9 * known.required());
    let best = fitting.max_by_key(|(_, known)| known.required());
    let hint = best.map_or_else(String::new, |(_, known)| {
        format!("; its joints are those of {}", known.name)
    });
    format!(
        "does not have the skeleton {}: it has {found} of the {} required joints{hint}",
        contract.name,
        contract.required()
    )
}
