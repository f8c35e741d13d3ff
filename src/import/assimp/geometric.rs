//! FBX's geometric transform: it moves the meshes of a node, but neither the node nor its children.
//!
//! assimp turns it into nodes *above* the node with the model's name, and undoes it below
//! (`FBXConverter.cpp`, `GenerateTransformationNodeChain`):
//!
//! ```text
//! X_$AssimpFbx$_GeometricTranslation / …Rotation / …Scaling / X (meshes) / X_$AssimpFbx$_Geometric…Inverse / children
//! ```
//!
//! Bones and animations refer to X, which is then not where the file has it. This module restores X, with a joint below it
//! for the meshes, and the children beside that joint.

use glam::Mat4;
use russimp::sys::aiNode;

use super::math::mat4;
use super::names;
use super::raw::Raw;

const TAG: &[u8] = b"_$AssimpFbx$_Geometric";
const INVERSE: &[u8] = b"Inverse";

/// A chain of nodes that assimp made from a geometric transform.
pub(super) struct Geometric<'a> {
    /// X.
    pub(super) model: Raw<'a, aiNode>,
    /// The geometric transform.
    pub(super) model_from_geometry: Mat4,
    /// The node whose children belong to X.
    pub(super) last: Raw<'a, aiNode>,
}

impl<'a> Geometric<'a> {
    /// The chain that starts at `first`, if there is one.
    pub(super) fn of(first: Raw<'a, aiNode>) -> Option<Self> {
        let mut node = first;
        let mut model_from_geometry = Mat4::IDENTITY;
        while is_geometric(node) {
            model_from_geometry *= mat4(&node.mTransformation);
            node = only_child(node)?;
        }
        if node.address() == first.address() {
            return None;
        }
        model_from_geometry *= mat4(&node.mTransformation);
        let mut last = node;
        while let Some(next) = only_child(last).filter(|next| is_inverse(*next)) {
            last = next;
        }
        Some(Self {
            model: node,
            model_from_geometry,
            last,
        })
    }
}

fn only_child(node: Raw<'_, aiNode>) -> Option<Raw<'_, aiNode>> {
    let mut children = node.children();
    match (children.next(), children.next()) {
        (Some(child), None) => child,
        _ => None,
    }
}

fn is_geometric(node: Raw<'_, aiNode>) -> bool {
    is_tagged(node) && !names::bytes(&node.mName).ends_with(INVERSE)
}

fn is_inverse(node: Raw<'_, aiNode>) -> bool {
    is_tagged(node) && names::bytes(&node.mName).ends_with(INVERSE)
}

fn is_tagged(node: Raw<'_, aiNode>) -> bool {
    let name = names::bytes(&node.mName);
    name.windows(TAG.len()).any(|part| part == TAG)
}
