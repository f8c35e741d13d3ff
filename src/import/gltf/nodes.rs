//! The hierarchy: every node of the file becomes a joint, whether or not it is in the scene (glTF 2.0, §3.5).
//!
//! Skins may bind nodes that are in no scene, and clips may move them; what hangs on a node outside of the scene is not
//! shown.

use glam::{Mat4, Quat, Vec3};

use super::document;
use super::error::GltfError;
use super::json::{Root, Whole};
use super::links;
use super::log::Log;
use crate::import::unit::{self, rounded};
use crate::rig::{DefectKind, Joint, JointId, LocalTransform, Trs, length_squared};

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
    /// [`GltfError::Missing`].
    pub(super) fn read(root: &Root<'_>, log: &mut Log) -> Result<Self, GltfError> {
        let mut parents = links::parents(root, log)?;
        let scene = scene(root)?;
        let named = scene.map_or(&[][..], |(_, nodes)| nodes);
        let named: Vec<usize> = named.iter().map(|node| node.index()).collect();
        links::cut_circles(root, &mut parents, &named, log);
        if let Some((index, _)) = scene {
            note_children(index, &named, &parents, log);
        }
        let mut nodes = Self {
            joints: Vec::with_capacity(root.nodes.len()),
            node_of: Vec::with_capacity(root.nodes.len()),
            joint_of: vec![JointId(u32::MAX); root.nodes.len()],
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
            let id = JointId::from_index(self.joints.len());
            self.joint_of[index] = id;
            self.node_of.push(index);
            self.joints.push(Joint {
                name: (*node.name).to_owned(),
                parent,
                rest: rest(root, index, log),
            });
            let children = node.children.iter().map(|child| child.index());
            let own = children.filter(|&child| parents[child] == Some(index));
            pending.extend(own.rev().map(|child| (child, Some(id))));
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

/// A scene by its number, and the nodes that it names.
type Named<'a> = (usize, &'a [Whole]);

/// The default scene or else the first; without one, all nodes are shown.
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

/// The parts as they are, or the matrix as it is (§3.5.2, §3.5.3).
fn rest(root: &Root<'_>, index: usize, log: &mut Log) -> LocalTransform {
    let node = &root.nodes[index];
    let has_parts = node.translation.is_some() || node.rotation.is_some() || node.scale.is_some();
    if let Some(matrix) = &node.matrix {
        if has_parts {
            let message = "has both a matrix and parts of one; the matrix counts";
            log.notes.add(format!("nodes[{index}]"), message);
        }
        return LocalTransform::Matrix(Mat4::from_cols_array(matrix));
    }
    let rotation = node.rotation.map(Quat::from_array);
    if let Some(rotation) = rotation {
        check_rotation(root, index, rotation, log);
    }
    LocalTransform::Trs(Trs {
        translation: node.translation.map_or(Vec3::ZERO, Vec3::from),
        rotation: rotation.map_or(Quat::IDENTITY, |rotation| normalized(rotation, index, log)),
        scale: node.scale.map_or(Vec3::ONE, Vec3::from),
    })
}

/// A rotation further from a unit quaternion than storage explains is a defect.
fn check_rotation(root: &Root<'_>, index: usize, rotation: Quat, log: &mut Log) {
    let length = unit::length(&rotation.to_array());
    if let Some(off) = unit::excess(length, unit::ROTATION) {
        let place = links::node_place(root, index);
        let message = format!("the rotation has length {}, not 1", rounded(length));
        let kind = DefectKind::NonunitRotation;
        log.defects.add_worst(kind, place, 1, off, message);
    }
}

/// A rotation that is none has no meaning in the standard; one of another length than 1 is meant as its direction.
fn normalized(rotation: Quat, index: usize, log: &mut Log) -> Quat {
    let length_squared = length_squared(rotation);
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
    log.notes.add(format!("nodes[{index}]"), message);
    unit
}

#[cfg(test)]
mod tests;
