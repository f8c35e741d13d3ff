//! The hierarchy: every node of the file becomes a joint, whether or not it is in the scene (glTF 2.0, §3.5).
//!
//! Skins may bind nodes that are in no scene, and clips may move them. Meshes of nodes outside the scene are not shown.

use glam::{Mat4, Quat, Vec3};

use super::document;
use super::error::GltfError;
use super::json::Root;
use super::lenient::Whole;
use super::links;
use crate::import::log::Log;
use crate::import::source;
use crate::rig::{LocalTransform, NodeId, Trs};

/// The nodes of a document as joints.
pub(super) struct Nodes {
    /// Parents first: the trees of the scene in its order, depth first, then the others.
    pub(super) list: Vec<source::Node>,
    /// The node of each joint.
    pub(super) node_of: Vec<usize>,
    /// The joint of each node.
    pub(super) joint_of: Vec<NodeId>,
    /// For each joint, whether it is in the scene.
    pub(super) is_shown: Vec<bool>,
}

impl Nodes {
    /// Reads the hierarchy, without recursion because a file may be nested to any depth.
    ///
    /// # Errors
    ///
    /// [`GltfError::Missing`].
    pub(super) fn read(root: &Root<'_>, log: &mut Log) -> Result<Self, GltfError> {
        let mut parents = links::parents(root, log)?;
        let scene = scene(root)?;
        let named = scene.map_or(&[][..], |(_, nodes)| nodes);
        let named: Vec<usize> = named.iter().map(|node| node.index()).collect();
        links::cut_cycles(root, &mut parents, &named, log);
        if let Some((index, _)) = scene {
            note_children(index, &named, &parents, log);
        }
        let mut nodes = Self {
            list: Vec::with_capacity(root.nodes.len()),
            node_of: Vec::with_capacity(root.nodes.len()),
            joint_of: vec![NodeId(u32::MAX); root.nodes.len()],
            is_shown: vec![false; root.nodes.len()],
        };
        let others = (0..root.nodes.len()).filter(|&node| parents[node].is_none());
        let others: Vec<usize> = others.collect();
        let mut is_added = vec![false; root.nodes.len()];
        for tree in links::tops(&parents, &named).iter().chain(&others) {
            nodes.add_tree(root, *tree, &parents, &mut is_added, log);
        }
        nodes.show(if scene.is_some() { &named } else { &others });
        Ok(nodes)
    }

    fn add_tree(
        &mut self,
        root: &Root<'_>,
        tree: usize,
        parents: &[Option<usize>],
        is_added: &mut [bool],
        log: &mut Log,
    ) {
        let mut pending = vec![(tree, None)];
        while let Some((index, parent)) = pending.pop() {
            if std::mem::replace(&mut is_added[index], true) {
                continue;
            }
            let node = &root.nodes[index];
            let position = self.list.len();
            self.joint_of[index] = NodeId::from_index(position);
            self.node_of.push(index);
            self.list.push(source::Node {
                name: (*node.name).to_owned(),
                parent,
                rest: rest(root, index, log),
                number: Some(index),
            });
            let children = node.children.iter().map(|child| child.index());
            let own = children.filter(|&child| parents[child] == Some(index));
            pending.extend(own.rev().map(|child| (child, Some(position))));
        }
    }

    /// Marks the nodes of the scene and their descendants as shown.
    fn show(&mut self, scene: &[usize]) {
        for &node in scene {
            self.is_shown[self.joint_of[node].index()] = true;
        }
        for joint in 0..self.list.len() {
            if let Some(parent) = self.list[joint].parent {
                self.is_shown[joint] |= self.is_shown[parent];
            }
        }
    }
}

/// The index of a scene, and its nodes.
type Named<'a> = (usize, &'a [Whole]);

/// The default scene, else the first; `None` if there is no scene, and all nodes are shown.
///
/// # Errors
///
/// [`GltfError::Missing`].
fn scene<'a>(root: &'a Root<'_>) -> Result<Option<Named<'a>>, GltfError> {
    let (index, scene) = match (root.scene, root.scenes.first()) {
        (Some(index), _) => {
            let scene = document::part(&root.scenes, index, || "scene".to_owned())?;
            (index.index(), scene)
        }
        (None, Some(first)) => (0, first),
        (None, None) => return Ok(None),
    };
    for &node in scene.nodes.iter() {
        document::part(&root.nodes, node, || format!("scenes[{index}]"))?;
    }
    Ok(Some((index, &scene.nodes)))
}

fn note_children(scene: usize, named: &[usize], parents: &[Option<usize>], log: &mut Log) {
    for &child in named {
        if let Some(parent) = parents[child] {
            let message =
                format!("names nodes[{child}], which stays below its parent, nodes[{parent}]");
            log.notes.add(format!("scenes[{scene}]"), message);
        }
    }
}

/// Translation, rotation and scale, or the matrix, unchanged (§3.5.2, §3.5.3).
fn rest(root: &Root<'_>, index: usize, log: &mut Log) -> LocalTransform {
    let node = &root.nodes[index];
    let has_parts = node.translation.is_some() || node.rotation.is_some() || node.scale.is_some();
    if let Some(matrix) = &node.matrix {
        if has_parts {
            let message = "has both a matrix and parts of one; the matrix is used";
            log.notes.add(format!("nodes[{index}]"), message);
        }
        return LocalTransform::Matrix(Mat4::from_cols_array(matrix));
    }
    LocalTransform::Trs(Trs {
        translation: node.translation.map_or(Vec3::ZERO, Vec3::from),
        rotation: node.rotation.map_or(Quat::IDENTITY, Quat::from_array),
        scale: node.scale.map_or(Vec3::ONE, Vec3::from),
    })
}

#[cfg(test)]
mod tests;
