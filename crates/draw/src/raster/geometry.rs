//! Attributes that are interpolated between vertices.

use glam::{DMat4, Vec2, Vec3, Vec4};
use rayon::prelude::*;

use super::texture::Surface;
use crate::rig::DeformedMesh;
use crate::view::{Camera, Vertices};

/// The attributes interpolated between the corners of a triangle.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Varying {
    /// World space.
    pub(super) position: Vec3,
    /// World space; zero where the mesh has none.
    pub(super) normal: Vec3,
    /// The texture coordinates of the set that the surface's texture uses.
    pub(super) uv: Vec2,
    /// Linear RGBA of the material, or data to show; see [`Vertices::color`].
    pub(super) color: Vec4,
    /// Tangent and bitangent in world space; zero where the mesh has none or the surface has no normal map.
    pub(super) frame: [Vec3; 2],
}

impl Varying {
    /// The weighted sum of the corners' attributes.
    #[inline]
    pub(super) fn blend([a, b, c]: [&Self; 3], weights: [f32; 3]) -> Self {
        Self {
            position: sum([a.position, b.position, c.position], weights),
            normal: sum([a.normal, b.normal, c.normal], weights),
            uv: sum([a.uv, b.uv, c.uv], weights),
            color: sum([a.color, b.color, c.color], weights),
            frame: [0, 1].map(|k| sum([a.frame[k], b.frame[k], c.frame[k]], weights)),
        }
    }

    /// How many numbers the attributes are, without the frame.
    pub(super) const NUMBERS: usize = 12;

    /// All values but the frame, in the order of the fields.
    #[inline]
    pub(super) fn numbers(&self) -> [f32; Self::NUMBERS] {
        let (p, n, t, c) = (self.position, self.normal, self.uv, self.color);
        [p.x, p.y, p.z, n.x, n.y, n.z, t.x, t.y, c.x, c.y, c.z, c.w]
    }
}

/// The weighted sum of `values`.
#[inline]
fn sum<T>([a, b, c]: [T; 3], weights: [f32; 3]) -> T
where
    T: std::ops::Mul<f32, Output = T> + std::ops::Add<Output = T>,
{
    a * weights[0] + b * weights[1] + c * weights[2]
}

/// The attributes of one drawn mesh's vertices, assembled on demand and only for visible ones.
#[derive(Debug)]
pub(super) struct Source<'a> {
    /// World space.
    pub(super) positions: &'a [Vec3],
    normals: &'a [Vec3],
    uvs: &'a [Vec2],
    /// Tangents and bitangents, or none.
    frames: [&'a [Vec3]; 2],
    vertices: Vertices<'a>,
    base_color: Vec4,
    /// The colours of all vertices, if they take long to compute; else empty.
    computed: Vec<Vec4>,
}

impl<'a> Source<'a> {
    /// * `uvs` – one per vertex, or none.
    pub(super) fn new(
        deformed: &'a DeformedMesh,
        uvs: &'a [Vec2],
        surface: &Surface<'_>,
        vertices: Vertices<'a>,
    ) -> Self {
        let base_color = surface.base_color;
        // A colour that takes long to compute is computed once per vertex, not once per triangle that uses it.
        let computed = if vertices.are_computed() {
            let all = (0..deformed.positions.len()).into_par_iter();
            all.map(|v| vertices.color(v, base_color)).collect()
        } else {
            Vec::new()
        };
        let is_framed = surface.has_bumps() && !deformed.tangents.is_empty();
        Self {
            positions: &deformed.positions,
            normals: &deformed.normals,
            uvs,
            frames: if is_framed {
                [&deformed.tangents, &deformed.bitangents]
            } else {
                [&[], &[]]
            },
            vertices,
            base_color,
            computed,
        }
    }

    /// The attributes at a vertex.
    #[inline]
    pub(super) fn varying(&self, vertex: usize) -> Varying {
        Varying {
            position: self.positions[vertex],
            normal: at(self.normals, vertex),
            uv: at(self.uvs, vertex),
            color: match self.computed.get(vertex) {
                Some(color) => *color,
                None => self.vertices.color(vertex, self.base_color),
            },
            frame: [at(self.frames[0], vertex), at(self.frames[1], vertex)],
        }
    }

    /// Whether vertices have tangents.
    pub(super) fn is_framed(&self) -> bool {
        !self.frames[0].is_empty()
    }
}

/// `clip_from_world` in f64.
pub(super) fn clip_from_world(camera: &Camera) -> DMat4 {
    camera.clip_from_view.as_dmat4() * camera.view_from_world.as_dmat4()
}

#[inline]
fn at<T: Copy + Default>(list: &[T], vertex: usize) -> T {
    list.get(vertex).copied().unwrap_or_default()
}
