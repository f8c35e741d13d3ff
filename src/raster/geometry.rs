//! Vertices: where they are in clip space, and what varies over the surface between them.

use glam::{DMat4, DVec4, Vec2, Vec3, Vec4};
use rayon::prelude::*;

use super::surface::Surface;
use super::vertex_colors::VertexColors;
use crate::rig::{DeformedMesh, Mesh};
use crate::view::Camera;

/// What is interpolated between the corners of a triangle.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Varying {
    /// World space.
    pub(super) position: Vec3,
    /// World space; zero where the mesh has none.
    pub(super) normal: Vec3,
    /// Of the set that the surface's texture asks for.
    pub(super) uv: Vec2,
    /// Linear RGBA of the material, or data to show; see [`VertexColors`].
    pub(super) color: Vec4,
}

impl Varying {
    /// The sum of the corners' values times their weights.
    #[inline]
    pub(super) fn blend([a, b, c]: [&Self; 3], weights: [f32; 3]) -> Self {
        Self {
            position: sum([a.position, b.position, c.position], weights),
            normal: sum([a.normal, b.normal, c.normal], weights),
            uv: sum([a.uv, b.uv, c.uv], weights),
            color: sum([a.color, b.color, c.color], weights),
        }
    }

    /// All values in a fixed order, to compare by.
    pub(super) fn bits(&self) -> [u32; 12] {
        let (p, n, t, c) = (self.position, self.normal, self.uv, self.color);
        [p.x, p.y, p.z, n.x, n.y, n.z, t.x, t.y, c.x, c.y, c.z, c.w].map(f32::to_bits)
    }
}

/// The sum of `values` times `weights`.
#[inline]
pub(super) fn sum<T>([a, b, c]: [T; 3], weights: [f32; 3]) -> T
where
    T: std::ops::Mul<f32, Output = T> + std::ops::Add<Output = T>,
{
    a * weights[0] + b * weights[1] + c * weights[2]
}

/// The transformed vertices of one mesh.
#[derive(Debug, Default)]
pub(super) struct Vertices {
    /// Clip space; f64, so that neither a far origin nor a large unit moves a corner on the screen.
    pub(super) clip: Vec<DVec4>,
    /// As many.
    pub(super) varying: Vec<Varying>,
}

/// `clip_from_world` in f64.
pub(super) fn clip_from_world(camera: &Camera) -> DMat4 {
    camera.clip_from_view.as_dmat4() * camera.view_from_world.as_dmat4()
}

/// Transforms and paints the vertices of `deformed`, which is a pose of `mesh`.
pub(super) fn vertices(
    deformed: &DeformedMesh,
    mesh: &Mesh,
    surface: &Surface<'_>,
    colors: &VertexColors<'_>,
    clip_from_world: &DMat4,
) -> Vertices {
    let uvs = mesh
        .uv_sets
        .get(surface.uv_set())
        .map_or(&[][..], Vec::as_slice);
    let count = deformed.positions.len();
    let varying = |vertex: usize| Varying {
        position: deformed.positions[vertex],
        normal: at(&deformed.normals, vertex),
        uv: at(uvs, vertex),
        color: colors.of(vertex),
    };
    let clip = |position: &Vec3| *clip_from_world * position.as_dvec3().extend(1.0);
    Vertices {
        clip: deformed.positions.par_iter().map(clip).collect(),
        varying: (0..count).into_par_iter().map(varying).collect(),
    }
}

fn at<T: Copy + Default>(list: &[T], vertex: usize) -> T {
    list.get(vertex).copied().unwrap_or_default()
}
