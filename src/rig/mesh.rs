//! Vertices, triangles, weights and morph targets.

use std::borrow::Cow;
use std::num::NonZeroU32;

use glam::{Vec2, Vec3, Vec4};
use serde::{Deserialize, Serialize};

use super::{JointId, MaterialId, SkinningMethod, WeightStorage};

/// One geometry. Attributes are per vertex; an empty list means that the file has none.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Mesh {
    /// As in the file; may be empty.
    pub name: String,
    /// In mesh space.
    pub positions: Vec<Vec3>,
    /// Whether the file stores the positions as integers. The inverse bind matrices, or the node of a mesh without a
    /// skin, then scale and shift them.
    pub quantized: bool,
    /// Unit normals in mesh space, or empty.
    pub normals: Vec<Vec3>,
    /// Unit tangents (direction of growing u) in mesh space, or empty.
    pub tangents: Vec<Vec3>,
    /// Unit bitangents in mesh space, or empty; as many as tangents.
    pub bitangents: Vec<Vec3>,
    /// Texture coordinates, one list per set; v grows downwards.
    pub uv_sets: Vec<Vec<Vec2>>,
    /// Linear RGBA, one list per set.
    pub color_sets: Vec<Vec<Vec4>>,
    /// Indices into the vertices, counter-clockwise from the front.
    pub triangles: Vec<[u32; 3]>,
    /// Weights exactly as in the file: any number per vertex, not renormalized.
    pub influences: Influences,
    /// How the file stores them.
    pub weight_storage: WeightStorage,
    /// How the file asks skinning to blend the joints of a vertex.
    pub blending: Blending,
    /// Offsets that animated weights add before skinning.
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

    /// Whether dual quaternions move a vertex.
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
    pub joint: JointId,
    /// As in the file.
    pub weight: f32,
}

impl Influence {
    /// * `joint` – of the skin's joints.
    #[must_use]
    pub const fn new(joint: JointId, weight: f32) -> Self {
        Self { joint, weight }
    }
}

/// The influences of all vertices of a mesh, packed vertex by vertex.
///
/// Empty (no vertex at all) for a mesh without weights.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Influences {
    /// For vertex `v` the range `ends[v - 1]..ends[v]` of `items` (from 0 for the first).
    ends: Vec<u32>,
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
    pub(crate) fn add(&mut self, influence: Influence) {
        self.items.push(influence);
    }

    /// Completes a vertex with the influences added since the last one.
    ///
    /// # Panics
    ///
    /// As [`Influences::from_vertices`].
    #[inline]
    pub(crate) fn end_vertex(&mut self) {
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
    pub positions: Vec<Vec3>,
    /// Added to the normals.
    pub normals: Vec<Vec3>,
    /// Added to the tangents.
    pub tangents: Vec<Vec3>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn influence(slot: u32) -> Influence {
        Influence::new(JointId(slot), 0.5)
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
}
