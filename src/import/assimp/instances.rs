//! The meshes that nodes show.

use russimp::sys::aiScene;

use super::meshes::BoundMesh;
use super::morphs;
use super::nodes::Nodes;
use super::raw::Raw;
use crate::import::notes::Notes;
use crate::rig::{MeshId, MeshInstance, NodeId};

/// One instance for each mesh of each node, in the order of the nodes.
///
/// * `meshes` – the meshes of `scene`, in its order.
pub(super) fn read(
    scene: Raw<'_, aiScene>,
    hierarchy: &Nodes<'_>,
    meshes: &[BoundMesh],
    notes: &mut Notes,
) -> Vec<MeshInstance> {
    let weights: Vec<Vec<f32>> = scene
        .meshes()
        .map(|raw| raw.map(morphs::rest_weights).unwrap_or_default())
        .collect();
    let mut instances = Vec::new();
    for (index, meshes_of_joint) in hierarchy.meshes.iter().enumerate() {
        for &mesh in *meshes_of_joint {
            let mesh = mesh as usize;
            let Some(bound) = meshes.get(mesh) else {
                let name = &hierarchy.joints[index].name;
                notes.add(format!("joint {name:?}"), "has a mesh that does not exist");
                continue;
            };
            if bound.mesh.triangles.is_empty() {
                continue;
            }
            instances.push(MeshInstance {
                node: NodeId::from_index(index),
                mesh: MeshId::from_index(mesh),
                skin: bound.skin,
                morph_weights: weights[mesh].clone(),
            });
        }
    }
    instances
}
