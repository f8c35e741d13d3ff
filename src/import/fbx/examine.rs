//! What is wrong with a file, whatever is made of it.
//!
//! ufbx keeps most of a file as it is; what it mends or drops without a word is not [`EXAMINED`].

mod clips;
pub(super) mod clusters;
mod curves;
mod meshes;
mod nodes;

use ufbx::Scene;

use super::nodes::Nodes;
use crate::import::defects::Defects;
use crate::rig::DefectKind;

/// What is looked for, and what no FBX file can hold: clusters are connected to their joint and no index says which,
/// rotations are angles about axes, and a node's transform is never a matrix. With the file's own words at hand,
/// [`clusters::KINDS`] too.
const EXAMINED: &[DefectKind] = &[
    DefectKind::NonfiniteWeight,
    DefectKind::NegativeWeight,
    DefectKind::WeightsNotNormalized,
    DefectKind::DuplicateInfluence,
    DefectKind::JointIndexOutOfRange,
    DefectKind::VertexIndexOutOfRange,
    DefectKind::SkinWithoutWeights,
    DefectKind::JointWithoutNode,
    DefectKind::HierarchyCycle,
    DefectKind::NonunitRotation,
    DefectKind::SegmentScaleCompensate,
    DefectKind::EmptyChannel,
    DefectKind::UnorderedKeys,
    DefectKind::ConflictingKeys,
    DefectKind::NegativeTime,
    DefectKind::KeyPastEnd,
    DefectKind::NonfiniteKey,
    DefectKind::NonunitKey,
    DefectKind::ZeroQuaternion,
    DefectKind::InterpolationLost,
    DefectKind::DuplicateChannel,
    DefectKind::TargetMissing,
    DefectKind::ChannelOnMatrixNode,
    DefectKind::FaceIndexOutOfRange,
    DefectKind::NonunitNormal,
];

/// What was looked for in `scene`.
pub(super) fn examined(scene: &Scene) -> impl Iterator<Item = DefectKind> {
    let told = clusters::are_told(scene).then_some(clusters::KINDS);
    EXAMINED.iter().copied().chain(told.into_iter().flatten())
}

/// Adds what is wrong with `scene` to `defects`.
pub(super) fn examine(scene: &Scene, nodes: &Nodes<'_>, defects: &mut Defects) {
    nodes::examine(scene, defects);
    meshes::examine(nodes, defects);
    clips::examine(scene, defects);
}

#[cfg(test)]
mod tests;
