//! The visible triangles of a posed model.

use glam::{DVec2, DVec3, Vec4};
use rayon::prelude::*;

use super::Drawn;
use super::alpha::{Brush, Mask};
use super::texels::Texels;
use super::triangle::{OnScreen, Projector, Triangle};
use crate::compare::MeshTruth;
use crate::rig::{AlphaMode, InstanceId, Mesh};
use crate::view::{Appearance, ColorSource};

/// One drawn mesh instance.
#[derive(Debug)]
pub(super) struct Surface<'a> {
    pub(super) instance: InstanceId,
    pub(super) mesh: &'a Mesh,
    pub(super) vertices: Vec<OnScreen>,
    pub(super) mask: Option<Mask<'a>>,
    pub(super) texels: Option<Texels<'a>>,
}

/// All surfaces that may be visible.
#[derive(Debug, Default)]
pub(super) struct Surfaces<'a> {
    pub(super) list: Vec<Surface<'a>>,
    pub(super) triangles: Vec<Triangle>,
    /// Areas of triangles that must be clipped, which each path does in its own way: left, top, and one past the last column
    /// and row.
    pub(super) veils: Vec<[i32; 4]>,
}

/// Normals that may rotate farther do not determine the light: it would change a mid-range colour by a code.
const SURE_ROTATION: f64 = 1e-3;

/// Cosine of the largest angle between two corners' normals at which the interpolated ones are long enough.
const OPPOSED: f64 = -0.5;

/// How much longer the corners' normals are than interpolated ones within that angle.
const SHORTENED: f64 = 2.0;

/// The sides of triangles that are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Sides {
    Both,
    /// Clockwise on the screen if positive.
    One(f64),
}

/// The data that all triangles of an instance share.
struct Builder<'a> {
    truth: &'a MeshTruth,
    mesh: &'a Mesh,
    vertices: &'a [OnScreen],
    surface: usize,
    alpha: AlphaMode,
    sides: Sides,
    is_lit: bool,
    size: [i32; 2],
    extent: f64,
}

/// The result of building one triangle of a mesh.
#[expect(clippy::large_enum_variant, reason = "hardly any is a veil")]
enum Seen {
    Triangle(Triangle),
    Veil([i32; 4]),
}

/// Collects the surfaces of `drawn`.
pub(super) fn surfaces<'a>(drawn: &Drawn<'a>) -> Surfaces<'a> {
    let projector = Projector::new(drawn.camera, drawn.viewport, drawn.snap);
    let mut surfaces = Surfaces::default();
    let shown = |truth: &&MeshTruth| drawn.look.shows(truth.instance);
    for truth in drawn.truth.iter().filter(shown) {
        let Some(instance) = drawn.asset.instances.get(truth.instance.index()) else {
            continue;
        };
        let mesh = drawn.asset.mesh_of(instance);
        let vertices = projector.project_all(&truth.positions);
        let show = &drawn.style.show;
        let look = Appearance::of(drawn.asset, instance, drawn.look, show);
        let seen = {
            let builder = Builder::new(drawn, truth, mesh, &look, &vertices, surfaces.list.len());
            builder.see_all()
        };
        for seen in seen {
            match seen {
                Seen::Triangle(triangle) => surfaces.triangles.push(triangle),
                Seen::Veil(bounds) => surfaces.veils.push(bounds),
            }
        }
        surfaces.list.push(Surface {
            instance: truth.instance,
            mesh,
            vertices,
            mask: mask(drawn, mesh, &look),
            texels: Texels::new(drawn.asset, mesh, &look, show.source()),
        });
    }
    surfaces
}

impl<'a> Builder<'a> {
    fn new(
        drawn: &Drawn<'_>,
        truth: &'a MeshTruth,
        mesh: &'a Mesh,
        look: &Appearance,
        vertices: &'a [OnScreen],
        surface: usize,
    ) -> Self {
        let side = |size: u32| i32::try_from(size).unwrap_or(i32::MAX);
        let (width, height) = (drawn.viewport.width, drawn.viewport.height);
        Self {
            truth,
            mesh,
            vertices,
            surface,
            alpha: look.alpha,
            sides: sides(look, mesh, truth),
            is_lit: !matches!(
                drawn.style.show.source(),
                ColorSource::Material { lit: false } | ColorSource::Depth
            ),
            size: [side(width), side(height)],
            extent: f64::from(width) + f64::from(height),
        }
    }

    fn see_all(&self) -> Vec<Seen> {
        let triangles = (0..self.mesh.triangles.len()).into_par_iter();
        triangles.filter_map(|index| self.see(index)).collect()
    }

    fn see(&self, index: usize) -> Option<Seen> {
        let indices = self.mesh.triangles[index];
        let [a, b, c] = indices.map(|vertex| self.vertices.get(vertex as usize).copied());
        let corners = [a?, b?, c?];
        let is_finite = |vertex: u32| self.truth.positions.values[vertex as usize].is_finite();
        if !indices.iter().all(|vertex| is_finite(*vertex)) {
            return None;
        }
        if !corners.iter().all(OnScreen::is_plain) {
            return self.veil(&corners).map(Seen::Veil);
        }
        // No path clips it, so all rasterize the same three corners up to rounding.
        let mut triangle = Triangle::new(corners, self.extent);
        let [left, top, right, bottom] = triangle.bounds;
        let [width, height] = self.size;
        // Only certain culling counts: a triangle whose winding depends on rounding stays.
        if right <= 0 || bottom <= 0 || left >= width || top >= height || self.is_culled(&triangle)
        {
            return None;
        }
        triangle.surface = self.surface;
        triangle.index = index;
        triangle.alpha = self.alpha;
        // If the surface is not lit, the rotation of normals does not matter.
        triangle.rotation = if self.is_lit {
            self.rotation(indices)
        } else {
            0.0
        };
        Some(Seen::Triangle(triangle))
    }

    fn is_culled(&self, triangle: &Triangle) -> bool {
        match self.sides {
            Sides::Both => false,
            Sides::One(clockwise) => {
                triangle.has_sure_winding() && triangle.doubled_area() * clockwise < 0.0
            }
        }
    }

    /// The area of a triangle that must be clipped; `None` if it is certainly outside the image.
    fn veil(&self, corners: &[OnScreen; 3]) -> Option<[i32; 4]> {
        let [width, height] = self.size;
        let all = |beyond: fn(&OnScreen) -> bool| corners.iter().all(beyond);
        if all(|corner| corner.is_behind) {
            return None;
        }
        if !all(|corner| corner.radius.is_finite()) {
            return Some([0, 0, width, height]);
        }
        if all(|c| c.depth + c.depth_error < 0.0) || all(|c| c.depth - c.depth_error > 1.0) {
            return None;
        }
        let (mut least, mut most) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
        for corner in corners {
            least = least.min(corner.at - corner.radius);
            most = most.max(corner.at + corner.radius);
        }
        let [left, top, right, bottom] = [least.x, least.y, most.x + 1.0, most.y + 1.0].map(pixel);
        let seen = right > 0 && bottom > 0 && left < width && top < height;
        seen.then_some([left, top, right, bottom])
    }

    /// How far rounding may rotate the normals that light the triangle; infinite if any direction is possible.
    fn rotation(&self, indices: [u32; 3]) -> f64 {
        // Flat shading uses the triangle's own normal, smooth shading the vertices'.
        let rotation = if self.mesh.normals.is_empty() {
            self.face(indices).map_or(f64::INFINITY, |(_, error)| error)
        } else {
            self.rotation_of_normals(indices)
        };
        if rotation < SURE_ROTATION {
            rotation
        } else {
            f64::INFINITY
        }
    }

    fn rotation_of_normals(&self, indices: [u32; 3]) -> f64 {
        let normals = &self.truth.normals;
        let bound = |vertex: u32| normals.bounds.get(vertex as usize).copied();
        let bounds = indices.map(|vertex| bound(vertex).unwrap_or(f64::INFINITY));
        let largest = bounds.into_iter().fold(0.0, f64::max);
        if largest > SURE_ROTATION {
            return f64::INFINITY;
        }
        let [a, b, c] = indices.map(|vertex| normals.values[vertex as usize]);
        // Interpolated normals of opposed corners pass near zero, where any rounding rotates them.
        let cosines = [a.dot(b), b.dot(c), c.dot(a)];
        let opposed = cosines.iter().any(|cosine| *cosine < OPPOSED);
        let both = self.sides == Sides::Both;
        if opposed || (both && self.may_flip(indices, a + b + c, largest)) {
            return f64::INFINITY;
        }
        SHORTENED * largest
    }

    /// Whether it depends on rounding which side of the triangle the normals are on.
    fn may_flip(&self, indices: [u32; 3], normals: DVec3, bound: f64) -> bool {
        self.face(indices).is_none_or(|(normal, error)| {
            let allowed = error * normals.length() + 3.0 * bound;
            normal.dot(normals).abs() <= allowed
        })
    }

    /// The triangle's normal in world space and how far rounding may rotate it; `None` if it has none.
    fn face(&self, indices: [u32; 3]) -> Option<(DVec3, f64)> {
        let positions = &self.truth.positions;
        let [a, b, c] = indices.map(|vertex| positions.values[vertex as usize]);
        let off = indices
            .map(|vertex| positions.bounds[vertex as usize])
            .into_iter()
            .fold(0.0, f64::max);
        let (ab, ac) = (b - a, c - a);
        let cross = ab.cross(ac);
        let (sides, area) = (ab.length() * ac.length(), cross.length());
        // Each side is off by twice the bound and one rounding, and each product by two more roundings.
        let off = 2.0 * off * (ab.length() + ac.length()) + 4.0 * f64::from(f32::EPSILON) * sides;
        let error = 2.0 * off / area;
        error.is_finite().then(|| (cross / area, error))
    }
}

fn mask<'a>(drawn: &Drawn<'a>, mesh: &'a Mesh, look: &Appearance) -> Option<Mask<'a>> {
    match look.alpha {
        AlphaMode::Mask(cutoff) => Some(Mask::new(drawn.asset, mesh, look, cutoff)),
        AlphaMode::Opaque | AlphaMode::Blend => None,
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the conversion saturates")]
fn pixel(position: f64) -> i32 {
    position.floor() as i32
}

/// A mesh is drawn from both sides unless its material is one-sided and its normals show which side is which. A
/// mirroring pose reverses its winding relative to its normals.
fn sides(look: &Appearance, mesh: &Mesh, truth: &MeshTruth) -> Sides {
    if !look.one_sided {
        return Sides::Both;
    }
    let rest = |list: &[glam::Vec3]| list.iter().map(|v| v.as_dvec3()).collect::<Vec<_>>();
    let before = agreement(mesh, &rest(&mesh.positions), &rest(&mesh.normals));
    let after = agreement(mesh, &truth.positions.values, &truth.normals.values);
    // Rows go down, so a triangle that is counter-clockwise for the viewer has a negative area.
    Sides::One(if before * after < 0.0 { 1.0 } else { -1.0 })
}

/// How well the normals agree with the counter-clockwise sides of the triangles, weighted by area.
fn agreement(mesh: &Mesh, positions: &[DVec3], normals: &[DVec3]) -> f64 {
    let of = |triangle: &[u32; 3]| {
        let corners = |list: &[DVec3]| {
            let [a, b, c] = triangle.map(|vertex| list.get(vertex as usize).copied());
            Some([a?, b?, c?])
        };
        let [a, b, c] = corners(positions)?;
        // The cross product is as long as twice the area, which weighs the triangle.
        let normal: DVec3 = corners(normals)?.iter().sum();
        Some((b - a).cross(c - a).dot(normal)).filter(|value| value.is_finite())
    };
    mesh.triangles.iter().filter_map(of).sum()
}

impl Surfaces<'_> {
    /// How far apart two paths may read the texture of a triangle at `position`, in light and alpha.
    pub(super) fn texels_apart(&self, triangle: &Triangle, position: DVec2) -> Vec4 {
        let surface = &self.list[triangle.surface];
        let indices = surface.mesh.triangles[triangle.index];
        let corners = indices.map(|vertex| surface.vertices[vertex as usize]);
        let texels = surface.texels.as_ref();
        texels.map_or(Vec4::ZERO, |texels| {
            texels.apart(indices, &corners, position, triangle.radius)
        })
    }

    /// The evaluator of alpha for a masked triangle.
    pub(super) fn brush(&self, triangle: &Triangle) -> Option<Brush<'_>> {
        let surface = &self.list[triangle.surface];
        let indices = surface.mesh.triangles[triangle.index];
        let corners = indices.map(|vertex| surface.vertices[vertex as usize]);
        surface.mask.as_ref()?.brush(indices, &corners)
    }
}
