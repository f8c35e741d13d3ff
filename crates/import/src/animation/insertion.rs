//! Inserts nodes that only the animation file has into the model's skeleton.
//!
//! LearnOpenGL calls them *missing bones*: in the animation file the keys of a joint are relative to a node that the
//! model's file omits. Such a node goes between the joint and its parent; the joint's own rest transform becomes
//! `node⁻¹ · rest`, so that nothing moves at rest.

use std::collections::BTreeMap;

use glam::{DMat4, Mat4};

use super::matching::{Chain, Matching, chains, to_f64};
use crate::rig::{Asset, Constraint, Humanoid, LocalTransform, Node, NodeId, Skeleton};

/// Largest difference of an entry of a product with an inverse from the identity, and of a recomposed transform from
/// the original, relative to its largest entry: a few roundings of an f32.
const EXACT: f64 = 1e-6;

/// An insertion of a node.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Insertion {
    /// Nodes of the animation file, each with the model's joint that it is attached to if its own parent is not inserted.
    nodes: BTreeMap<NodeId, Option<NodeId>>,
    /// Joints of the model that get another parent: that node of the animation file, and the rest transform relative to it.
    reparented: BTreeMap<NodeId, (NodeId, LocalTransform)>,
    /// Matched joints of the animation file that are attached to another joint than in the model.
    misparented: Vec<NodeId>,
}

impl Insertion {
    pub(super) fn inserts(&self, node: NodeId) -> bool {
        self.nodes.contains_key(&node)
    }

    /// Names of the inserted nodes, parents first.
    pub(super) fn names(&self, animation: &Skeleton) -> Vec<String> {
        names(animation, self.nodes.keys())
    }

    /// Names of the joints whose keys are relative to another joint than in the model; the clip may not fit them.
    pub(super) fn misparented_names(&self, animation: &Skeleton) -> Vec<String> {
        names(animation, &self.misparented)
    }
}

fn names<'a>(skeleton: &Skeleton, ids: impl IntoIterator<Item = &'a NodeId>) -> Vec<String> {
    let joints = skeleton.nodes();
    let name = |id: &NodeId| joints[id.index()].name.clone();
    ids.into_iter().map(name).collect()
}

/// Decides which nodes of `animation` are inserted into the model.
///
/// Goes through the matched joints, parents first. The chain of unmatched nodes above a joint is inserted if a clip drives
/// a node of it. It is also inserted if the joint's rest transform in the model is closer to the product of the chain's and
/// the joint's than to the joint's alone, because then the model's file has merged them. It is not inserted if the model's
/// joint is attached to another joint than the chain.
pub(super) fn plan(
    model: &Skeleton,
    animation: &Skeleton,
    matching: &Matching,
    animated: &[bool],
) -> Insertion {
    let chains = chains(animation, matching, animated);
    let mut insertion = Insertion::default();
    for (id, joint) in animation.iter() {
        let (Some(target), Some(parent)) = (matching.model_joint(id), joint.parent) else {
            continue;
        };
        let ours = &model.nodes()[target.index()];
        match chains[parent.index()] {
            Some(chain) if !is_needed(&chain, &ours.rest, &joint.rest) => {}
            Some(chain) => {
                let anchor = chain.anchor.and_then(|anchor| matching.model_joint(anchor));
                let has_same_parent = chain.anchor.is_none() || anchor == ours.parent;
                let fits =
                    has_same_parent && insertion.add(animation, parent, &chain, target, ours);
                insertion.misparented.extend((!fits).then_some(id));
            }
            None => {
                let differs =
                    matching.model_joint(parent) != matched_above(model, matching, target);
                insertion.misparented.extend(differs.then_some(id));
            }
        }
    }
    insertion
}

/// The nearest matched joint above `joint` in the model.
fn matched_above(model: &Skeleton, matching: &Matching, joint: NodeId) -> Option<NodeId> {
    let parent_of = |id: &NodeId| model.nodes()[id.index()].parent;
    let above = std::iter::successors(parent_of(&joint), parent_of).take(FEW_LEVELS);
    above
        .into_iter()
        .find(|id| matching.animation_joint(*id).is_some())
}

/// How many levels up a matched ancestor is searched; exporters add two or three helper nodes.
const FEW_LEVELS: usize = 16;

fn is_needed(chain: &Chain, ours: &LocalTransform, theirs: &LocalTransform) -> bool {
    let (ours, theirs) = (to_f64(ours), to_f64(theirs));
    chain.moves || distance(ours, chain.rest * theirs) < distance(ours, theirs)
}

fn distance(a: DMat4, b: DMat4) -> f64 {
    let difference = (a - b).to_cols_array();
    difference.iter().map(|entry| entry * entry).sum()
}

impl Insertion {
    /// Inserts the `chain` that ends in `bottom` between `target` (`ours`) and its parent.
    ///
    /// Returns false, and does nothing, if its upper end is already attached to another joint or it has no inverse.
    fn add(
        &mut self,
        animation: &Skeleton,
        bottom: NodeId,
        chain: &Chain,
        target: NodeId,
        ours: &Node,
    ) -> bool {
        let elsewhere = self
            .nodes
            .get(&chain.top)
            .is_some_and(|parent| *parent != ours.parent);
        let Some(rest) = relative_to(chain.rest, &ours.rest).filter(|_| !elsewhere) else {
            return false;
        };
        self.reparented.insert(target, (bottom, rest));
        let parent_of = |id: &NodeId| animation.nodes()[id.index()].parent;
        for node in std::iter::successors(Some(bottom), parent_of) {
            let known = self.nodes.insert(node, ours.parent).is_some();
            if known || node == chain.top {
                break;
            }
        }
        true
    }
}

/// `above⁻¹ · rest`; as translation, rotation and scale if `rest` is and they suffice. `None` if `above` has no inverse.
fn relative_to(above: DMat4, rest: &LocalTransform) -> Option<LocalTransform> {
    let inverse = above.inverse();
    let exact = |a: DMat4, b: DMat4| a.abs_diff_eq(b, EXACT * largest_entry(b));
    if !inverse.is_finite() || !exact(above * inverse, DMat4::IDENTITY) {
        return None;
    }
    let matrix: Mat4 = (inverse * to_f64(rest)).as_mat4();
    let parts = LocalTransform::Trs(LocalTransform::Matrix(matrix).to_trs());
    let by_parts =
        matches!(rest, LocalTransform::Trs(_)) && exact(to_f64(&parts), matrix.as_dmat4());
    let relative = if by_parts {
        parts
    } else {
        LocalTransform::Matrix(matrix)
    };
    matrix.is_finite().then_some(relative)
}

fn largest_entry(matrix: DMat4) -> f64 {
    matrix
        .to_cols_array()
        .into_iter()
        .map(f64::abs)
        .fold(0.0, f64::max)
}

/// Carries out `insertion`: builds the new skeleton and renumbers every node id of the asset except in its clips.
///
/// Returns the model's joint for each joint of the animation file.
pub(super) fn apply(
    asset: &mut Asset,
    animation: &Skeleton,
    matching: &Matching,
    insertion: &Insertion,
) -> Vec<Option<NodeId>> {
    let mut order = Order::default();
    for (id, joint) in asset.skeleton.iter() {
        order.put(id, joint, animation, insertion);
    }
    let new_from_old = |id: NodeId| order.new_from_old[id.index()];
    for joint in asset.skins.iter_mut().flat_map(|skin| &mut skin.joints) {
        *joint = new_from_old(*joint);
    }
    for instance in &mut asset.instances {
        instance.node = new_from_old(instance.node);
    }
    let stated = asset.humanoid.iter_mut().flat_map(Humanoid::nodes_mut);
    let constrained = asset.constraints.iter_mut().flat_map(Constraint::nodes_mut);
    for node in asset
        .hidden_nodes
        .iter_mut()
        .chain(constrained)
        .chain(stated)
    {
        *node = new_from_old(*node);
    }
    if !asset.origins.nodes.is_empty() {
        let mut origins = vec![String::new(); order.joints.len()];
        for (old, new) in order.new_from_old.iter().enumerate() {
            origins[new.index()] = std::mem::take(&mut asset.origins.nodes[old]);
        }
        asset.origins.nodes = origins;
    }
    for channel in asset.origins.channels.iter_mut().flatten() {
        channel.id.node = new_from_old(channel.id.node);
    }
    let id_of = |(id, _): (NodeId, &Node)| {
        let matched = matching.model_joint(id).map(new_from_old);
        matched.or_else(|| order.new_from_node.get(&id).copied())
    };
    let model_from_animation = animation.iter().map(id_of).collect();
    asset.skeleton = Skeleton::new(order.joints).expect("every parent was put before its child");
    model_from_animation
}

/// The new list of joints, parents first while it grows.
#[derive(Default)]
struct Order {
    joints: Vec<Node>,
    new_from_old: Vec<NodeId>,
    new_from_node: BTreeMap<NodeId, NodeId>,
}

impl Order {
    /// Appends the model's joint `id`, after the inserted nodes that it is attached to.
    fn put(&mut self, id: NodeId, joint: &Node, animation: &Skeleton, insertion: &Insertion) {
        let mut moved = Node {
            name: joint.name.clone(),
            parent: joint.parent.map(|parent| self.new_from_old[parent.index()]),
            rest: joint.rest,
        };
        if let Some((node, rest)) = insertion.reparented.get(&id) {
            moved.parent = Some(self.put_chain(*node, moved.parent, animation, insertion));
            moved.rest = *rest;
        }
        let new = self.push(moved);
        self.new_from_old.push(new);
    }

    /// Appends the inserted nodes from the highest, a child of `parent`, down to `bottom`.
    fn put_chain(
        &mut self,
        bottom: NodeId,
        parent: Option<NodeId>,
        animation: &Skeleton,
        insertion: &Insertion,
    ) -> NodeId {
        let parent_of = |id: &NodeId| animation.nodes()[id.index()].parent;
        let upwards = std::iter::successors(Some(bottom), parent_of);
        let inserted = upwards.take_while(|node| insertion.inserts(*node));
        let missing: Vec<NodeId> = inserted
            .take_while(|node| !self.new_from_node.contains_key(node))
            .collect();
        for node in missing.into_iter().rev() {
            let source = &animation.nodes()[node.index()];
            let above = source
                .parent
                .and_then(|above| self.new_from_node.get(&above));
            let new = self.push(Node {
                parent: above.copied().or(parent),
                ..source.clone()
            });
            self.new_from_node.insert(node, new);
        }
        self.new_from_node[&bottom]
    }

    fn push(&mut self, joint: Node) -> NodeId {
        self.joints.push(joint);
        NodeId::from_index(self.joints.len() - 1)
    }
}
