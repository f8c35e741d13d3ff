//! What is wrong with a file, whatever is made of it.
//!
//! ufbx keeps most of a file as it is; what it mends or drops without a word is not [`examined`].

mod clips;
pub(super) mod clusters;
mod curves;
mod meshes;
mod nodes;

use ufbx::Scene;

use super::nodes::Nodes;
use crate::import::defects::Defects;
use crate::rig::DefectKind;

/// What was looked for in `scene`: every kind, or all but [`clusters::KINDS`] without the file's own words at hand.
///
/// Of the others no FBX file can hold some: clusters are connected to their joint and no index says which, rotations are
/// angles about axes, and a node's transform is never a matrix.
pub(super) fn examined(scene: &Scene) -> impl Iterator<Item = DefectKind> {
    let are_told = clusters::are_told(scene);
    let all = DefectKind::ALL.into_iter();
    all.filter(move |kind| are_told || !clusters::KINDS.contains(kind))
}

/// Adds what is wrong with `scene` to `defects`.
pub(super) fn examine(scene: &Scene, nodes: &Nodes<'_>, defects: &mut Defects) {
    nodes::examine(scene, defects);
    meshes::examine(nodes, defects);
    clips::examine(scene, defects);
}

#[cfg(test)]
mod tests;
