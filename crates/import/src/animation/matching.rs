//! Matches the joints of two skeletons, by name.

use std::collections::BTreeMap;

use glam::DMat4;

use crate::names::{bare, likeness};
use crate::rig::{LocalTransform, NodeId, Skeleton};

/// How two names match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MatchedBy {
    /// The whole name.
    Name,
    /// The text after the last `:` or `|`.
    BareName,
    /// As [`MatchedBy::BareName`], except for upper and lower case; only where that is unambiguous.
    AnyCase,
    /// The index: the animation file has no names at all, and its hierarchy is that of the model's first joints.
    Index,
}

impl MatchedBy {
    /// From the strictest to the weakest. A rule applies to the joints that the stricter ones left unmatched.
    const BY_NAME: [Self; 3] = [Self::Name, Self::BareName, Self::AnyCase];

    /// The part of the name that must be equal.
    fn key(self, name: &str) -> String {
        match self {
            Self::Name | Self::Index => name.to_owned(),
            Self::BareName => bare(name).to_owned(),
            Self::AnyCase => bare(name).to_lowercase(),
        }
    }
}

/// For each joint of the animation file, the model's joint, if there is one. No two have the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Matching {
    model: Vec<Option<(NodeId, MatchedBy)>>,
    animation_joints: Vec<Option<NodeId>>,
}

impl Matching {
    /// Applies every [`MatchedBy`] in turn. Unnamed joints match nothing. Of several joints with exactly the same name, the
    /// first ones match; by the weaker rules, such joints match nothing.
    ///
    /// If the animation file has no names, joints match by index if the hierarchies agree (see [`MatchedBy::Index`]).
    pub(super) fn of(model: &Skeleton, animation: &Skeleton) -> Self {
        let mut matching = Self {
            model: vec![None; animation.len()],
            animation_joints: vec![None; model.len()],
        };
        if animation.nodes().iter().all(|joint| joint.name.is_empty()) {
            matching.add_by_index(model, animation);
            return matching;
        }
        for how in MatchedBy::BY_NAME {
            matching.add(how, model, animation);
        }
        matching
    }

    fn add(&mut self, how: MatchedBy, model: &Skeleton, animation: &Skeleton) {
        let ours = by_key(how, model, |id| self.animation_joints[id.index()].is_none());
        let theirs = by_key(how, animation, |id| self.model[id.index()].is_none());
        for (key, candidates) in theirs {
            let Some(targets) = ours.get(&key) else {
                continue;
            };
            let unique = candidates.len() == 1 && targets.len() == 1;
            if how == MatchedBy::Name || unique {
                self.model[candidates[0].index()] = Some((targets[0], how));
                self.animation_joints[targets[0].index()] = Some(candidates[0]);
            }
        }
    }

    fn add_by_index(&mut self, model: &Skeleton, animation: &Skeleton) {
        let pairs = model.nodes().iter().zip(animation.nodes());
        let alike = pairs.filter(|(ours, theirs)| ours.parent == theirs.parent);
        if alike.count() == animation.len() {
            for (id, _) in animation.iter() {
                self.model[id.index()] = Some((id, MatchedBy::Index));
                self.animation_joints[id.index()] = Some(id);
            }
        }
    }

    /// The model's joint for `joint` of the animation file.
    pub(super) fn model_joint(&self, joint: NodeId) -> Option<NodeId> {
        self.model[joint.index()].map(|(id, _)| id)
    }

    /// The animation file's joint for `joint` of the model.
    pub(super) fn animation_joint(&self, joint: NodeId) -> Option<NodeId> {
        self.animation_joints[joint.index()]
    }

    /// Joints of the animation file that match by `how` but by no stricter rule.
    pub(super) fn names_matched_by(&self, how: MatchedBy, animation: &Skeleton) -> Vec<String> {
        let pairs = self.model.iter().zip(animation.nodes());
        let chosen = pairs.filter(|(matched, _)| matched.is_some_and(|(_, by)| by == how));
        chosen.map(|(_, joint)| joint.name.clone()).collect()
    }
}

/// Names that match exactly although one of the files has several joints of that name; sorted.
pub(super) fn ambiguous_names(model: &Skeleton, animation: &Skeleton) -> Vec<String> {
    let everything = |_| true;
    let ours = by_key(MatchedBy::Name, model, everything);
    let theirs = by_key(MatchedBy::Name, animation, everything);
    let several = theirs.into_iter().filter(|(name, joints)| {
        let others = ours.get(name).map_or(0, Vec::len);
        others > 0 && (joints.len() > 1 || others > 1)
    });
    several.map(|(name, _)| name).collect()
}

fn by_key(
    how: MatchedBy,
    skeleton: &Skeleton,
    is_free: impl Fn(NodeId) -> bool,
) -> BTreeMap<String, Vec<NodeId>> {
    let mut joints: BTreeMap<String, Vec<NodeId>> = BTreeMap::new();
    for (id, joint) in skeleton.iter().filter(|(id, _)| is_free(*id)) {
        let key = how.key(&joint.name);
        if !key.is_empty() {
            joints.entry(key).or_default().push(id);
        }
    }
    joints
}

/// How many names of each side are compared for a suggestion; film skeletons have hundreds.
const COMPARED: usize = 300;

/// The most similar pair of names; the first of equally similar ones.
pub(super) fn nearest(theirs: &[String], ours: &[String]) -> Option<(String, String)> {
    let mut best: Option<(f64, &String, &String)> = None;
    for their in theirs.iter().take(COMPARED).filter(|name| !name.is_empty()) {
        for our in ours.iter().take(COMPARED).filter(|name| !name.is_empty()) {
            let likeness = likeness(bare(their), bare(our));
            if likeness > best.map_or(0.0, |(most, _, _)| most) {
                best = Some((likeness, their, our));
            }
        }
    }
    best.map(|(_, their, our)| (their.clone(), our.clone()))
}

/// An unmatched node, seen as the lower end of a chain of unmatched nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Chain {
    /// Its upper end.
    pub(super) top: NodeId,
    /// The matched joint that the upper end is attached to; `None` if that is a root.
    pub(super) anchor: Option<NodeId>,
    /// `anchor_from_node` at rest.
    pub(super) rest: DMat4,
    /// Whether a clip drives a node of the chain.
    pub(super) moves: bool,
}

/// For each joint of the animation file, the chain whose lower end it is; `None` for matched ones.
///
/// * `animated` – for each joint, whether a clip drives it.
pub(super) fn chains(
    animation: &Skeleton,
    matching: &Matching,
    animated: &[bool],
) -> Vec<Option<Chain>> {
    let mut chains: Vec<Option<Chain>> = Vec::with_capacity(animation.len());
    for (id, joint) in animation.iter() {
        let above = joint.parent.and_then(|parent| chains[parent.index()]);
        let rest = to_f64(&joint.rest);
        let moves = animated[id.index()];
        let chain = match above {
            Some(above) => Chain {
                rest: above.rest * rest,
                moves: above.moves || moves,
                ..above
            },
            None => Chain {
                top: id,
                anchor: joint.parent,
                rest,
                moves,
            },
        };
        chains.push(matching.model_joint(id).is_none().then_some(chain));
    }
    chains
}

/// `parent_from_joint` in the precision of products and inverses.
pub(super) fn to_f64(rest: &LocalTransform) -> DMat4 {
    rest.to_matrix().as_dmat4()
}
