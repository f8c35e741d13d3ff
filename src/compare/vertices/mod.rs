//! Compares the skinned vertices of two paths with the exact result.

mod attribute;
#[cfg(test)]
mod tests;

use glam::{DVec3, Vec3};

use super::Spread;
use crate::rig::{Bounds, DeformedMesh, InstanceId};
use attribute::{Kind, Lists};

pub use attribute::{AttributeReport, WorstVertex, WrongCounts};

/// The exact values of one attribute, and the bounds on an f32 path's distance from them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Known {
    /// One per vertex.
    pub values: Vec<DVec3>,
    /// The largest distance that rounding explains, as many. For unit vectors, 2 means no bound; for positions,
    /// infinity.
    pub bounds: Vec<f64>,
}

/// The exact result of skinning one mesh instance.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshTruth {
    /// The instance of the asset.
    pub instance: InstanceId,
    /// World space, in the asset's unit of length.
    pub positions: Known,
    /// Unit vectors, or zero.
    pub normals: Known,
    /// Unit vectors, or zero.
    pub tangents: Known,
    /// Unit vectors, or zero.
    pub bitangents: Known,
}

/// The comparison of two paths that skin the same model in the same pose.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct VertexReport {
    /// Diagonal of the box around all exact positions; the divisor of [`VertexReport::relative`].
    pub diagonal: f64,
    /// Distances in the asset's unit of length.
    pub positions: AttributeReport,
    /// Distances of unit vectors: radians, where they are small.
    pub normals: AttributeReport,
    /// As the normals.
    pub tangents: AttributeReport,
    /// As the normals.
    pub bitangents: AttributeReport,
}

impl VertexReport {
    /// The four attributes with their names.
    #[must_use]
    pub fn attributes(&self) -> [(&'static str, &AttributeReport); 4] {
        [
            ("positions", &self.positions),
            ("normals", &self.normals),
            ("tangents", &self.tangents),
            ("bitangents", &self.bitangents),
        ]
    }

    /// Whether both paths are everywhere as close to the exact result as rounding in any order of operations explains.
    ///
    /// Two such paths are at most twice the bound apart.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.attributes().iter().all(|(_, report)| report.agrees())
    }

    /// Distances of positions as fractions of the diagonal.
    #[must_use]
    pub fn relative(&self) -> Spread {
        if self.diagonal > 0.0 {
            self.positions.distance.scaled(1.0 / self.diagonal)
        } else {
            Spread::default()
        }
    }
}

/// Compares the results of two paths for the same model in the same pose.
///
/// * `first`, `second` – one mesh for each of `truth`, in the same order. A mesh or vertex that is missing counts as
///   infinitely wrong.
/// * `truth` – the exact result: the reference and its bounds.
#[must_use]
pub fn vertices(
    first: &[DeformedMesh],
    second: &[DeformedMesh],
    truth: &[MeshTruth],
) -> VertexReport {
    let report = |kind, of: fn(&DeformedMesh) -> &[Vec3], known: fn(&MeshTruth) -> &Known| {
        let lists = truth.iter().enumerate().map(|(index, truth)| Lists {
            instance: truth.instance,
            first: list(first, index, truth.instance, of),
            second: list(second, index, truth.instance, of),
            known: known(truth),
        });
        attribute::compare(kind, lists)
    };
    VertexReport {
        diagonal: diagonal(truth),
        positions: report(Kind::Position, |m| &m.positions, |t| &t.positions),
        normals: report(Kind::Direction, |m| &m.normals, |t| &t.normals),
        tangents: report(Kind::Direction, |m| &m.tangents, |t| &t.tangents),
        bitangents: report(Kind::Direction, |m| &m.bitangents, |t| &t.bitangents),
    }
}

/// The list of the mesh for `instance`; empty if there is another mesh at its index, or none.
fn list(
    meshes: &[DeformedMesh],
    index: usize,
    instance: InstanceId,
    of: fn(&DeformedMesh) -> &[Vec3],
) -> &[Vec3] {
    let mesh = meshes.get(index).filter(|mesh| mesh.instance == instance);
    mesh.map_or(&[], of)
}

/// The diagonal of the box around all positions that are finite; 0 if there is none.
fn diagonal(truth: &[MeshTruth]) -> f64 {
    let positions = truth.iter().flat_map(|mesh| &mesh.positions.values);
    let diagonal = Bounds::of(positions.copied()).diagonal();
    if diagonal.is_finite() { diagonal } else { 0.0 }
}
