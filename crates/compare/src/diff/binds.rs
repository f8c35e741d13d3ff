//! Finds joints whose rest pose or bind pose differs.

use std::collections::BTreeSet;

use glam::DMat4;

use super::attachments::Attachments;
use super::difference::{Before, Difference};
use super::kinds::Kind;
use super::reach::Rigs;
use super::words::{Lengths, and_more};

/// Pairs of joints whose rest pose or bind pose differs.
#[derive(Debug, Default)]
pub(super) struct Binds {
    /// Joints with a different inverse bind matrix.
    pub(super) bound: BTreeSet<usize>,
    /// Joints with a different rest pose relative to their parent.
    pub(super) resting: BTreeSet<usize>,
    pub(super) findings: Vec<Difference>,
}

impl Binds {
    /// Whether the bind pose of a joint, or of its parent, shows in its displacement of the mesh.
    pub(super) fn shows_in(&self, rigs: &Rigs<'_>, pair: usize) -> bool {
        let is_bound = |pair: usize| self.bound.contains(&pair);
        is_bound(pair) || rigs.parents[pair].is_some_and(is_bound)
    }
}

/// * `limits` – one per pair.
pub(super) fn compare(
    rigs: &Rigs<'_>,
    limits: &[f64],
    attachments: &Attachments,
    lengths: Lengths,
) -> Binds {
    let mut binds = Binds::default();
    if !rigs.sides.iter().all(|side| side.is_model()) {
        return binds;
    }
    let mut errors = [Vec::new(), Vec::new()];
    for (pair, [a, b]) in rigs.joints.pairs.iter().enumerate() {
        let [before, after] = [&rigs.sides[0].joints[*a], &rigs.sides[1].joints[*b]];
        let is_of_rig = before.is_of_rig && after.is_of_rig;
        if !is_of_rig && !attachments.pairs.contains(&pair) {
            continue;
        }
        // The joint's displacement of the mesh at rest, which is the identity in most rigs. A joint that is not bound
        // itself rests where its parent puts it, so its parent's displacement is taken out.
        let displacement = |side: usize, pair: usize| {
            let joint = &rigs.sides[side].joints[rigs.joints.pairs[pair][side]];
            joint.rest * joint.bind.inverse()
        };
        let at_rest = [0, 1].map(|side| displacement(side, pair));
        let total = rigs.apart(pair, &at_rest[0], &at_rest[1]);
        if total <= limits[pair] {
            continue;
        }
        // In the axes of each joint, which exporters to other formats may rotate.
        let from_rest = [
            before.rest * before.bind.inverse(),
            after.rest * before.bind.inverse(),
        ];
        let from_bind = [before.bind, after.bind].map(|bind| bind * before.bind.inverse());
        let rest = rigs.apart(pair, &from_rest[0], &from_rest[1]);
        let bind = rigs.apart(pair, &from_bind[0], &from_bind[1]);
        if bind > limits[pair] && !attachments.moved.contains(&pair) {
            errors[0].push((total, pair));
            continue;
        }
        let own = match rigs.parents[pair] {
            Some(parent) => {
                let relative = [0, 1]
                    .map(|side| displacement(side, parent).inverse() * displacement(side, pair));
                rigs.apart(pair, &relative[0], &relative[1])
            }
            None => rest,
        };
        if own > limits[pair] {
            errors[1].push((own, pair));
        }
    }
    let lists = errors
        .each_ref()
        .map(|list| list.iter().map(|(_, pair)| *pair).collect());
    [binds.bound, binds.resting] = lists;
    let kinds = [
        (
            Kind::BindPose,
            "is bound in a different pose",
            "the inverse bind matrices and the rest pose no longer match",
        ),
        (
            Kind::RestPose,
            "has a different rest pose",
            "clips that do not drive it show the difference",
        ),
    ];
    for (errors, (kind, what, why)) in errors.iter().zip(kinds) {
        let Some((error, pair)) = errors.iter().max_by(|a, b| a.0.total_cmp(&b.0)) else {
            continue;
        };
        let before = |pair: usize| rigs.joints.pairs[pair][0];
        let shown = |pair: usize| &rigs.sides[0].joints[before(pair)].shown;
        let name = shown(*pair);
        let message = match errors.as_slice() {
            [(_, a), (_, b)] if kind == Kind::BindPose && are_exchanged(rigs, [*a, *b], limits) => {
                format!(
                    "`{}` and `{}` have each other's inverse bind matrix: the skin lists them in each other's place",
                    shown(*a),
                    shown(*b)
                )
            }
            _ => format!(
                "`{name}` {what}, off by {}{}: {why}",
                lengths.show(*error),
                and_more(errors.len() - 1, "joint")
            ),
        };
        let finding = kind.found(message).joint(name, Some(Before(before(*pair))));
        binds.findings.push(finding.by(*error));
    }
    binds
}

/// Whether each of two joints is bound as the other one was.
fn are_exchanged(rigs: &Rigs<'_>, [a, b]: [usize; 2], limits: &[f64]) -> bool {
    let bind =
        |side: usize, pair: usize| rigs.sides[side].joints[rigs.joints.pairs[pair][side]].bind;
    let fits = |before: usize, after: usize| {
        let from_before = bind(0, before).inverse();
        let there = bind(1, after) * from_before;
        rigs.apart(before, &DMat4::IDENTITY, &there) <= limits[before]
    };
    fits(a, b) && fits(b, a)
}
