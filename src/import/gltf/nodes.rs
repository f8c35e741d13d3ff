//! The hierarchy: every node of the file becomes a joint, whether or not it is in the scene (glTF 2.0, §3.5).
//!
//! Skins may bind nodes that are in no scene, and clips may move them; what hangs on a node outside of the scene is not
//! shown.

use glam::{Mat4, Quat, Vec3};
use gltf::json::{Index, Node, Root};

use super::document::Document;
use super::error::GltfError;
use crate::import::notes::Notes;
use crate::rig::{Joint, JointId, LocalTransform, Trs};

/// How far from 1 the squared length of a rotation may be for it to count as a unit quaternion: a few roundings of f32.
const UNIT: f32 = 1e-5;

/// The nodes of a document as joints.
pub(super) struct Nodes {
    /// Parents first: the trees of the scene in its order, depth first, then the others.
    pub(super) joints: Vec<Joint>,
    /// The node of each joint.
    pub(super) node_of: Vec<usize>,
    /// The joint of each node.
    pub(super) joint_of: Vec<JointId>,
    /// For each joint, whether it is in the scene.
    pub(super) is_shown: Vec<bool>,
}

impl Nodes {
    /// Reads the whole hierarchy, without recursion: a file may be as deep as it likes.
    ///
    /// # Errors
    ///
    /// [`GltfError::Missing`], [`GltfError::TwoParents`] and [`GltfError::Cycle`].
    pub(super) fn read(document: &Document, notes: &mut Notes) -> Result<Self, GltfError> {
        let root = &document.root;
        let parents = parents(root)?;
        let scene = scene(document, &parents, notes)?;
        let mut nodes = Self {
            joints: Vec::with_capacity(root.nodes.len()),
            node_of: Vec::with_capacity(root.nodes.len()),
            joint_of: vec![JointId(u32::MAX); root.nodes.len()],
            is_shown: vec![false; root.nodes.len()],
        };
        let tops: Result<Vec<usize>, GltfError> =
            scene.iter().map(|&node| top(&parents, node)).collect();
        let others = (0..root.nodes.len()).filter(|&node| parents[node].is_none());
        let mut is_added = vec![false; root.nodes.len()];
        for tree in tops?.into_iter().chain(others) {
            nodes.add_tree(root, tree, &mut is_added, notes);
        }
        if let Some(node) = is_added.iter().position(|added| !added) {
            return Err(GltfError::Cycle { node });
        }
        nodes.show(&scene);
        Ok(nodes)
    }

    fn add_tree(&mut self, root: &Root, tree: usize, is_added: &mut [bool], notes: &mut Notes) {
        let mut pending = vec![(tree, None)];
        while let Some((index, parent)) = pending.pop() {
            if std::mem::replace(&mut is_added[index], true) {
                continue;
            }
            let node = &root.nodes[index];
            let id = JointId::from_index(self.joints.len());
            self.joint_of[index] = id;
            self.node_of.push(index);
            self.joints.push(Joint {
                name: node.name.clone().unwrap_or_default(),
                parent,
                rest: rest(node, index, notes),
            });
            let children = node.children.iter().flatten().rev();
            pending.extend(children.map(|child| (child.value(), Some(id))));
        }
    }

    /// Marks what is in the scene: the nodes that it names and all below.
    fn show(&mut self, scene: &[usize]) {
        for &node in scene {
            self.is_shown[self.joint_of[node].index()] = true;
        }
        for joint in 0..self.joints.len() {
            if let Some(parent) = self.joints[joint].parent {
                self.is_shown[joint] |= self.is_shown[parent.index()];
            }
        }
    }
}

/// The parent of each node; children are all there.
fn parents(root: &Root) -> Result<Vec<Option<usize>>, GltfError> {
    let count = root.nodes.len();
    let mut parents = vec![None; count];
    for (parent, node) in root.nodes.iter().enumerate() {
        for child in node.children.iter().flatten() {
            let child = child.value();
            let known = parents.get_mut(child).ok_or_else(|| GltfError::Missing {
                place: format!("nodes[{parent}].children"),
                kind: "node",
                index: child,
                count,
            })?;
            if let Some(first) = known.replace(parent) {
                return Err(GltfError::TwoParents {
                    child,
                    first,
                    second: parent,
                });
            }
        }
    }
    Ok(parents)
}

/// The nodes that the scene names: the default one, else the first, else all nodes without a parent.
fn scene(
    document: &Document,
    parents: &[Option<usize>],
    notes: &mut Notes,
) -> Result<Vec<usize>, GltfError> {
    let root = &document.root;
    let (index, scene) = match root.scene {
        Some(index) => (index.value(), document.part(index, || "scene".to_owned())?),
        None => match root.scenes.first() {
            Some(first) => (0, first),
            None => {
                return Ok((0..parents.len())
                    .filter(|&node| parents[node].is_none())
                    .collect());
            }
        },
    };
    for node in &scene.nodes {
        document.part(*node, || format!("scenes[{index}]"))?;
        if let Some(parent) = parents[node.value()] {
            let child = node.value();
            let message =
                format!("names nodes[{child}], which stays below its parent, nodes[{parent}]");
            notes.add(format!("scenes[{index}]"), message);
        }
    }
    Ok(scene.nodes.iter().map(Index::value).collect())
}

/// The node without a parent above `node`.
fn top(parents: &[Option<usize>], node: usize) -> Result<usize, GltfError> {
    let mut top = node;
    // In a circle there is always a further one.
    for _ in 0..parents.len() {
        match parents[top] {
            Some(parent) => top = parent,
            None => return Ok(top),
        }
    }
    Err(GltfError::Cycle { node: top })
}

/// The parts as they are, or the matrix as it is (§3.5.2, §3.5.3).
fn rest(node: &Node, index: usize, notes: &mut Notes) -> LocalTransform {
    let has_parts = node.translation.is_some() || node.rotation.is_some() || node.scale.is_some();
    if let Some(matrix) = &node.matrix {
        if has_parts {
            let message = "has both a matrix and parts of one; the matrix counts";
            notes.add(format!("nodes[{index}]"), message);
        }
        return LocalTransform::Matrix(Mat4::from_cols_array(matrix));
    }
    LocalTransform::Trs(Trs {
        translation: node.translation.map_or(Vec3::ZERO, Vec3::from),
        rotation: node
            .rotation
            .map_or(Quat::IDENTITY, |rotation| unit(rotation.0, index, notes)),
        scale: node.scale.map_or(Vec3::ONE, Vec3::from),
    })
}

/// A rotation that is none has no meaning in the standard; one of another length than 1 is meant as its direction.
fn unit(rotation: [f32; 4], index: usize, notes: &mut Notes) -> Quat {
    let rotation = Quat::from_array(rotation);
    let length_squared = rotation.length_squared();
    if (length_squared - 1.0).abs() <= UNIT || !rotation.is_finite() {
        return rotation;
    }
    let (unit, message) = if length_squared.is_normal() {
        let message = "its rotation is no unit quaternion; it is taken as one";
        (rotation / length_squared.sqrt(), message)
    } else {
        (
            Quat::IDENTITY,
            "its rotation has no direction; it is taken as none",
        )
    };
    notes.add(format!("nodes[{index}]"), message);
    unit
}

#[cfg(test)]
mod tests;
