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

/// Kinds that are not looked for in `scene`: [`clusters::KINDS`] if the file's raw elements were not kept, else nothing.
///
/// Of the other kinds no FBX file can hold some: clusters are connected to their joint and no index says which, rotations
/// are angles about axes, and a node's transform is never a matrix.
pub(super) fn hidden(scene: &Scene) -> Vec<DefectKind> {
    if clusters::are_told(scene) {
        Vec::new()
    } else {
        clusters::KINDS.to_vec()
    }
}

/// Adds what is wrong with `scene`, as far as what is made of it does not show it.
pub(super) fn examine(scene: &Scene, nodes: &Nodes<'_>, log: &mut Log) {
    nodes::examine(scene, &mut log.defects);
    meshes::examine(nodes, &mut log.defects);
    clips::examine(scene, log);
}

#[cfg(test)]
mod tests;
