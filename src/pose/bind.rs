//! The pose in which the mesh was bound to its joints.

use glam::Mat4;

use super::hierarchy::under_parent;
use super::{ModelPose, rest_morph_weights};
use crate::rig::Asset;

/// The pose in which skinning leaves every vertex where the mesh has it.
///
/// A bound joint stands at the inverse of its inverse bind matrix, in the mesh's space; where several skins bind it, the
/// first whose matrix has an inverse decides. Every other joint (unbound, or bound by singular matrices only) keeps its
/// rest transform relative to its parent, wherever that now is. Morph weights are those of rest.
#[must_use]
pub fn bind(asset: &Asset) -> ModelPose {
    let bound = bound_places(asset);
    let mut joints: Vec<Mat4> = Vec::with_capacity(bound.len());
    for (joint, place) in asset.skeleton.joints().iter().zip(bound) {
        let world =
            place.unwrap_or_else(|| under_parent(&joints, joint.parent, joint.rest.to_matrix()));
        joints.push(world);
    }
    ModelPose {
        joints,
        morph_weights: rest_morph_weights(asset),
    }
}

/// For each joint of the skeleton `mesh_from_joint` at bind time, where a skin tells it.
fn bound_places(asset: &Asset) -> Vec<Option<Mat4>> {
    let mut places = vec![None; asset.skeleton.len()];
    for skin in &asset.skins {
        for (joint, inverse_bind) in skin.joints.iter().zip(&skin.inverse_bind_matrices) {
            if let Some(place @ None) = places.get_mut(joint.index()) {
                *place = inverse(inverse_bind);
            }
        }
    }
    places
}

/// By way of f64, so that scales as small as a millimetre's in kilometres do not vanish in the determinant.
fn inverse(matrix: &Mat4) -> Option<Mat4> {
    let inverse = matrix.as_dmat4().inverse().as_mat4();
    inverse.is_finite().then_some(inverse)
}
