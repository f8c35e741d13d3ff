//! Which node shows which mesh.

use russimp::sys::aiScene;

use super::fbx;
use super::format::Format;
use super::meshes::BoundMesh;
use super::morphs;
use super::nodes::Nodes;
use super::notes::Notes;
use super::raw::Raw;
use crate::rig::{JointId, Mesh, MeshId, MeshInstance};

/// One instance for each mesh of each node, in the order of the nodes.
///
/// * `fbx` – what an FBX file says beside assimp.
/// * `meshes` – those of `scene`, in its order.
pub(super) fn read(
    scene: Raw<'_, aiScene>,
    format: Format,
    fbx: &fbx::Companion,
    hierarchy: &Nodes<'_>,
    meshes: &[BoundMesh],
    notes: &mut Notes,
) -> Vec<MeshInstance> {
    let weights: Vec<Vec<f32>> = scene
        .meshes()
        .zip(meshes)
        .map(|(raw, bound)| match raw {
            Some(_) if format == Format::Fbx => fbx_weights(&bound.mesh, fbx),
            Some(raw) => morphs::rest_weights(raw),
            None => Vec::new(),
        })
        .collect();
    let mut instances = Vec::new();
    for (index, meshes_of_joint) in hierarchy.meshes.iter().enumerate() {
        for &mesh in *meshes_of_joint {
            let mesh = mesh as usize;
            let Some(bound) = meshes.get(mesh) else {
                let name = &hierarchy.joints[index].name;
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

/// As the file says; none where it does not, as assimp's weight of 1 for all is made up.
fn fbx_weights(mesh: &Mesh, fbx: &fbx::Companion) -> Vec<f32> {
    let targets = mesh.morph_targets.iter();
    targets
        .map(|target| fbx.rest_weight(&target.name).unwrap_or(0.0))
        .collect()
}
