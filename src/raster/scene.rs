//! Everything that is drawn, as triangles on the screen.

use std::cmp::Ordering;

use glam::Vec3;
use rayon::prelude::*;

use super::coverage::GridPoint;
use super::geometry::Varying;
use super::surface::Surface;
use crate::rig::AlphaMode;

/// A corner of a triangle on the screen.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScreenCorner {
    /// Where, snapped to the grid.
    pub(super) at: GridPoint,
    /// 0 at the near and 1 at the far plane; linear over the screen.
    pub(super) depth: f64,
    /// 1/w of clip space; linear over the screen.
    pub(super) inverse_w: f64,
}

/// A triangle on the screen.
#[derive(Debug, Clone, Copy)]
pub(super) struct Triangle {
    /// Clockwise, and not without area.
    pub(super) corners: [ScreenCorner; 3],
    /// Positions in [`Scene::varyings`].
    pub(super) varyings: [usize; 3],
    /// Position in [`Scene::surfaces`].
    pub(super) surface: usize,
    /// Perpendicular to the triangle in world space, towards the viewer; any length.
    pub(super) face_normal: Vec3,
    /// Whether the vertices' normals point away from the viewer although this side is seen.
    pub(super) turned: bool,
    /// Whether the side from corner `k` to the next is a side of the mesh's triangle, and not made by clipping.
    pub(super) original_sides: [bool; 3],
}

/// A rectangle of pixels; both ends belong to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PixelBounds {
    /// Leftmost column and topmost row.
    pub(super) min: [i32; 2],
    /// Rightmost column and lowest row.
    pub(super) max: [i32; 2],
}

impl PixelBounds {
    /// Whether there is a pixel in both.
    pub(super) fn meets(&self, other: &Self) -> bool {
        (0..2).all(|axis| self.min[axis] <= other.max[axis] && other.min[axis] <= self.max[axis])
    }

    /// The pixels in both.
    pub(super) fn common(&self, other: &Self) -> Self {
        Self {
            min: std::array::from_fn(|axis| self.min[axis].max(other.min[axis])),
            max: std::array::from_fn(|axis| self.max[axis].min(other.max[axis])),
        }
    }
}

/// A translucent triangle, and how many there are that look the same: all in one place, with the same corners.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pane {
    /// Position in [`Scene::triangles`] of one of them.
    pub(super) id: u32,
    /// At least 1.
    pub(super) copies: u32,
}

/// All triangles of a picture and what they refer to.
#[derive(Debug, Default)]
pub(super) struct Scene<'a> {
    /// One a drawn mesh instance.
    pub(super) surfaces: Vec<Surface<'a>>,
    /// One a vertex, and more where clipping made corners.
    pub(super) varyings: Vec<Varying>,
    /// What may be seen.
    pub(super) triangles: Vec<Triangle>,
    /// The pixels that each triangle may touch; apart, because every tile looks through all of them.
    pub(super) bounds: Vec<PixelBounds>,
    /// What is translucent: of the same depth, the first is in front. See [`Scene::sort_panes`].
    pub(super) panes: Vec<Pane>,
}

impl<'a> Scene<'a> {
    /// The surface of `triangle`.
    pub(super) fn surface_of(&self, triangle: &Triangle) -> &Surface<'a> {
        &self.surfaces[triangle.surface]
    }

    /// Whether triangle `id` is mixed with what is behind it.
    pub(super) fn is_blended(&self, id: u32) -> bool {
        let surface = self.surface_of(&self.triangles[id as usize]);
        surface.alpha == AlphaMode::Blend
    }

    /// Fills [`Scene::panes`], once all triangles are there. Sorted once, they need not be compared at every sample.
    pub(super) fn sort_panes(&mut self) {
        // Ids end before the one that stands for nothing; memory ends long before.
        let all = 0..u32::try_from(self.triangles.len()).unwrap_or(u32::MAX);
        let mut blended: Vec<u32> = all.filter(|id| self.is_blended(*id)).collect();
        blended.par_sort_unstable_by(|a, b| self.tie_order(*a, *b));
        let same = |a: &u32, b: &u32| self.tie_order(*a, *b).is_eq();
        let panes = blended.chunk_by(same).map(|alike| Pane {
            id: alike[0],
            copies: u32::try_from(alike.len()).unwrap_or(u32::MAX),
        });
        self.panes = panes.collect();
    }

    /// What varies over `triangle`, at its corners.
    pub(super) fn varyings_of(&self, triangle: &Triangle) -> [&Varying; 3] {
        triangle.varyings.map(|index| &self.varyings[index])
    }

    /// Of two triangles with the same depth the lesser is in front; equal are only triangles that look the same.
    ///
    /// Looks at what the triangles are, not at where they stand in a list: the picture must not depend on their order.
    /// By instance, then by where the corners are, then by what varies between them, and no farther than they are the same.
    pub(super) fn tie_order(&self, a: u32, b: u32) -> Ordering {
        let [a, b] = [a, b].map(|id| &self.triangles[id as usize]);
        let instance = |triangle: &Triangle| self.surface_of(triangle).instance;
        let varyings = |triangle| self.varyings_of(triangle).into_iter().map(Varying::bits);
        instance(a)
            .cmp(&instance(b))
            .then_with(|| a.corners.map(place).cmp(&b.corners.map(place)))
            .then_with(|| varyings(a).cmp(varyings(b)))
    }
}

/// Where a corner is, to compare by.
fn place(corner: ScreenCorner) -> (GridPoint, u64, u64) {
    let (depth, inverse_w) = (corner.depth.to_bits(), corner.inverse_w.to_bits());
    (corner.at, depth, inverse_w)
}
