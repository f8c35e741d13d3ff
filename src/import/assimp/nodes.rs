//! The hierarchy: every node becomes a joint.

use std::collections::HashMap;

use russimp::sys::{aiMesh, aiNode, aiScene};

use super::math::mat4;
use super::names;
use super::raw::Raw;
use crate::import::ImporterError;
use crate::rig::{Joint, JointId, LocalTransform};

/// The nodes of a scene, parents first, and how to find them.
#[derive(Default)]
pub(super) struct Nodes<'a> {
    /// One a node.
    pub(super) joints: Vec<Joint>,
    /// The node of each joint.
    pub(super) raw: Vec<Raw<'a, aiNode>>,
    by_address: HashMap<*const aiNode, JointId>,
    by_name: HashMap<Vec<u8>, Vec<JointId>>,
    mesh_names: Vec<Vec<u8>>,
}

impl<'a> Nodes<'a> {
    /// Reads the whole hierarchy, each child after its parent, in the order in which assimp searches for a name
    /// (depth first). Without recursion, as a file may be as deep as it likes.
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
            let Some(id) = nodes.add(node, parent) else {
                continue;
            };
            let children = node.children().rev().flatten();
            pending.extend(children.map(|child| (child, Some(id))));
        }
        Ok(nodes)
    }

    /// `None` for a node that is there already, so that a tangled hierarchy ends.
    fn add(&mut self, node: Raw<'a, aiNode>, parent: Option<JointId>) -> Option<JointId> {
        let id = JointId::from_index(self.joints.len());
        if self.by_address.contains_key(&node.address()) {
            return None;
        }
        self.by_address.insert(node.address(), id);
        let name = names::bytes(&node.mName);
        self.joints.push(Joint {
            name: names::decode(&name),
            parent,
            rest: LocalTransform::Matrix(mat4(&node.mTransformation)),
        });
        self.by_name.entry(name).or_default().push(id);
        self.raw.push(node);
        Some(id)
    }

    /// The joint of the node at `address`.
    pub(super) fn at(&self, address: *const aiNode) -> Option<JointId> {
        self.by_address.get(&address).copied()
    }

    /// All joints of that name, the one that assimp itself would find first.
    pub(super) fn named(&self, name: &[u8]) -> &[JointId] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// The joints that hold a mesh of that name, in order.
    pub(super) fn with_mesh_named(&self, name: &[u8]) -> Vec<JointId> {
        let called = |&mesh: &u32| {
            let known = self.mesh_names.get(mesh as usize);
            known.is_some_and(|known| known == name)
        };
        let ids = (0..self.raw.len()).map(JointId::from_index);
        ids.zip(&self.raw)
            .filter(|(_, node)| node.mesh_indices().iter().any(called))
            .map(|(id, _)| id)
            .collect()
    }
}
