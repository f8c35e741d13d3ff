//! The hierarchy: every node becomes a joint, with helpers where a plain hierarchy needs them.

use glam::DVec3;
use ufbx::{AnimStack, AnimValue, InheritMode, Interpolation, Mesh, Node, RefList, Scene};

use super::curves;
use super::local::{Local, geometric};
use super::math::dvec3;
use super::origins::of_object;
use crate::import::hierarchy;
use crate::import::source;
use crate::rig::{NodeId, Trs};

/// A node of the file in the skeleton.
#[derive(Clone, Copy)]
pub(super) struct Placed<'a> {
    pub(super) node: &'a Node,
    /// The joint of the node's name, with its whole transform.
    pub(super) joint: NodeId,
    /// The joint above with its translation and rotation, if the scale is apart.
    pub(super) unscaled: Option<NodeId>,
}

/// A mesh and the joint that shows it.
#[derive(Clone, Copy)]
pub(super) struct Shown<'a> {
    pub(super) node: &'a Node,
    pub(super) joint: NodeId,
    pub(super) mesh: &'a Mesh,
}

/// The nodes of a scene as joints, parents first.
pub(super) struct Nodes<'a> {
    pub(super) list: Vec<source::Node>,
    /// For each of the list the node of the file that it stems from.
    pub(super) origins: Vec<String>,
    /// In the order of their joints.
    pub(super) placed: Vec<Placed<'a>>,
    /// In the order of their joints.
    pub(super) shown: Vec<Shown<'a>>,
    /// By the node's number in the file; none for the root, which no file contains.
    by_node: Vec<Option<usize>>,
    /// By the node's number: whether nothing below can tell that it has a scale.
    is_unit: Vec<bool>,
}

impl<'a> Nodes<'a> {
    /// Reads the whole hierarchy depth first, in the order of the file. ufbx has untangled it.
    pub(super) fn read(scene: &'a Scene) -> Self {
        let count = scene.nodes.count;
        let mut nodes = Self {
            list: Vec::with_capacity(count),
            origins: Vec::with_capacity(count),
            placed: Vec::with_capacity(count),
            shown: Vec::new(),
            by_node: vec![None; count],
            is_unit: vec![true; count],
        };
        let mut pending: Vec<&Node> = children(&scene.root_node).rev().collect();
        while let Some(node) = pending.pop() {
            nodes.add(node, &scene.anim_stacks);
            pending.extend(children(node).rev());
        }
        nodes
    }

    /// The joint of `node`'s name.
    pub(super) fn joint_of(&self, node: &Node) -> Option<NodeId> {
        self.find(node).map(|placed| placed.joint)
    }

    fn find(&self, node: &Node) -> Option<&Placed<'a>> {
        let index = self.by_node.get(node.element.typed_id as usize).copied();
        self.placed.get(index.flatten()?)
    }

    fn add(&mut self, node: &'a Node, stacks: &RefList<AnimStack>) {
        let number = node.element.typed_id as usize;
        self.is_unit[number] = self.has_unit_scale(node, stacks);
        let keeps_scale = |child: &Node| child.inherit_mode != InheritMode::Normal;
        let is_split = !self.is_unit[number] && children(node).any(keeps_scale);
        let rest = Local::new(None, node).trs();
        let name = node.element.name.to_string();
        let mut parent = self.parent_of(node);
        let (unscaled, own) = if is_split {
            let (place, scale) = split(rest);
            let id = self.push(node, format!("{name} (unscaled)"), parent, place);
            parent = Some(id);
            (Some(id), scale)
        } else {
            (None, rest)
        };
        let joint = self.push(node, name, parent, own);
        self.by_node[number] = Some(self.placed.len());
        self.placed.push(Placed {
            node,
            joint,
            unscaled,
        });
        self.show(node, joint);
    }

    fn parent_of(&self, node: &Node) -> Option<NodeId> {
        let parent = self.find(node.parent.as_deref()?)?;
        Some(match node.inherit_mode {
            InheritMode::Normal => parent.joint,
            _ => parent.unscaled.unwrap_or(parent.joint),
        })
    }

    /// Adds the meshes of `node`. One without a geometric transform is attached to the node itself, the first at least: a
    /// second has a joint of its own, because morph weights are driven by joint.
    fn show(&mut self, node: &'a Node, joint: NodeId) {
        let attributes = node.all_attribs.into_iter();
        let meshes = attributes.filter_map(|attribute| ufbx::as_mesh(attribute));
        for (index, mesh) in meshes.enumerate() {
            let on = if index > 0 || node.has_geometry_transform {
                let name = format!("{} (geometry)", node.element.name);
                self.push(node, name, Some(joint), geometric(node))
            } else {
                joint
            };
            self.shown.push(Shown {
                node,
                joint: on,
                mesh,
            });
        }
    }

    fn push(&mut self, node: &Node, name: String, parent: Option<NodeId>, rest: Trs) -> NodeId {
        let id = NodeId::from_index(self.list.len());
        self.origins.push(of_object("Model", &node.element));
        let parent = parent.map(NodeId::index);
        self.list.push(hierarchy::node(name, parent, rest));
        id
    }

    /// Whether `node`, with what it inherits apart from its parent's matrix, is never scaled.
    fn has_unit_scale(&self, node: &Node, stacks: &RefList<AnimStack>) -> bool {
        let inherits_unit = match (node.inherit_mode, &node.inherit_scale_node) {
            (InheritMode::Normal, _) | (_, None) => true,
            (_, Some(from)) => self.is_unit[from.element.typed_id as usize],
        };
        let scale = dvec3(node.local_transform.scale);
        let mut stacks = stacks.into_iter();
        let free = !curves::is_connected(&node.element, curves::SCALING);
        inherits_unit && free && scale == DVec3::ONE && stacks.all(|stack| stays_unit(stack, node))
    }
}

/// Whether all that `stack` says of the scale of `node` is 1, and stays so when its layers are put together.
fn stays_unit(stack: &AnimStack, node: &Node) -> bool {
    let mut layers = curves::playing(&stack.anim);
    layers.all(|(index, layer)| {
        let mut scales = curves::values_of(layer, &node.element, |name| name == curves::SCALING);
        // The first layer's value stands; others are multiplied, mixed, or indeed added to it.
        let adds = index > 0 && layer.additive && !layer.compose_scale;
        scales.all(|value| !adds && stays_one(value))
    })
}

fn children(node: &Node) -> impl DoubleEndedIterator<Item = &Node> {
    node.children.iter().map(AsRef::as_ref)
}

/// Whether all three curves are 1 throughout; a missing curve counts with its default.
#[expect(clippy::float_cmp, reason = "a scale that is 1 is written as 1")]
fn stays_one(value: &AnimValue) -> bool {
    let defaults = [
        value.default_value.x,
        value.default_value.y,
        value.default_value.z,
    ];
    let flat = |key: &ufbx::Keyframe| {
        let level = key.left.dy == 0.0 && key.right.dy == 0.0;
        key.value == 1.0 && (level || key.interpolation != Interpolation::Cubic)
    };
    let mut curves = value.curves.iter().zip(defaults);
    curves.all(|(curve, default)| match curve {
        Some(curve) if curve.keyframes.count > 0 => curve.keyframes.iter().all(flat),
        _ => default == 1.0,
    })
}

/// Without its scale, and the scale alone.
fn split(transform: Trs) -> (Trs, Trs) {
    let place = Trs {
        scale: Trs::IDENTITY.scale,
        ..transform
    };
    let scale = Trs {
        scale: transform.scale,
        ..Trs::IDENTITY
    };
    (place, scale)
}
