//! Defects of the file itself.
//!
//! ufbx keeps most of a file unchanged; [`hidden`] lists what it silently repairs or drops.

mod clips;
pub(super) mod clusters;
mod curves;
mod meshes;
mod nodes;

use ufbx::Scene;

use super::nodes::Nodes;
use crate::import::log::Log;
use crate::rig::DefectKind;

/// Kinds that cannot be found in `scene`: [`clusters::KINDS`] if ufbx did not retain the file's raw elements, else none.
///
/// Some of the other kinds cannot occur in FBX: a cluster is connected to its joint without an index, rotations are Euler
/// angles, and a node's transform is never a matrix.
pub(super) fn hidden(scene: &Scene) -> Vec<DefectKind> {
    if clusters::are_retained(scene) {
        Vec::new()
    } else {
        clusters::KINDS.to_vec()
    }
}

/// Records the defects of `scene` that the converted source no longer shows.
pub(super) fn examine(scene: &Scene, nodes: &Nodes<'_>, log: &mut Log) {
    nodes::examine(scene, &mut log.defects);
    meshes::examine(nodes, &mut log.defects);
    clips::examine(scene, log);
}

#[cfg(test)]
mod tests;
