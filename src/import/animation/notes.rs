//! Notes on a merge.

use std::collections::BTreeSet;

use super::MergeReport;
use super::insertion::Insertion;
use super::matching::{MatchedBy, Matching, ambiguous_names};
use crate::import::printable::printable;
use crate::rig::{Asset, Note};
use crate::units::Space;

/// How many names a message lists, and how many characters of each.
const LISTED: usize = 5;
const LONGEST_NAME: usize = 60;

/// Reasons to doubt that the clips of `animation` suit `asset`, which has not been changed yet.
pub(super) fn notes(
    asset: &Asset,
    animation: &Asset,
    matching: &Matching,
    report: &MergeReport,
    insertion: &Insertion,
) -> Vec<Note> {
    let (ours, theirs) = (&asset.skeleton, &animation.skeleton);
    let loosely = |how| matching.names_matched_by(how, theirs);
    let messages = [
        replaced_clips(asset.clips.len()),
        about(&report.inserted, |names| {
            format!("only it has {names}, which was added to the model")
        }),
        about(&report.unmatched, |names| {
            format!("the model lacks {names}, whose motion is skipped")
        }),
        about(&loosely(MatchedBy::BareName), |names| {
            format!("{names} match only without namespaces")
        }),
        about(&loosely(MatchedBy::AnyCase), |names| {
            format!("{names} match only if case is ignored")
        }),
        about(&loosely(MatchedBy::Index), |_| {
            let count = theirs.len();
            format!(
                "its {count} joints have no names and are matched to the model's first {count} by order"
            )
        }),
        about(&ambiguous_names(ours, theirs), |names| {
            format!("{names} names several joints; the first is matched to the first")
        }),
        about(&insertion.misparented_names(theirs), |names| {
            format!("{names} has a different parent in the model; the motion may not fit")
        }),
    ];
    messages.into_iter().flatten().map(note).collect()
}

fn note(message: String) -> Note {
    Note {
        location: "animation file".to_owned(),
        message,
    }
}

fn replaced_clips(count: usize) -> Option<String> {
    (count > 0).then(|| format!("its clips replace the model's ({count})"))
}

/// Notes that the two files are in different spaces, and whether one was converted.
pub(super) fn other_space(ours: Space, theirs: Space, is_converted: bool) -> Option<Note> {
    let states_unit = ours.metres_per_unit.is_some() && theirs.metres_per_unit.is_some();
    let done = match (is_converted, states_unit) {
        (true, true) => "its keys are converted",
        (true, false) => "its keys are converted, except for the unit",
        (false, _) => "the keys are used unchanged",
    };
    let message = || {
        let (theirs, ours) = (describe(theirs), describe(ours));
        note(format!("it is in {theirs}, the model in {ours}; {done}"))
    };
    (ours != theirs).then(message)
}

fn describe(space: Space) -> String {
    let unit = match space.metres_per_unit {
        Some(metres) => format!("units of {metres} m"),
        None => "units of unknown length".to_owned(),
    };
    format!("{unit} with {} up and {} in front", space.up, space.front)
}

fn about(names: &[String], sentence: impl FnOnce(String) -> String) -> Option<String> {
    (!names.is_empty()).then(|| sentence(listed(names)))
}

/// `"a", "b", "c" and 4 more`.
pub(super) fn listed(names: &[String]) -> String {
    let names = display_names(names);
    let shown = &names[..names.len().min(LISTED)];
    match (shown.is_empty(), names.len() - shown.len()) {
        (true, _) => "none".to_owned(),
        (false, 0) => shown.join(", "),
        (false, more) => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Begins the suffix that assimp appends to the name of an FBX node for each part of its transform that it splits off.
const PART: &str = "_$AssimpFbx$_";

/// The names as users know them, in quotes; the parts of one node are named together as its pivot.
fn display_names(names: &[String]) -> Vec<String> {
    let quoted = |name: &str| format!("{:?}", printable(name, LONGEST_NAME));
    let mut pivots = BTreeSet::new();
    let display_names = names.iter().filter_map(|name| match name.split_once(PART) {
        None => Some(quoted(name)),
        Some((node, _)) => pivots
            .insert(node)
            .then(|| format!("the pivot of {}", quoted(node))),
    });
    display_names.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_that_assimp_makes_of_a_node_are_named_once_as_people_know_it() {
        let names = [
            "Hips_$AssimpFbx$_Translation",
            "Hips_$AssimpFbx$_PreRotation",
            "Hips",
            "Tail",
        ];
        let names = names.map(str::to_owned);
        assert_eq!(listed(&names), r#"the pivot of "Hips", "Hips", "Tail""#);
    }

    #[test]
    fn a_long_list_is_cut() {
        let names = ["a", "b", "c", "d", "e", "f", "g"].map(str::to_owned);
        assert_eq!(listed(&names), r#""a", "b", "c", "d", "e" and 2 more"#);
        assert_eq!(listed(&[]), "none");
    }
}
