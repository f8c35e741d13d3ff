//! The hierarchy: every node becomes a joint, with helpers where a plain hierarchy needs them.

use glam::DVec3;
use ufbx::{AnimStack, AnimValue, InheritMode, Interpolation, Mesh, Node, RefList, Scene};

use super::evaluate;
use super::load::{dvec3, of_object};
use super::local::{Local, geometric};
use crate::rig::{NodeId, Trs};
use crate::{hierarchy, source};

/// A node of the file in the skeleton.
#[derive(Clone, Copy)]
pub(super) struct MappedNode<'a> {
    pub(super) node: &'a Node,
    /// The joint with the node's name and whole transform.
    pub(super) joint: NodeId,
    /// The joint above it with its translation and rotation, if the scale is separate.
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
    /// For each of `list`, the node of the file that it comes from.
    pub(super) origins: Vec<String>,
    /// In the order of their joints.
    pub(super) mapped: Vec<MappedNode<'a>>,
    /// In the order of their joints.
    pub(super) shown: Vec<Shown<'a>>,
    /// Indices into `mapped` by the node's number in the file; none for the root, which no file contains.
    by_node: Vec<Option<usize>>,
    /// By the node's number: whether it and the scale that it inherits are always 1.
    is_unit: Vec<bool>,
}

impl<'a> Nodes<'a> {
    /// Reads the hierarchy depth first, in the order of the file. ufbx has already refused cycles.
    pub(super) fn read(scene: &'a Scene) -> Self {
        let count = scene.nodes.count;
        let mut nodes = Self {
            list: Vec::with_capacity(count),
            origins: Vec::with_capacity(count),
            mapped: Vec::with_capacity(count),
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

    /// The joint with the name of `node`.
    pub(super) fn joint_of(&self, node: &Node) -> Option<NodeId> {
        self.find(node).map(|mapped| mapped.joint)
    }

    fn find(&self, node: &Node) -> Option<&MappedNode<'a>> {
        let index = self.by_node.get(node.element.typed_id as usize).copied();
        self.mapped.get(index.flatten()?)
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
            let (rigid, scale) = split(rest);
            let id = self.push(node, format!("{name} (unscaled)"), parent, rigid);
            parent = Some(id);
            (Some(id), scale)
        } else {
            (None, rest)
        };
        let joint = self.push(node, name, parent, own);
        self.by_node[number] = Some(self.mapped.len());
        self.mapped.push(MappedNode {
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

    /// Adds the meshes of `node`. The first is attached to the node itself unless there is a geometric transform. The
    /// others have joints of their own, because morph weights are driven by joint.
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

    /// Whether the scale of `node`, and the scale that it inherits outside its parent's matrix, are 1 at all times.
    fn has_unit_scale(&self, node: &Node, stacks: &RefList<AnimStack>) -> bool {
        let inherits_unit = match (node.inherit_mode, &node.inherit_scale_node) {
            (InheritMode::Normal, _) | (_, None) => true,
            (_, Some(from)) => self.is_unit[from.element.typed_id as usize],
        };
        let scale = dvec3(node.local_transform.scale);
        let mut stacks = stacks.into_iter();
        let free = !evaluate::is_connected(&node.element, evaluate::SCALING);
        inherits_unit && free && scale == DVec3::ONE && stacks.all(|stack| stays_unit(stack, node))
    }
}

/// Whether `stack` keeps the scale of `node` at 1 after its layers are combined.
fn stays_unit(stack: &AnimStack, node: &Node) -> bool {
    let mut layers = evaluate::playing(&stack.anim);
    layers.all(|(index, layer)| {
        let mut scales =
            evaluate::values_of(layer, &node.element, |name| name == evaluate::SCALING);
        // The first layer's value is used unchanged. Products and means of ones are 1; sums are not.
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

/// The transform without its scale, and the scale alone.
fn split(transform: Trs) -> (Trs, Trs) {
    let rigid = Trs {
        scale: Trs::IDENTITY.scale,
        ..transform
    };
    let scale = Trs {
        scale: transform.scale,
        ..Trs::IDENTITY
    };
    (rigid, scale)
}
