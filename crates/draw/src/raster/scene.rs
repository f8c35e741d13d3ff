//! Everything that is drawn, as triangles on the screen.

use std::cmp::Ordering;

use glam::Vec3;
use rayon::prelude::*;

use super::bins::Bins;
use super::bumps::{self, Frames};
use super::clip::Facing;
use super::coverage::{GridPoint, PixelBounds};
use super::geometry::{Source, Varying};
use super::texture::Surface;
use crate::view::{Sides, Viewport};

/// A corner of a triangle on the screen.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ScreenCorner {
    /// Position, snapped to the grid.
    pub(super) at: GridPoint,
    /// 0 at the near and 1 at the far plane; linear over the screen.
    pub(super) depth: f64,
    /// 1/w of clip space; linear over the screen.
    pub(super) inverse_w: f64,
}

/// A triangle on the screen, as the scene stores it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Face {
    /// Indices in the body's lists of corners. Clockwise; the area is not zero.
    corners: [u32; 3],
    /// The index of the body times 4, and two flags.
    tag: u32,
}

impl Face {
    const COUNTER_CLOCKWISE: u32 = 1;
    const CUT: u32 = 2;

    /// * `corners` – in the order of the file.
    /// * `counter_clockwise` – whether that order is counter-clockwise on the screen.
    pub(super) fn new(
        [a, b, c]: [u32; 3],
        body: usize,
        counter_clockwise: bool,
        is_cut: bool,
    ) -> Self {
        // Every body has a vertex, and memory ends before 2^30 bodies.
        let body = u32::try_from(body).unwrap_or_default() << 2;
        Self {
            corners: if counter_clockwise {
                [a, c, b]
            } else {
                [a, b, c]
            },
            tag: body | u32::from(counter_clockwise) | u32::from(is_cut) << 1,
        }
    }

    /// Adds `by` to the indices of the corners.
    pub(super) fn shift(&mut self, by: u32) {
        self.corners = self.corners.map(|corner| corner.wrapping_add(by));
    }

    fn body(&self) -> usize {
        self.tag as usize >> 2
    }

    fn is_counter_clockwise(&self) -> bool {
        self.tag & Self::COUNTER_CLOCKWISE != 0
    }
}

/// Additional data of a triangle that clipping made.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cut {
    /// The index of the face.
    pub(super) face: usize,
    /// The vertices of the original triangle, in the order of the file.
    pub(super) original: [u32; 3],
    /// See [`Triangle::original_sides`].
    pub(super) original_sides: [bool; 3],
}

/// A triangle on the screen, with everything that shading needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Triangle {
    /// Clockwise; the area is not zero.
    pub(super) corners: [ScreenCorner; 3],
    /// At the corners.
    pub(super) varyings: [Varying; 3],
    /// Perpendicular to the triangle in world space, towards the viewer; any length.
    pub(super) face_normal: Vec3,
    /// Whether the vertices' normals point away from the viewer although this side is visible.
    pub(super) turned: bool,
    /// Whether the side from corner `k` to the next is a side of the mesh's triangle, not one that clipping made.
    pub(super) original_sides: [bool; 3],
    /// Of a surface with a normal map.
    pub(super) frames: Option<Frames>,
}

/// One drawn mesh instance.
#[derive(Debug)]
pub(super) struct Body<'a> {
    /// Its material.
    pub(super) surface: Surface<'a>,
    /// The attributes of its vertices.
    pub(super) source: Source<'a>,
    /// One per vertex, then one for each corner that clipping made.
    pub(super) corners: Vec<ScreenCorner>,
    /// The attributes of corners that clipping made.
    pub(super) cut_varyings: Vec<Varying>,
}

impl Body<'_> {
    fn varying(&self, corner: u32) -> Varying {
        let vertices = self.source.positions.len();
        match (corner as usize).checked_sub(vertices) {
            Some(cut) => self.cut_varyings[cut],
            None => self.source.varying(corner as usize),
        }
    }
}

/// A translucent triangle, and how many triangles look the same: at the same position, with the same corners.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Translucent {
    /// The index of one of them in the list of triangles.
    pub(super) id: u32,
    /// At least 1.
    pub(super) copies: u32,
}

/// All triangles of an image and what they refer to.
#[derive(Debug, Default)]
pub(super) struct Scene<'a> {
    /// In the order of the input.
    pub(super) bodies: Vec<Body<'a>>,
    /// The triangles that may be visible.
    faces: Vec<Face>,
    /// The pixels that each face may touch.
    bounds: Vec<PixelBounds>,
    /// Sorted by face.
    cuts: Vec<Cut>,
    /// The translucent triangles. Of those with the same depth, the first is in front: sorting once saves comparisons
    /// at every sample.
    pub(super) translucent: Vec<Translucent>,
    /// The opaque triangles of each tile, as indices in the list of faces.
    pub(super) solid_bins: Bins,
    /// The translucent triangles of each tile, as indices in `translucent`.
    pub(super) translucent_bins: Bins,
    /// The pixels of all triangles together, each to within one.
    pub(super) covered: u64,
}

impl<'a> Scene<'a> {
    /// Adds a run of triangles, with the pixels that each may touch.
    pub(super) fn append(
        &mut self,
        (mut faces, mut bounds, cuts): (Vec<Face>, Vec<PixelBounds>, Vec<Cut>),
    ) {
        let shift = self.faces.len();
        self.cuts.extend(cuts.into_iter().map(|cut| Cut {
            face: cut.face + shift,
            ..cut
        }));
        if self.faces.is_empty() {
            (self.faces, self.bounds) = (faces, bounds);
        } else {
            self.faces.append(&mut faces);
            self.bounds.append(&mut bounds);
        }
    }

    /// Sorts all triangles into tiles; called when the scene is complete.
    pub(super) fn sort(&mut self, viewport: Viewport) {
        let is_blended = self.bodies.iter().any(|body| body.surface.is_blended());
        // Ids stay below the one that stands for no triangle: memory ends long before.
        let all = 0..u32::try_from(self.faces.len()).unwrap_or(u32::MAX);
        if is_blended {
            let (blended, solid): (Vec<u32>, Vec<u32>) =
                all.partition(|id| self.surface(*id).is_blended());
            self.translucent = self.translucent(blended);
            let of_each = self
                .translucent
                .iter()
                .map(|triangle| self.bounds(triangle.id));
            self.translucent_bins = Bins::new(viewport, of_each.enumerate());
            let of_solid = solid.iter().map(|id| (*id as usize, self.bounds(*id)));
            self.solid_bins = Bins::new(viewport, of_solid);
        } else {
            // Every triangle is opaque, so nothing has to be separated.
            self.solid_bins = Bins::new(viewport, self.bounds.iter().enumerate());
        }
    }

    fn translucent(&self, mut blended: Vec<u32>) -> Vec<Translucent> {
        // Sorting by the order that decides ties makes triangles that look the same neighbours, which are then drawn
        // once.
        blended.par_sort_unstable_by(|a, b| self.tie_order(*a, *b));
        let same = |a: &u32, b: &u32| self.tie_order(*a, *b).is_eq();
        let translucent = blended.chunk_by(same).map(|alike| Translucent {
            id: alike[0],
            copies: u32::try_from(alike.len()).unwrap_or(u32::MAX),
        });
        translucent.collect()
    }

    /// The index of the body of triangle `id`.
    #[inline]
    pub(super) fn body_of(&self, id: u32) -> usize {
        self.faces[id as usize].body()
    }

    #[inline]
    fn body(&self, id: u32) -> &Body<'a> {
        &self.bodies[self.body_of(id)]
    }

    /// The surface of triangle `id`.
    pub(super) fn surface(&self, id: u32) -> &Surface<'a> {
        &self.body(id).surface
    }

    /// The pixels that triangle `id` may touch.
    pub(super) fn bounds(&self, id: u32) -> &PixelBounds {
        &self.bounds[id as usize]
    }

    /// The corners of triangle `id` on the screen. Clockwise; the area is not zero.
    #[inline]
    pub(super) fn corners(&self, id: u32) -> [ScreenCorner; 3] {
        let corners = &self.body(id).corners;
        let [a, b, c] = self.faces[id as usize].corners;
        [
            corners[a as usize],
            corners[b as usize],
            corners[c as usize],
        ]
    }

    /// Everything about triangle `id`.
    pub(super) fn triangle(&self, id: u32) -> Triangle {
        let (face, body) = (&self.faces[id as usize], self.body(id));
        let varyings = face.corners.map(|corner| body.varying(corner));
        let counter_clockwise = face.is_counter_clockwise();
        let (facing, original_sides) = if let Some(cut) = self.cut(face, id) {
            let original = cut.original.map(|corner| body.varying(corner));
            (Facing::new(original.each_ref()), cut.original_sides)
        } else {
            let [a, b, c] = varyings.each_ref();
            // Corners are stored clockwise, but the face normal needs the order of the file.
            let [b, c] = if counter_clockwise { [c, b] } else { [b, c] };
            (Facing::new([a, b, c]), [true; 3])
        };
        let turned = body.surface.sides == Sides::Both;
        let frames = || bumps::frames(&varyings, body.source.is_framed());
        Triangle {
            corners: self.corners(id),
            frames: body.surface.has_bumps().then(frames),
            varyings,
            face_normal: facing.towards_viewer(counter_clockwise),
            turned: turned && facing.normals_point_away(counter_clockwise),
            original_sides,
        }
    }

    fn cut(&self, face: &Face, id: u32) -> Option<&Cut> {
        if face.tag & Face::CUT == 0 {
            return None;
        }
        let index = self
            .cuts
            .binary_search_by_key(&(id as usize), |cut| cut.face);
        self.cuts.get(index.ok()?)
    }

    /// Orders two triangles of the same depth: the lesser is in front. Only triangles that look the same are equal.
    ///
    /// Compares what the triangles are, not their indices, because the image must not depend on the order of triangles:
    /// first the instance, then the positions of the corners, then their attributes.
    pub(super) fn tie_order(&self, a: u32, b: u32) -> Ordering {
        let instance = |id: u32| self.surface(id).instance;
        let varyings = |id: u32| {
            let corners = self.faces[id as usize].corners.into_iter();
            corners.map(move |corner| self.body(id).varying(corner).numbers().map(f32::to_bits))
        };
        instance(a)
            .cmp(&instance(b))
            .then_with(|| {
                self.corners(a)
                    .map(sort_key)
                    .cmp(&self.corners(b).map(sort_key))
            })
            .then_with(|| varyings(a).cmp(varyings(b)))
    }
}

/// The position of a corner, for comparison to the bit.
fn sort_key(corner: ScreenCorner) -> (GridPoint, u64, u64) {
    let (depth, inverse_w) = (corner.depth.to_bits(), corner.inverse_w.to_bits());
    (corner.at, depth, inverse_w)
}
