//! Morph targets, as offsets from the base.

use glam::Vec3;
use russimp::sys::{aiAnimMesh, aiMesh, aiVector3D};

use super::math::vec3;
use super::names;
use super::raw::Raw;
use crate::import::notes::Notes;
use crate::rig::MorphTarget;

/// The targets of `mesh`. One that does not fit the mesh stays, without effect, so that the indices of the others do not
/// change.
pub(super) fn read(mesh: Raw<'_, aiMesh>, location: &str, notes: &mut Notes) -> Vec<MorphTarget> {
    let targets = mesh.morph_targets().enumerate();
    targets
        .map(|(index, target)| match target {
            Some(target) if target.mNumVertices == mesh.mNumVertices => offsets(mesh, target),
            odd => {
                let message = "has no effect, because its vertex count differs from its mesh's";
                notes.add(location, format!("morph target {index} {message}"));
                MorphTarget {
                    name: odd.map(|odd| names::text(&odd.mName)).unwrap_or_default(),
                    ..MorphTarget::default()
                }
            }
        })
        .collect()
}

/// The weights of the targets of `mesh` where no clip drives them.
pub(super) fn rest_weights(mesh: Raw<'_, aiMesh>) -> Vec<f32> {
    let targets = mesh.morph_targets();
    targets
        .map(|target| target.map_or(0.0, |target| target.mWeight))
        .collect()
}

fn offsets(mesh: Raw<'_, aiMesh>, target: Raw<'_, aiAnimMesh>) -> MorphTarget {
    MorphTarget {
        name: names::text(&target.mName),
        positions: differences(target.vertices(), mesh.vertices()),
        normals: differences(target.normals(), mesh.normals()),
        tangents: differences(target.tangents(), mesh.tangents()),
    }
}

/// `target - base`; empty if either is missing or nothing differs.
fn differences(target: &[aiVector3D], base: &[aiVector3D]) -> Vec<Vec3> {
    if target.len() != base.len() {
        return Vec::new();
    }
    let pairs = target.iter().zip(base);
    let offsets: Vec<Vec3> = pairs.map(|(&t, &b)| vec3(t) - vec3(b)).collect();
    if offsets.iter().all(|&offset| offset == Vec3::ZERO) {
        return Vec::new();
    }
    offsets
}
