//! Vertices, triangles, weights and morph targets; how weights are used; deformed meshes.

use std::borrow::Cow;
use std::num::NonZeroU32;

use glam::{Vec2, Vec3, Vec4};
use serde::{Deserialize, Serialize};

use super::{InstanceId, MaterialId, SkinSlot, WeightStorage, packed};

/// One geometry. Attributes are per vertex; an empty list means that the file has none.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Mesh {
    /// As in the file; may be empty.
    pub name: String,
    /// In mesh space.
    #[serde(with = "packed")]
    pub positions: Vec<Vec3>,
    /// Whether the file stores the positions as integers. The inverse bind matrices, or the node of a mesh without a
    /// skin, then scale and shift them.
    pub quantized: bool,
    /// Unit normals in mesh space, or empty.
    #[serde(with = "packed")]
    pub normals: Vec<Vec3>,
    /// Unit tangents (direction of growing u) in mesh space, or empty.
    #[serde(with = "packed")]
    pub tangents: Vec<Vec3>,
    /// Unit bitangents in mesh space, or empty; as many as tangents.
    #[serde(with = "packed")]
    pub bitangents: Vec<Vec3>,
    /// Texture coordinates, one list per set; v grows downwards.
    #[serde(with = "packed::lists")]
    pub uv_sets: Vec<Vec<Vec2>>,
    /// Linear RGBA, one list per set.
    #[serde(with = "packed::lists")]
    pub color_sets: Vec<Vec<Vec4>>,
    /// Indices into the vertices, counter-clockwise from the front.
    #[serde(with = "packed")]
    pub triangles: Vec<[u32; 3]>,
    /// Weights exactly as in the file: any number per vertex, not renormalized.
    pub influences: Influences,
    /// How the file stores the weights.
    pub weight_storage: WeightStorage,
    /// The skinning method requested by the file.
    pub blending: Blending,
    /// Offsets scaled by animated weights and added before skinning.
    pub morph_targets: Vec<MorphTarget>,
    /// Surface.
    pub material: Option<MaterialId>,
}

/// How skinning blends the motions of a vertex's joints.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub enum Blending {
    /// Linear blend skinning: matrices are blended. The default of all formats.
    #[default]
    Linear,
    /// Dual quaternion skinning: rigid motions are blended.
    DualQuaternion,
    /// Part of both.
    Mixed(
        /// One number per vertex: 0 for linear, 1 for dual quaternions. Between them the results of both are blended.
        #[serde(with = "packed")]
        Vec<f32>,
    ),
}

impl Blending {
    /// The blending of some vertices of the mesh.
    #[must_use]
    pub fn picked(&self, vertices: &[usize]) -> Self {
        match self {
            Self::Mixed(shares) => {
                let share = |vertex: &usize| shares.get(*vertex).copied().unwrap_or_default();
                Self::Mixed(vertices.iter().map(share).collect())
            }
            all => all.clone(),
        }
    }
}

impl Mesh {
    /// The corners of triangles, by index in `triangles`.
    #[doc(hidden)]
    #[must_use]
    pub fn corners_of(&self, triangles: &[usize]) -> Vec<u32> {
        let corners = triangles.iter().flat_map(|index| self.triangles[*index]);
        corners.collect()
    }

    /// The share of dual quaternions in the position of `vertex`: 0 none, 1 all.
    #[must_use]
    #[inline]
    pub fn dual_quaternion_share(&self, vertex: usize, method: SkinningMethod) -> f32 {
        match (method, &self.blending) {
            (SkinningMethod::Linear, _) | (SkinningMethod::AsInFile, Blending::Linear) => 0.0,
            (SkinningMethod::DualQuaternion, _)
            | (SkinningMethod::AsInFile, Blending::DualQuaternion) => 1.0,
            (SkinningMethod::AsInFile, Blending::Mixed(shares)) => {
                shares.get(vertex).copied().unwrap_or_default()
            }
        }
    }

    /// For each vertex, whether a triangle uses it.
    #[must_use]
    pub fn used_vertices(&self) -> Vec<bool> {
        let mut used = vec![false; self.positions.len()];
        for &corner in self.triangles.as_flattened() {
            used[corner as usize] = true;
        }
        used
    }

    /// Whether dual quaternions move any vertex.
    #[must_use]
    pub fn has_dual_quaternions(&self, method: SkinningMethod) -> bool {
        let mut vertices = match (method, &self.blending) {
            (SkinningMethod::AsInFile, Blending::Mixed(_)) => 0..self.positions.len(),
            _ => 0..1,
        };
        vertices.any(|vertex| self.dual_quaternion_share(vertex, method) != 0.0)
    }
}

/// The influence of one joint on one vertex.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Influence {
    /// Which of the skin's joints.
    pub slot: SkinSlot,
    /// As in the file.
    pub weight: f32,
}

impl Influence {
    /// The influence of the joint at `slot` of the skin.
    #[must_use]
    pub const fn new(slot: SkinSlot, weight: f32) -> Self {
        Self { slot, weight }
    }
}

/// The influences of all vertices of a mesh, packed vertex by vertex.
///
/// Empty (no vertex at all) for a mesh without weights.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Influences {
    /// For vertex `v` the range `ends[v - 1]..ends[v]` of `items` (from 0 for the first).
    #[serde(with = "packed")]
    ends: Vec<u32>,
    #[serde(with = "packed::influences")]
    items: Vec<Influence>,
}

impl Influences {
    /// Packs one list of influences per vertex.
    ///
    /// # Panics
    ///
    /// If there are more than 2^32 influences; importers refuse files long before.
    #[must_use]
    pub fn from_vertices<V: IntoIterator<Item = Influence>>(
        vertices: impl IntoIterator<Item = V>,
    ) -> Self {
        let mut packed = Self::default();
        for vertex in vertices {
            packed.items.extend(vertex);
            packed.end_vertex();
        }
        packed
    }

    /// Adds an influence to the next vertex.
    #[inline]
    #[doc(hidden)]
    pub fn add(&mut self, influence: Influence) {
        self.items.push(influence);
    }

    /// Completes a vertex with the influences added since the last one.
    ///
    /// # Panics
    ///
    /// Like [`Influences::from_vertices`].
    #[inline]
    #[doc(hidden)]
    pub fn end_vertex(&mut self) {
        let end = u32::try_from(self.items.len()).expect("fewer than 2^32 influences");
        self.ends.push(end);
    }

    /// How many vertices have a list (which may be empty).
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.ends.len()
    }

    /// Whether the mesh has no weights at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The influences of vertex `vertex` in the file's order; none if there is no such vertex.
    #[must_use]
    #[inline]
    pub fn of(&self, vertex: usize) -> &[Influence] {
        let start = match vertex {
            0 => 0,
            later => self.ends.get(later - 1).map_or(0, |&end| end as usize),
        };
        let end = self.ends.get(vertex).map_or(start, |&end| end as usize);
        self.items.get(start..end).unwrap_or_default()
    }

    /// The `limit` largest influences of vertex `vertex` by weight, in the file's order; the earlier of equal ones.
    #[must_use]
    pub fn largest_of(&self, vertex: usize, limit: Option<NonZeroU32>) -> Cow<'_, [Influence]> {
        largest(self.of(vertex), limit)
    }

    /// One list per vertex.
    pub fn iter(&self) -> impl Iterator<Item = &[Influence]> {
        (0..self.vertex_count()).map(|vertex| self.of(vertex))
    }

    /// All influences of all vertices, in order.
    #[must_use]
    pub fn all(&self) -> &[Influence] {
        &self.items
    }

    /// Whether the ranges increase and end with the items; a stream from another process may be wrong.
    pub(crate) fn is_consistent(&self) -> bool {
        let increasing = self.ends.windows(2).all(|pair| pair[0] <= pair[1]);
        increasing && self.ends.last().map_or(0, |&end| end as usize) == self.items.len()
    }
}

/// The `limit` largest by weight, in the given order; the earlier of equal ones.
pub(crate) fn largest(influences: &[Influence], limit: Option<NonZeroU32>) -> Cow<'_, [Influence]> {
    let limit = limit.map_or(usize::MAX, |limit| limit.get() as usize);
    if influences.len() <= limit {
        return Cow::Borrowed(influences);
    }
    let mut order: Vec<usize> = (0..influences.len()).collect();
    order.sort_by(|&a, &b| influences[b].weight.total_cmp(&influences[a].weight));
    order.truncate(limit);
    order.sort_unstable();
    order.into_iter().map(|index| influences[index]).collect()
}

/// Offsets from the base mesh at full weight. Each list is empty or has one entry per vertex.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MorphTarget {
    /// As in the file; may be empty.
    pub name: String,
    /// Added to the positions.
    #[serde(with = "packed")]
    pub positions: Vec<Vec3>,
    /// Added to the normals.
    #[serde(with = "packed")]
    pub normals: Vec<Vec3>,
    /// Added to the tangents.
    #[serde(with = "packed")]
    pub tangents: Vec<Vec3>,
}

/// The vertices of one mesh instance in one pose, in world space (the file's axes and units).
///
/// Lists are as long as those of the mesh; attributes that the mesh lacks are empty.
#[derive(Debug, Clone, PartialEq)]
pub struct DeformedMesh {
    /// Which instance of the asset.
    pub instance: InstanceId,
    /// World space.
    pub positions: Vec<Vec3>,
    /// Unit length, or zero where the surface is degenerate.
    pub normals: Vec<Vec3>,
    /// Unit length, or zero.
    pub tangents: Vec<Vec3>,
    /// Unit length, or zero.
    pub bitangents: Vec<Vec3>,
}

impl DeformedMesh {
    /// Whether the pose mirrors its source, `mesh`, so that the triangles' winding is reversed.
    ///
    /// Normals stay on their side of the surface under every transform, while a mirroring one reverses the winding.
    /// Their agreement therefore changes sign exactly when the pose mirrors, even if the file's normals point inwards.
    /// A mesh without normals counts as not mirrored.
    ///
    /// # Reference
    ///
    /// glTF 2.0 §3.7.4: a negative determinant of the node's transform reverses the winding.
    #[must_use]
    pub fn is_mirrored(&self, mesh: &Mesh) -> bool {
        let before = agreement(mesh, &mesh.positions, &mesh.normals);
        let after = agreement(mesh, &self.positions, &self.normals);
        before * after < 0.0
    }
}

/// A pose mirrors a mesh as a whole, so a sample of this many triangles suffices.
const SAMPLED_TRIANGLES: usize = 1 << 14;

/// The agreement of normals and winding, weighted by area; negative if they disagree.
fn agreement(mesh: &Mesh, positions: &[Vec3], normals: &[Vec3]) -> f64 {
    let count = positions.len().min(normals.len());
    let mut sum = 0.0;
    let step = mesh.triangles.len().div_ceil(SAMPLED_TRIANGLES).max(1);
    for triangle in mesh.triangles.iter().step_by(step) {
        let [a, b, c] = triangle.map(|vertex| vertex as usize);
        if a.max(b).max(c) >= count {
            continue;
        }
        let at = |vertex: usize| positions[vertex].as_dvec3();
        let towards = |vertex: usize| normals[vertex].as_dvec3();
        let normal = towards(a) + towards(b) + towards(c);
        let agreement = (at(b) - at(a)).cross(at(c) - at(a)).dot(normal);
        if agreement.is_finite() {
            sum += agreement;
        }
    }
    sum
}

/// How a vertex's weights are prepared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WeightPolicy {
    /// Divided by their sum, as engines do. A vertex whose weights sum to 0 follows its mesh's node.
    #[default]
    Normalize,
    /// Used as stored: a sum below 1 pulls the vertex towards the origin. Only a vertex without a nonzero weight
    /// follows its mesh's node.
    AsIs,
}

/// How the motions of a vertex's joints are blended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SkinningMethod {
    /// The method in [`Mesh::blending`](super::Mesh::blending): FBX files may ask for dual quaternions, all other
    /// formats are linear.
    #[default]
    AsInFile,
    /// Linear blend skinning for every mesh.
    Linear,
    /// Dual quaternion skinning for every mesh.
    DualQuaternion,
}

/// How vertices are skinned.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SkinningOptions {
    /// The normalization of weights.
    pub weights: WeightPolicy,
    /// Keeps this many of the largest influences of each vertex, the earlier of equal ones, as an engine with that
    /// limit would. The kept weights are scaled so that they sum to 1, or, with [`WeightPolicy::AsIs`], to the sum in
    /// the file.
    pub max_influences: Option<NonZeroU32>,
    /// The skinning method.
    pub method: SkinningMethod,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn influence(slot: u32) -> Influence {
        Influence::new(SkinSlot(slot), 0.5)
    }

    #[test]
    fn packed_influences_come_back_per_vertex() {
        let lists = [vec![influence(3)], vec![], vec![influence(1), influence(2)]];
        let packed = Influences::from_vertices(lists.clone());
        assert_eq!(packed.vertex_count(), 3);
        for (vertex, list) in lists.iter().enumerate() {
            assert_eq!(packed.of(vertex), list.as_slice());
        }
        assert!(packed.of(3).is_empty());
        assert!(packed.is_consistent());
    }

    fn triangle(normal: Vec3) -> Mesh {
        Mesh {
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
            normals: vec![normal; 3],
            triangles: vec![[0, 1, 2]],
            ..Mesh::default()
        }
    }

    /// The triangle with scaled positions and normals. Both stay on their side under any scale of -1 or 1.
    fn scaled(mesh: &Mesh, scale: Vec3) -> DeformedMesh {
        let scaled = |list: &[Vec3]| list.iter().map(|v| *v * scale).collect();
        DeformedMesh {
            instance: InstanceId(0),
            positions: scaled(&mesh.positions),
            normals: scaled(&mesh.normals),
            tangents: vec![],
            bitangents: vec![],
        }
    }

    #[test]
    fn a_mirroring_pose_reverses_the_winding() {
        for normal in [Vec3::Z, Vec3::NEG_Z] {
            let mesh = triangle(normal);
            let mirrored = scaled(&mesh, Vec3::new(-1.0, 1.0, 1.0));
            assert!(mirrored.is_mirrored(&mesh));
            let rotated = scaled(&mesh, Vec3::new(-1.0, 1.0, -1.0));
            assert!(!rotated.is_mirrored(&mesh));
        }
    }

    #[test]
    fn a_corner_that_is_nan_is_ignored() {
        let mut mesh = triangle(Vec3::Z);
        mesh.positions.push(Vec3::NAN);
        mesh.normals.push(Vec3::Z);
        mesh.triangles.push([0, 1, 3]);
        let mirrored = scaled(&mesh, Vec3::new(-1.0, 1.0, 1.0));
        assert!(mirrored.is_mirrored(&mesh));
    }
}
