//! A skeleton without its helpers.

use std::collections::BTreeSet;

use crate::diff::helpers;
use crate::rig::{Asset, NodeId};

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

    /// Names from the root down; a joint without a name is its number.
    pub(super) fn path(&self, id: NodeId) -> String {
        let up = std::iter::successors(Some(id), |&id| self.parent(id));
        let mut names: Vec<String> = up
            .take(LONGEST_PATH + 1)
            .map(|id| match self.name(id) {
                "" => format!("#{id}"),
                name => name.to_owned(),
            })
            .collect();
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
