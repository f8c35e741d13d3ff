//! The hierarchy: every node becomes a joint.

use std::collections::HashMap;

use glam::Mat4;
use russimp::sys::{aiMesh, aiNode, aiScene};

use super::geometric::Geometric;
use super::math::mat4;
use super::names;
use super::raw::Raw;
use crate::import::ImporterError;
use crate::rig::{LocalTransform, Node, NodeId};

/// The nodes of a scene, parents first, and how to find them.
#[derive(Default)]
pub(super) struct Nodes<'a> {
    /// One per node.
    pub(super) joints: Vec<Node>,
    /// The meshes that each joint holds, by their numbers in the scene.
    pub(super) meshes: Vec<&'a [u32]>,
    by_address: HashMap<*const aiNode, NodeId>,
    by_name: HashMap<Vec<u8>, Vec<NodeId>>,
    mesh_names: Vec<Vec<u8>>,
}

impl<'a> Nodes<'a> {
    /// Reads the hierarchy depth first, which is the order in which assimp searches for a name. The traversal is not
    /// recursive, because a file may be nested to any depth.
    ///
    /// # Errors
    ///
    /// [`ImporterError::NoScene`] if there is no root.
    pub(super) fn read(scene: Raw<'a, aiScene>) -> Result<Self, ImporterError> {
        let name = |mesh: Option<Raw<'_, aiMesh>>| mesh.map(|mesh| names::bytes(&mesh.mName));
        let mut nodes = Self {
            mesh_names: scene
                .meshes()
                .map(|mesh| name(mesh).unwrap_or_default())
                .collect(),
            ..Self::default()
        };
        let mut pending = vec![(scene.root().ok_or(ImporterError::NoScene)?, None)];
        while let Some((node, parent)) = pending.pop() {
            let Some((id, last)) = nodes.add(node, parent) else {
                continue;
            };
            let children = last.children().rev().flatten();
            pending.extend(children.map(|child| (child, Some(id))));
        }
        Ok(nodes)
    }

    /// Adds `node`, and returns its joint and the node whose children are the joint's.
    ///
    /// `None` for a node that was added before, so that a cyclic hierarchy ends.
    fn add(
        &mut self,
        node: Raw<'a, aiNode>,
        parent: Option<NodeId>,
    ) -> Option<(NodeId, Raw<'a, aiNode>)> {
        if self.by_address.contains_key(&node.address()) {
            return None;
        }
        let Some(geometric) = Geometric::of(node) else {
            let id = self.push(
                node,
                parent,
                mat4(&node.mTransformation),
                node.mesh_indices(),
            );
            return Some((id, node));
        };
        let id = self.push(geometric.model, parent, Mat4::IDENTITY, &[]);
        self.joints.push(Node {
            name: names::text(&node.mName),
            parent: Some(id),
            rest: LocalTransform::Matrix(geometric.model_from_geometry),
        });
        self.meshes.push(geometric.model.mesh_indices());
        Some((id, geometric.last))
    }

    fn push(
        &mut self,
        node: Raw<'a, aiNode>,
        parent: Option<NodeId>,
        rest: Mat4,
        meshes: &'a [u32],
    ) -> NodeId {
        let id = NodeId::from_index(self.joints.len());
        let name = names::bytes(&node.mName);
        self.joints.push(Node {
            name: names::decode(&name),
            parent,
            rest: LocalTransform::Matrix(rest),
        });
        self.meshes.push(meshes);
        self.by_address.insert(node.address(), id);
        self.by_name.entry(name).or_default().push(id);
        id
    }

    /// The joint of the node at `address`.
    pub(super) fn at(&self, address: *const aiNode) -> Option<NodeId> {
        self.by_address.get(&address).copied()
    }

    /// All joints of that name, the one that assimp itself would find first.
    pub(super) fn named(&self, name: &[u8]) -> &[NodeId] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// The joints that hold a mesh of that name, in order.
    pub(super) fn with_mesh_named(&self, name: &[u8]) -> Vec<NodeId> {
        let called = |&mesh: &u32| {
            let known = self.mesh_names.get(mesh as usize);
            known.is_some_and(|known| known == name)
        };
        let ids = (0..self.meshes.len()).map(NodeId::from_index);
        ids.zip(&self.meshes)
            .filter(|(_, meshes)| meshes.iter().any(called))
            .map(|(id, _)| id)
            .collect()
    }
}
