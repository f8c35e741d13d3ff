//! The joints of two importers, without helpers, in pairs.
//!
//! `diff` pairs joints by unique names and by position. Here, the hierarchy decides, since any name may occur twice in a
//! file, and a joint at another position is still the same joint.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::diff::helpers;
use crate::rig::{Asset, InstanceId, NodeId};

/// Most names in a path, counted from its end.
const LONGEST_PATH: usize = 16;

/// The joints of the file, as one importer has them.
pub(super) struct Tree<'a> {
    pub(super) asset: &'a Asset,
    /// For each joint, the joint that owns it as a helper.
    owners: Vec<Option<NodeId>>,
    /// For each joint of the file, its nearest ancestor in the file.
    parents: Vec<Option<NodeId>>,
    /// In the order of the joints.
    children: Vec<Vec<NodeId>>,
    /// The joints without a parent.
    pub(super) tops: Vec<NodeId>,
    /// For each joint, whether a skin binds it, a mesh is attached to it or a clip drives it.
    is_used: Vec<bool>,
}

impl<'a> Tree<'a> {
    /// * `other` – what another importer read.
    pub(super) fn new(asset: &'a Asset, other: &Asset) -> Self {
        let others: BTreeSet<&str> = names(other).collect();
        let owners = helpers::owners(asset, &others);
        let count = asset.skeleton.len();
        let mut tree = Self {
            asset,
            parents: vec![None; count],
            children: vec![Vec::new(); count],
            tops: Vec::new(),
            is_used: used(asset),
            owners,
        };
        for (id, _) in asset.skeleton.iter() {
            if tree.owners[id.index()].is_none() {
                tree.insert(id);
            }
        }
        tree
    }

    fn insert(&mut self, id: NodeId) {
        let parent = helpers::parent_past(self.asset, &self.owners, id);
        self.parents[id.index()] = parent;
        match parent {
            Some(parent) => self.children[parent.index()].push(id),
            None => self.tops.push(id),
        }
    }

    fn joint_parent(&self, id: NodeId) -> Option<NodeId> {
        self.asset.skeleton.get(id)?.parent
    }

    pub(super) fn name(&self, id: NodeId) -> &'a str {
        self.asset
            .skeleton
            .get(id)
            .map_or("", |joint| joint.name.as_str())
    }

    /// The nearest joint of the file above `id`.
    pub(super) fn parent(&self, id: NodeId) -> Option<NodeId> {
        self.parents[id.index()]
    }

    /// The joints of the file right below `id`.
    pub(super) fn children(&self, id: NodeId) -> &[NodeId] {
        &self.children[id.index()]
    }

    /// The joint that `id` is or helps.
    pub(super) fn owner(&self, id: NodeId) -> NodeId {
        self.owners[id.index()].unwrap_or(id)
    }

    /// The joints that make up the transform of `id`, from the outermost to `id` itself.
    pub(super) fn chain(&self, id: NodeId) -> Vec<NodeId> {
        let helper = |below: &NodeId| {
            let parent = self.joint_parent(*below)?;
            (self.owners[parent.index()] == Some(id)).then_some(parent)
        };
        let mut chain: Vec<NodeId> = std::iter::successors(Some(id), helper).collect();
        chain.reverse();
        chain
    }

    /// Whether the node right above `id` and its own helpers is another joint's helper.
    pub(super) fn hangs_on_helper(&self, id: NodeId) -> bool {
        let first = self.chain(id).first().copied();
        let above = first.and_then(|first| self.joint_parent(first));
        above.is_some_and(|above| self.owners[above.index()].is_some())
    }

    /// The joints of the file, parents first.
    pub(super) fn joints(&self) -> impl Iterator<Item = NodeId> {
        let all = (0..self.owners.len()).map(NodeId::from_index);
        all.filter(|id| self.owners[id.index()].is_none())
    }

    /// Whether a skin binds it, a mesh is attached to it or a clip drives it.
    pub(super) fn is_used(&self, id: NodeId) -> bool {
        self.is_used[id.index()]
    }

    /// The name, or the number of a joint without one.
    fn label(&self, id: NodeId) -> String {
        match self.name(id) {
            "" => format!("#{id}"),
            name => name.to_owned(),
        }
    }

    /// Names from the root down; a joint without a name is its number.
    pub(super) fn path(&self, id: NodeId) -> String {
        let up = std::iter::successors(Some(id), |&id| self.parent(id));
        let mut names: Vec<String> = up.take(LONGEST_PATH + 1).map(|id| self.label(id)).collect();
        if names.len() > LONGEST_PATH {
            "…".clone_into(&mut names[LONGEST_PATH]);
        }
        names.reverse();
        names.join("/")
    }
}

fn names(asset: &Asset) -> impl Iterator<Item = &str> {
    let joints = asset.skeleton.nodes().iter();
    joints.map(|joint| joint.name.as_str())
}

fn used(asset: &Asset) -> Vec<bool> {
    let mut used = asset.bound_joints();
    for instance in &asset.instances {
        used[instance.node.index()] = true;
    }
    for clip in &asset.clips {
        let driven = clip.channels.iter().map(|channel| channel.node);
        let morphed = clip.morph_channels.iter().map(|channel| channel.node);
        for joint in driven.chain(morphed) {
            used[joint.index()] = true;
        }
    }
    used
}

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

    /// The joint of `key` in the first importer's model.
    pub(super) fn of_first(&self, key: Key) -> Option<NodeId> {
        let joint = self.joint_of_key(key);
        joint.filter(|(side, _)| *side == 0).map(|(_, joint)| joint)
    }

    /// The first instance in the first importer's model that the joint of `key` shows.
    pub(super) fn shown_by(&self, key: Key) -> Option<InstanceId> {
        let mut instances = self.trees[0].asset.instances.iter();
        let index = instances.position(|instance| self.key(0, instance.node) == key);
        index.map(InstanceId::from_index)
    }

    /// The name of the joint of `key`, or its number, in the first importer that has it.
    pub(super) fn name(&self, key: Key) -> String {
        let joint = self.joint_of_key(key);
        joint.map_or_else(String::new, |(side, joint)| self.trees[side].label(joint))
    }

    /// The path of the joint of `key`, by names of the first importer that has it.
    pub(super) fn path(&self, key: Key) -> String {
        let joint = self.joint_of_key(key);
        joint.map_or_else(String::new, |(side, joint)| self.trees[side].path(joint))
    }

    /// The same, with the joint's index in that importer.
    pub(super) fn numbered_path(&self, key: Key) -> String {
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

/// What has the same name in both models, and what is left of each.
pub(super) struct ByName<T> {
    pub(super) pairs: Vec<[T; 2]>,
    pub(super) left: [Vec<T>; 2],
}

/// Pairs items of the same name, in order among equal names.
///
/// * `name` – of an item of one side; `None` if it has none.
pub(super) fn pair_by_name<'n, T: Copy>(
    [a, b]: [&[T]; 2],
    name: impl Fn(usize, T) -> Option<&'n str>,
) -> ByName<T> {
    let mut named: BTreeMap<&str, VecDeque<usize>> = BTreeMap::new();
    for (index, &item) in b.iter().enumerate() {
        if let Some(name) = name(1, item) {
            named.entry(name).or_default().push_back(index);
        }
    }
    let (mut pairs, mut left) = (Vec::new(), Vec::new());
    let mut is_left = vec![true; b.len()];
    for &item in a {
        let same = name(0, item).and_then(|name| named.get_mut(name)?.pop_front());
        match same {
            Some(index) => {
                is_left[index] = false;
                pairs.push([item, b[index]]);
            }
            None => left.push(item),
        }
    }
    let others = b.iter().zip(is_left).filter(|(_, is_left)| *is_left);
    ByName {
        pairs,
        left: [left, others.map(|(item, _)| *item).collect()],
    }
}
