//! `H312`: unportable-name.

use crate::analysis::joints;
use crate::analysis::joints::Homes;
use crate::lists::distinct;
use crate::rig::{Asset, Location, NodeId};
use crate::{Context, Findings, Offence, Rule, declare_rule};

declare_rule! {
    UnportableName, "H312", "unportable-name", Warning, Proved
}

impl Rule for UnportableName {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let homes = Homes::of(cx);
        let named = named(cx.asset);
        let with = |test: fn(&str) -> bool| -> Vec<NodeId> {
            let joints = named.iter().copied();
            joints.filter(|joint| test(cx.joint_name(*joint))).collect()
        };
        let mut report = |joints: Vec<NodeId>, message: String, minor: bool| {
            let Some(&first) = joints.first() else { return };
            let group = subject(&homes, first);
            let offence = Offence::of(&group, "joint").info_if(minor);
            out.add_many(offence, joints.len(), |subject| (subject, message));
        };
        report(with(str::is_empty), "has no name".to_owned(), false);
        report(
            with(|name| name.contains(char::is_control)),
            "its name has a control character".to_owned(),
            false,
        );
        let spaced = with(|name| namespace(name).is_some() && !name.contains(char::is_control));
        let namespaces = namespaces(cx, &spaced);
        report(spaced, namespaces, true);
        differ_in_case(cx, &homes, out, &named);
    }
}

/// The joints whose names come from the file.
fn named(asset: &Asset) -> Vec<NodeId> {
    let skeletal = joints::skeletal(asset);
    let all = joints::nodes(asset);
    all.filter(|joint| skeletal[joint.index()] && !joints::is_helper(asset, *joint))
        .collect()
}

/// Includes the skin, because a name alone does not identify one of several unnamed joints.
fn subject(homes: &Homes, joint: NodeId) -> Location {
    let skin = homes.location(joint).clone();
    skin.joint_id(joint)
}

/// The part up to and including the last separator.
fn namespace(name: &str) -> Option<&str> {
    let end = name.rfind([':', '|'])? + 1;
    name.get(..end)
}

fn namespaces(cx: &Context<'_>, joints: &[NodeId]) -> String {
    let names = joints.iter().map(|joint| cx.joint_name(*joint));
    let all = distinct(names.filter_map(namespace));
    let first = all.first().copied().unwrap_or_default();
    match all.len() {
        0 | 1 => format!("its name has the namespace {first:?}"),
        count => format!("their names have {count} namespaces, the first is {first:?}"),
    }
}

/// Names of one skeleton that differ only in case; H301 reports equal names.
fn differ_in_case(cx: &Context<'_>, homes: &Homes, out: &mut Findings, joints: &[NodeId]) {
    let roots = joints::roots(cx.asset);
    let spelling = |joint: &NodeId| {
        let name = cx.joint_name(*joint);
        (roots[joint.index()], name.to_lowercase(), name, *joint)
    };
    let mut spellings: Vec<(NodeId, String, &str, NodeId)> = joints.iter().map(spelling).collect();
    spellings.sort_unstable();
    spellings.dedup_by(|later, first| (later.0, later.2) == (first.0, first.2));
    let same = spellings.chunk_by(|a, b| (a.0, &a.1) == (b.0, &b.1));
    for known in same.filter(|known| known.len() > 1) {
        let joints: Vec<NodeId> = known.iter().map(|(.., joint)| *joint).collect();
        // The same joint may also have a namespace.
        let group = subject(homes, joints[0]).part("capitals");
        out.add_many(Offence::of_all(&group, "joint"), joints.len(), |subject| {
            let others = joints::also(cx, &joints);
            (subject, format!("names differ only in case{others}"))
        });
    }
}
