//! Which node shows which mesh.

use russimp::sys::aiScene;

use super::meshes::BoundMesh;
use super::morphs;
use super::nodes::Nodes;
use super::notes::Notes;
use super::raw::Raw;
use crate::rig::{JointId, MeshId, MeshInstance};

/// One instance for each mesh of each node, in the order of the nodes.
///
/// * `meshes` – those of `scene`, in its order.
pub(super) fn read(
    scene: Raw<'_, aiScene>,
    nodes: &Nodes<'_>,
    meshes: &[BoundMesh],
    notes: &mut Notes,
) -> Vec<MeshInstance> {
    let weights: Vec<Vec<f32>> = scene
        .meshes()
        .map(|mesh| mesh.map(morphs::rest_weights).unwrap_or_default())
        .collect();
    let mut instances = Vec::new();
    for (index, node) in nodes.raw.iter().enumerate() {
        for &mesh in node.mesh_indices() {
            let mesh = mesh as usize;
            let Some(bound) = meshes.get(mesh) else {
                let name = &nodes.joints[index].name;
                notes.add(format!("joint {name:?}"), "holds a mesh that is not there");
                continue;
            };
            if bound.mesh.triangles.is_empty() {
                continue;
            }
            instances.push(MeshInstance {
                joint: JointId::from_index(index),
                mesh: MeshId::from_index(mesh),
                skin: bound.skin,
                morph_weights: weights[mesh].clone(),
            });
        }
    }
    instances
}
