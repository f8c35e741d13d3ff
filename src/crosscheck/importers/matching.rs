//! Matches the joints of two importers.
//!
//! `diff` pairs joints by unique names and by position. Here, the hierarchy decides, since any name may occur twice in a
//! file, and a joint at another position is still the same joint.

use std::collections::{BTreeMap, BTreeSet};

use super::names::pair_by_name;
use super::tree::Tree;
use crate::rig::NodeId;

/// The most nested wrappers that are skipped.
const MOST_WRAPPERS: usize = 16;

/// Identifies a joint for both importers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Key(pub(super) usize);

/// The joints of two importers in pairs.
pub(super) struct Matching<'a> {
    pub(super) trees: [Tree<'a>; 2],
    /// The pair of key `k` is at position `k`.
    pub(super) pairs: Vec<[NodeId; 2]>,
    /// The key of each joint; a helper has its owner's. Joints that only one importer has get keys past all pairs.
    keys: [Vec<Key>; 2],
}

impl<'a> Matching<'a> {
    /// Matches from the roots down: children of a pair by name, in order among equal names. If only some names fail, an
    /// unnamed joint is matched with the joint left at its position, and a joint with a numeric suffix with the one without.
    /// Wrappers that only one importer has are skipped. Last, remaining joints are matched by names that are unique in both.
    /// The order goes from certain to doubtful evidence, so that a guess never takes the partner of a certain match.
    pub(super) fn new(a: Tree<'a>, b: Tree<'a>) -> Self {
        let counts = [a.asset.skeleton.len(), b.asset.skeleton.len()];
        let mut matcher = Matcher {
            partner: counts.map(|count| vec![None; count]),
            pending: vec![[a.tops.clone(), b.tops.clone()]],
            trees: [a, b],
        };
        matcher.run();
        matcher.finish()
    }

    /// The key of joint `id` of importer `side`.
    pub(super) fn key(&self, side: usize, id: NodeId) -> Key {
        self.keys[side][id.index()]
    }

    /// Whether the other importer has this joint too.
    pub(super) fn is_matched(&self, side: usize, id: NodeId) -> bool {
        self.key(side, id).0 < self.pairs.len()
    }

    /// The nearest joint above `id` that the other importer has too.
    pub(super) fn above(&self, side: usize, id: NodeId) -> Option<NodeId> {
        let tree = &self.trees[side];
        let mut above = std::iter::successors(tree.parent(id), |&id| tree.parent(id));
        above.find(|&id| self.is_matched(side, id))
    }

    /// Whether a joint below it has a partner.
    pub(super) fn is_above_a_pair(&self, side: usize, id: NodeId) -> bool {
        let tree = &self.trees[side];
        let mut pending = tree.children(id).to_vec();
        while let Some(joint) = pending.pop() {
            if self.is_matched(side, joint) {
                return true;
            }
            pending.extend_from_slice(tree.children(joint));
        }
        false
    }

    /// The path of a pair by names of the first importer.
    pub(super) fn path_of_pair(&self, pair: [NodeId; 2]) -> String {
        self.trees[0].path(pair[0])
    }

    /// The path of the joint of `key`, by names of the first importer that has it.
    pub(super) fn path_of_key(&self, key: Key) -> String {
        let joint = self.joint_of_key(key);
        joint.map_or_else(String::new, |(side, joint)| self.trees[side].path(joint))
    }

    /// The same, with the joint's index in that importer.
    pub(super) fn numbered_path_of_key(&self, key: Key) -> String {
        let joint = self.joint_of_key(key);
        joint.map_or_else(String::new, |(side, joint)| {
            format!("{} #{joint}", self.trees[side].path(joint))
        })
    }

    /// The first importer that has it, and its joint there.
    fn joint_of_key(&self, key: Key) -> Option<(usize, NodeId)> {
        let has = |(side, keys): (usize, &Vec<Key>)| {
            let index = keys.iter().position(|known| *known == key)?;
            Some((side, self.trees[side].owner(NodeId::from_index(index))))
        };
        self.keys.iter().enumerate().find_map(has)
    }
}

struct Matcher<'a> {
    trees: [Tree<'a>; 2],
    partner: [Vec<Option<NodeId>>; 2],
    /// Children of pairs, still to be matched.
    pending: Vec<[Vec<NodeId>; 2]>,
}

impl<'a> Matcher<'a> {
    fn run(&mut self) {
        while let Some(lists) = self.pending.pop() {
            self.match_lists(lists);
        }
        self.match_unique_names();
    }

    fn pair(&mut self, a: NodeId, b: NodeId) {
        self.partner[0][a.index()] = Some(b);
        self.partner[1][b.index()] = Some(a);
        let below = [self.trees[0].children(a), self.trees[1].children(b)];
        self.pending.push(below.map(<[NodeId]>::to_vec));
    }

    fn match_lists(&mut self, mut lists: [Vec<NodeId>; 2]) {
        for _ in 0..MOST_WRAPPERS {
            lists = self.match_names(lists);
            if !self.unwrap(&mut lists) && !self.unwrap_around_nameless(&mut lists) {
                break;
            }
        }
        if lists[0].len() == lists[1].len() {
            for (&a, &b) in lists[0].iter().zip(&lists[1]) {
                if may_be_one(self.trees[0].name(a), self.trees[1].name(b)) {
                    self.pair(a, b);
                }
            }
        }
    }

    /// Pairs joints of the same name in order, and returns the others.
    fn match_names(&mut self, [a, b]: [Vec<NodeId>; 2]) -> [Vec<NodeId>; 2] {
        let found = pair_by_name([&a, &b], |side, joint| {
            Some(self.trees[side].name(joint)).filter(|name| !name.is_empty())
        });
        for [a, b] in found.pairs {
            self.pair(a, b);
        }
        found.left
    }

    /// Replaces joints by their children if a child has the name of a joint on the other side.
    fn unwrap(&mut self, lists: &mut [Vec<NodeId>; 2]) -> bool {
        let mut found = false;
        for (side, other) in [(0, 1), (1, 0)] {
            let tree = &self.trees[other];
            let wanted: BTreeSet<&str> = lists[other].iter().map(|&id| tree.name(id)).collect();
            let tree = &self.trees[side];
            let wraps = |joint: NodeId| {
                let mut names = tree.children(joint).iter().map(|&child| tree.name(child));
                names.any(|name| !name.is_empty() && wanted.contains(name))
            };
            let mut unwrapped = Vec::new();
            for &joint in &lists[side] {
                if wraps(joint) {
                    unwrapped.extend_from_slice(tree.children(joint));
                    found = true;
                } else {
                    unwrapped.push(joint);
                }
            }
            lists[side] = unwrapped;
        }
        found
    }

    /// Replaces a single joint by its children if the other side has as many unnamed joints.
    fn unwrap_around_nameless(&mut self, lists: &mut [Vec<NodeId>; 2]) -> bool {
        for (side, other) in [(0, 1), (1, 0)] {
            let [wrapper] = lists[side][..] else {
                continue;
            };
            let count = lists[other].len();
            let nameless = lists[other]
                .iter()
                .all(|&id| self.trees[other].name(id).is_empty());
            let tree = &self.trees[side];
            let inside = tree.children(wrapper);
            if nameless && count > 1 && inside.len() == count && !tree.is_used(wrapper) {
                lists[side] = inside.to_vec();
                return true;
            }
        }
        false
    }

    /// Pairs remaining joints whose names are unique on both sides.
    fn match_unique_names(&mut self) {
        let [a, b] = [0, 1].map(|side| self.unique_names(side));
        for (name, joint) in a {
            if let Some(&partner) = b.get(name) {
                let free = self.partner[0][joint.index()].is_none()
                    && self.partner[1][partner.index()].is_none();
                if free {
                    self.pair(joint, partner);
                }
            }
        }
        self.pending.clear();
    }

    fn unique_names(&self, side: usize) -> BTreeMap<&'a str, NodeId> {
        let tree = &self.trees[side];
        let mut count: BTreeMap<&str, usize> = BTreeMap::new();
        for joint in tree.joints() {
            *count.entry(tree.name(joint)).or_default() += 1;
        }
        let is_unique = |name: &str| !name.is_empty() && count.get(name) == Some(&1);
        tree.joints()
            .map(|joint| (tree.name(joint), joint))
            .filter(|(name, _)| is_unique(name))
            .collect()
    }

    fn finish(self) -> Matching<'a> {
        let mut pairs = Vec::new();
        let mut keys = [0, 1].map(|side| vec![Key(usize::MAX); self.partner[side].len()]);
        for (index, partner) in self.partner[0].iter().enumerate() {
            if let Some(partner) = partner {
                let key = Key(pairs.len());
                keys[0][index] = key;
                keys[1][partner.index()] = key;
                pairs.push([NodeId::from_index(index), *partner]);
            }
        }
        let mut next = pairs.len();
        for (keys, tree) in keys.iter_mut().zip(&self.trees) {
            for joint in tree.joints() {
                if keys[joint.index()] == Key(usize::MAX) {
                    keys[joint.index()] = Key(next);
                    next += 1;
                }
            }
            for index in 0..keys.len() {
                keys[index] = keys[tree.owner(NodeId::from_index(index)).index()];
            }
        }
        Matching {
            trees: self.trees,
            pairs,
            keys,
        }
    }
}

/// Whether two names at the same position may belong to one joint: one is empty, or one extends the other to be unique.
fn may_be_one(a: &str, b: &str) -> bool {
    let numbered = |long: &str, short: &str| {
        let rest = long.strip_prefix(short);
        rest.is_some_and(|rest| !rest.chars().any(char::is_alphabetic))
    };
    a.is_empty() || b.is_empty() || numbered(a, b) || numbered(b, a)
}
