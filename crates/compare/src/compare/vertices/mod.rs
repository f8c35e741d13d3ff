//! Compares the skinned vertices of two paths with the exact result.

use glam::{DVec3, Vec3};
use serde::Serialize;

use super::Culprit;
use crate::rig::{Bounds, DeformedMesh, InstanceId};
use crate::skinning::{Known, MeshTruth};

/// The comparison of two paths that skin the same model in the same pose.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct VertexReport {
    /// Diagonal of the box around all exact positions.
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

    /// The largest distance of positions as a fraction of the diagonal.
    #[must_use]
    pub fn relative(&self) -> f64 {
        if self.diagonal > 0.0 {
            self.positions.distance / self.diagonal
        } else {
            0.0
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
        compare(kind, lists)
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

/// The comparison of two paths on one attribute of all vertices.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct AttributeReport {
    /// The number of vertices that have it and a bound. All numbers below refer to them.
    pub vertices: usize,
    /// The number of vertices that depend on rounding alone: directions of degenerate surfaces, and values beyond f32.
    pub unpromised: usize,
    /// The largest distance between the two paths.
    pub distance: f64,
    /// The largest error of either path as a fraction of its bound; at most 1 if both are right.
    pub used: f64,
    /// The number of vertices that exceed their bounds.
    pub wrong: WrongCounts,
    /// The wrong vertex that is farthest from the exact result; if none is wrong, the one where the paths differ most.
    pub worst: Option<WorstVertex>,
}

/// Vertices farther from the exact result than rounding explains.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct WrongCounts {
    /// In the first path.
    pub first: usize,
    /// In the second path.
    pub second: usize,
}

/// The worst vertex.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "testing", schemars(rename = "CrosscheckVertex"))]
pub struct WorstVertex {
    /// The instance of the asset.
    pub instance: InstanceId,
    /// The index in its mesh.
    pub vertex: usize,
    /// By the first path; NaN if it lacks the vertex.
    #[cfg_attr(feature = "testing", schemars(with = "[f32; 3]"))]
    pub first: Vec3,
    /// By the second path.
    #[cfg_attr(feature = "testing", schemars(with = "[f32; 3]"))]
    pub second: Vec3,
    /// The exact result.
    #[cfg_attr(feature = "testing", schemars(with = "[f64; 3]"))]
    pub exact: DVec3,
    /// The bound on each path's distance from it.
    pub bound: f64,
    /// From the first to the second.
    pub distance: f64,
    /// The wrong path, if there is one.
    pub culprit: Option<Culprit>,
}

impl AttributeReport {
    /// Whether every vertex of both paths is within its bound.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.wrong == WrongCounts::default()
    }

    /// The path that is wrong at any vertex.
    #[must_use]
    pub fn culprit(&self) -> Option<Culprit> {
        Culprit::of(self.wrong.first > 0, self.wrong.second > 0)
    }
}

/// The kind of a value, which limits a meaningful bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Position,
    Direction,
}

impl Kind {
    /// Unit vectors are never more than 2 apart.
    fn is_promise(self, bound: f64) -> bool {
        match self {
            Self::Position => bound < f64::INFINITY,
            Self::Direction => bound < 2.0,
        }
    }
}

/// One attribute of one mesh.
#[derive(Debug, Clone, Copy)]
struct Lists<'a> {
    instance: InstanceId,
    first: &'a [Vec3],
    second: &'a [Vec3],
    known: &'a Known,
}

impl Lists<'_> {
    fn vertices(&self) -> impl Iterator<Item = WorstVertex> {
        let known = self.known.values.iter().zip(&self.known.bounds);
        known.enumerate().map(|(vertex, (exact, bound))| {
            let of = |list: &[Vec3]| list.get(vertex).copied().unwrap_or(Vec3::NAN);
            let (first, second) = (of(self.first), of(self.second));
            let is_wrong = |value: Vec3| part_used(value, *exact, *bound) > 1.0;
            WorstVertex {
                instance: self.instance,
                vertex,
                first,
                second,
                exact: *exact,
                bound: *bound,
                distance: distance(first.as_dvec3(), second.as_dvec3()),
                culprit: Culprit::of(is_wrong(first), is_wrong(second)),
            }
        })
    }
}

/// Compares one attribute of all meshes.
fn compare<'a>(kind: Kind, meshes: impl Iterator<Item = Lists<'a>>) -> AttributeReport {
    let mut report = AttributeReport::default();
    for lists in meshes {
        for vertex in lists.vertices() {
            if !(vertex.exact.is_finite() && kind.is_promise(vertex.bound)) {
                report.unpromised += 1;
                continue;
            }
            report.include(&vertex);
        }
    }
    report
}

impl AttributeReport {
    fn include(&mut self, vertex: &WorstVertex) {
        let (first, second) = vertex.used();
        self.vertices += 1;
        self.distance = self.distance.max(vertex.distance);
        self.used = self.used.max(first).max(second);
        self.wrong.first += usize::from(first > 1.0);
        self.wrong.second += usize::from(second > 1.0);
        let rank = WorstVertex::rank;
        if self.worst.is_none_or(|worst| rank(vertex) > rank(&worst)) {
            self.worst = Some(*vertex);
        }
    }
}

impl WorstVertex {
    fn used(&self) -> (f64, f64) {
        let used = |value| part_used(value, self.exact, self.bound);
        (used(self.first), used(self.second))
    }

    /// The order of severity: wrong vertices first, then by distance.
    fn rank(&self) -> (bool, f64) {
        let off = |value: Vec3| distance(value.as_dvec3(), self.exact);
        let far = match self.culprit {
            Some(_) => off(self.first).max(off(self.second)),
            None => self.distance,
        };
        (self.culprit.is_some(), far)
    }
}

/// The error as a fraction of the bound; infinite for NaN, or for any error if the bound is 0.
fn part_used(value: Vec3, exact: DVec3, bound: f64) -> f64 {
    let off = distance(value.as_dvec3(), exact);
    if off == 0.0 { 0.0 } else { off / bound }
}

/// The distance; infinite if either is NaN.
fn distance(a: DVec3, b: DVec3) -> f64 {
    let distance = a.distance(b);
    if distance.is_nan() {
        f64::INFINITY
    } else {
        distance
    }
}

#[cfg(test)]
mod tests;
