//! `H318`: skeleton-mismatch.

mod sides;

use crate::analysis::joints::{self, is_below};
use crate::analysis::naming::is_end;
use crate::finding::Finding;
use crate::names::nearest;
use crate::rig::{Location, NodeId};
use crate::rules::hierarchy::contracted::{Contracted, found_of};
use crate::units::first_few;
use crate::{
    Context, Contract, Findings, Follows, Offence, Required, Rule, Through, contracts,
    declare_rule, follows,
};

declare_rule! {
    SkeletonMismatch, "H318", "skeleton-mismatch", Error, Proved,
    requires = Some(Required { key: "skeleton", example: "skeleton = \"mixamo\"" })
}

/// Most joints that the message names.
const MOST_NAMED: usize = 5;

impl Rule for SkeletonMismatch {
    fn uncheckable(&self, cx: &Context<'_>) -> Option<String> {
        cx.unset(&Self::META, cx.settings.skeleton.is_some(), "no skeleton")
    }

    fn follows_from(&self) -> &'static [Follows] {
        follows![Through::If(is_same_joint) => ["H317", "H314"]]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        // Clips and props without a skeleton are for a model elsewhere.
        let Some(contract) = cx.settings.skeleton.as_deref() else {
            return;
        };
        if cx.asset.skins.is_empty() {
            return;
        }
        let contracted = cx.get::<Contracted>();
        report_missing(cx, contract, contracted, out);
        if contracted.fits {
            report_parents(cx, contract, contracted, out);
            sides::report(cx, contract, contracted, out);
            if contract.is_ordered {
                report_order(cx, contract, contracted, out);
            }
            report_unknown(cx, contract, contracted, out);
        }
    }
}

/// Whether both are about the same joint: what is wrong about it by its names and parents differs from the skeleton, too.
fn is_same_joint(_: &Context<'_>, cause: &Finding, own: &Finding) -> bool {
    let [cause, own] = [cause, own].map(|finding| finding.location.ids.node);
    own.is_some() && cause == own
}

/// Reports the required joints that the model lacks.
fn report_missing(
    cx: &Context<'_>,
    contract: &Contract,
    contracted: &Contracted,
    out: &mut Findings,
) {
    let joints = contract.joints.iter().enumerate();
    let missing =
        joints.filter(|(joint, own)| !own.is_optional && contracted.node(*joint).is_none());
    let missing: Vec<&str> = missing.map(|(_, own)| own.name()).collect();
    if missing.is_empty() {
        return;
    }
    let group = Location::FILE;
    out.add_many(Offence::of_all(&group, "joint"), missing.len(), |subject| {
        let message = if contracted.fits {
            lacks(cx, contract, &missing)
        } else {
            differs(cx, contract, contracted.found())
        };
        (subject, message)
    });
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

/// Reports joints that are not below the joint that the skeleton puts above them.
fn report_parents(
    cx: &Context<'_>,
    contract: &Contract,
    contracted: &Contracted,
    out: &mut Findings,
) {
    let mut expected_above = vec![""; cx.asset.skeleton.len()];
    for joint in 0..contract.joints.len() {
        let above = contracted.above(contract, joint);
        if let (Some(node), Some((above, parent))) = (contracted.node(joint), above)
            && node != parent
            && !is_below(cx.asset, node, parent)
        {
            expected_above[node.index()] = contract.joints[above].name();
        }
    }
    let nodes = joints::nodes(cx.asset).filter(|node| !expected_above[node.index()].is_empty());
    joints::report_kind_by_skin(cx, out, "parent", nodes, |node| {
        let (expected, name) = (expected_above[node.index()], &contract.name);
        let parent = cx.asset.skeleton[node].parent;
        let found = parent.map_or_else(
            || "no joint".to_owned(),
            |parent| format!("{:?}", cx.joint_label(parent)),
        );
        format!("is below {found}; the skeleton {name} has it below {expected:?}")
    });
}

/// Reports joints of skins that come after a joint that the skeleton has behind them.
fn report_order(
    cx: &Context<'_>,
    contract: &Contract,
    contracted: &Contracted,
    out: &mut Findings,
) {
    for (_, skin) in joints::skins(cx.asset) {
        let known = skin.joints.iter();
        let known: Vec<_> = known
            .filter_map(|node| Some((*node, contracted.joint(*node)?)))
            .collect();
        // The joint before each wrong one, which comes after it in the skeleton.
        let mut before = vec![None; cx.asset.skeleton.len()];
        for pair in known.windows(2).filter(|pair| pair[0].1 > pair[1].1) {
            before[pair[1].0.index()] = Some((pair[0].0, contract.joints[pair[1].1].name()));
        }
        let wrong = joints::nodes(cx.asset).filter(|node| before[node.index()].is_some());
        joints::report_kind_by_skin(cx, out, "order", wrong, |node| {
            let (before, joint) = before[node.index()].expect("it is a wrong one");
            let (name, before) = (&contract.name, cx.joint_label(before));
            format!("comes after {before:?}; the skeleton {name} has {joint:?} first")
        });
    }
}

/// Lists the joints of skins that the skeleton does not name.
fn report_unknown(
    cx: &Context<'_>,
    contract: &Contract,
    contracted: &Contracted,
    out: &mut Findings,
) {
    let (known, bound) = (contracted.flags(cx.asset), cx.asset.bound_joints());
    let is_extra =
        |node: &NodeId| bound[node.index()] && !known[node.index()] && !is_end(cx, *node);
    let extra = joints::nodes(cx.asset).filter(is_extra);
    joints::report_by_skin_at(cx, out, extra, true, |_| {
        format!("is not in the skeleton {}", contract.name)
    });
}
