//! Skins (glTF 2.0, §3.7.3): every one of the file, in its order.

use glam::Mat4;

use super::accessors::{Accessors, Elements};
use super::document::Document;
use super::error::GltfError;
use super::nodes::Nodes;
use crate::rig::{JointId, Skin};

/// Reads all skins. One without matrices is bound by identities.
///
/// # Errors
///
/// [`GltfError`] for joints that are not there, and for matrices that are too few or cannot be read.
pub(super) fn read_all(
    document: &Document,
    accessors: &Accessors<'_>,
    nodes: &Nodes,
) -> Result<Vec<Skin>, GltfError> {
    let skins = document.root.skins.iter().enumerate();
    skins
        .map(|(index, skin)| {
            let place = || format!("skins[{index}]");
            let joint = |node: &gltf::json::Index<gltf::json::Node>| -> Result<JointId, GltfError> {
                document.part(*node, place)?;
                Ok(nodes.joint_of[node.value()])
            };
            let joints: Vec<JointId> = skin.joints.iter().map(joint).collect::<Result<_, _>>()?;
            let mut matrices = match skin.inverse_bind_matrices {
                Some(accessor) => accessors.floats::<16>(accessor, Elements::All, place)?,
                None => vec![Mat4::IDENTITY.to_cols_array(); joints.len()],
            };
            if matrices.len() < joints.len() {
                return Err(GltfError::TooFewMatrices {
                    skin: index,
                    matrices: matrices.len(),
                    joints: joints.len(),
                });
            }
            matrices.truncate(joints.len());
            Ok(Skin {
                name: skin.name.clone().unwrap_or_default(),
                joints,
                inverse_bind_matrices: matrices.iter().map(Mat4::from_cols_array).collect(),
            })
        })
        .collect()
}
