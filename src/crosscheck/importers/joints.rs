//! Stage: joints and their hierarchy.

use super::matching::Matching;
use super::report::{Kind, Stage, StageReport};
use super::tally::Tally;
use crate::rig::{Location, NodeId};

/// Compares names and parents.
///
/// A joint that only one importer has is a difference, except for joints that files do not name: a helper
/// (`diff::helpers`), and an unused joint that is unnamed or a root above joints of both.
pub(super) fn compare(matching: &Matching<'_>) -> StageReport {
    let mut tally = Tally::new(Stage::Joints);
    tally.compared(matching.pairs.len());
    for &pair in &matching.pairs {
        compare_names(matching, pair, &mut tally);
        compare_parents(matching, pair, &mut tally);
    }
    for side in [0, 1] {
        for joint in matching.trees[side].joints() {
            if !matching.is_matched(side, joint) && !is_pass_through(matching, side, joint) {
                tally.compared(1);
                tally.add(Kind::JointMissing, f64::INFINITY, |worst| {
                    let path = matching.trees[side].path(joint);
                    worst.at(Location::joint(path)).only(side, "a joint")
                });
            }
        }
    }
    tally.finish()
}

fn is_pass_through(matching: &Matching<'_>, side: usize, joint: NodeId) -> bool {
    let tree = &matching.trees[side];
    let is_root_above = tree.parent(joint).is_none() && matching.is_above_a_pair(side, joint);
    !tree.is_used(joint) && (is_root_above || tree.name(joint).is_empty())
}

/// A name that an importer invents for an unnamed joint is not a difference.
fn compare_names(matching: &Matching<'_>, pair: [NodeId; 2], tally: &mut Tally) {
    let names = [0, 1].map(|side| matching.trees[side].name(pair[side]));
    if names[0] != names[1] && !names.contains(&"") {
        let says = names.map(|name| format!("\"{name}\""));
        tally.add(Kind::JointName, f64::INFINITY, |worst| {
            let path = matching.path_of_pair(pair);
            worst.at(Location::joint(path)).saying(says)
        });
    }
}

fn compare_parents(matching: &Matching<'_>, pair: [NodeId; 2], tally: &mut Tally) {
    let parents = [0, 1].map(|side| matching.above(side, pair[side]));
    let keys = [0, 1].map(|side| parents[side].map(|parent| matching.key(side, parent)));
    if keys[0] != keys[1] {
        let parent = |side: usize| {
            let parent = parents[side].map(|parent| matching.trees[side].path(parent));
            parent.map_or("no parent".to_owned(), |path| format!("below \"{path}\""))
        };
        tally.add(Kind::JointParent, f64::INFINITY, |worst| {
            let path = matching.path_of_pair(pair);
            worst.at(Location::joint(path)).saying([0, 1].map(parent))
        });
    }
}
