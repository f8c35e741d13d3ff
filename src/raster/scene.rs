//! Everything that is drawn, as triangles on the screen.

use std::cmp::Ordering;

use glam::Vec3;
use rayon::prelude::*;

use super::bins::Bins;
use super::coverage::GridPoint;
use super::facing::Facing;
use super::geometry::{Source, Varying};
use super::grid::PixelBounds;
use super::surface::Surface;
use crate::view::{Sides, Viewport};

/// A corner of a triangle on the screen.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ScreenCorner {
    /// Where, snapped to the grid.
    pub(super) at: GridPoint,
    /// 0 at the near and 1 at the far plane; linear over the screen.
    pub(super) depth: f64,
    /// 1/w of clip space; linear over the screen.
    pub(super) inverse_w: f64,
}

/// A triangle on the screen, as a list of them keeps it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Face {
    /// Clockwise, and not without area: positions in the body's lists of corners.
    corners: [u32; 3],
    /// Number of the body times 4, and two flags.
    tag: u32,
}

impl Face {
    const COUNTER_CLOCKWISE: u32 = 1;
    const CUT: u32 = 2;

    /// * `corners` – in the order of the file.
    /// * `counter_clockwise` – whether they go round that way on the screen.
    pub(super) fn new(
        [a, b, c]: [u32; 3],
        body: usize,
        counter_clockwise: bool,
        is_cut: bool,
    ) -> Self {
        // A body has a vertex at least, and memory ends before 2^30 of them.
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

    /// Moves to corners this many places later.
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
    /// Which one.
    pub(super) face: usize,
    /// The vertices of the whole triangle, in the order of the file.
    pub(super) original: [u32; 3],
    /// See [`Triangle::original_sides`].
    pub(super) original_sides: [bool; 3],
}

/// A triangle on the screen, with all that shading needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Triangle {
    /// Clockwise, and not without area.
    pub(super) corners: [ScreenCorner; 3],
    /// At the corners.
    pub(super) varyings: [Varying; 3],
    /// Perpendicular to the triangle in world space, towards the viewer; any length.
    pub(super) face_normal: Vec3,
    /// Whether the vertices' normals point away from the viewer although this side is seen.
    pub(super) turned: bool,
    /// Whether the side from corner `k` to the next is a side of the mesh's triangle, and not made by clipping.
    pub(super) original_sides: [bool; 3],
}

/// One drawn mesh instance.
#[derive(Debug)]
pub(super) struct Body<'a> {
    /// What it looks like.
    pub(super) surface: Surface<'a>,
    /// What varies over its vertices.
    pub(super) source: Source<'a>,
    /// One a vertex, and more where clipping made corners.
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

/// A translucent triangle, and how many there are that look the same: all in one place, with the same corners.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Translucent {
    /// Position in the list of triangles of one of them.
    pub(super) id: u32,
    /// At least 1.
    pub(super) copies: u32,
}

/// All triangles of an image and what they refer to.
#[derive(Debug, Default)]
pub(super) struct Scene<'a> {
    /// In the order in which they were given.
    pub(super) bodies: Vec<Body<'a>>,
    /// What may be seen.
    faces: Vec<Face>,
    /// The pixels that each of them may touch.
    bounds: Vec<PixelBounds>,
    /// By face.
    cuts: Vec<Cut>,
    /// What is translucent: of the same depth, the first is in front. Sorted once, they need not be compared at every
    /// sample.
    pub(super) translucent: Vec<Translucent>,
    /// What is opaque in each tile, as positions in the list of triangles.
    pub(super) solid_bins: Bins,
    /// What is translucent in each tile, as positions in `translucent`.
    pub(super) translucent_bins: Bins,
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

    /// Sorts into tiles, once all triangles are there.
    pub(super) fn sort(&mut self, viewport: Viewport) {
        let is_blended = self.bodies.iter().any(|body| body.surface.is_blended());
        // Ids end before the one that stands for nothing; memory ends long before.
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
            // Nothing to sort out: every triangle is opaque.
            self.solid_bins = Bins::new(viewport, self.bounds.iter().enumerate());
        }
    }

    fn translucent(&self, mut blended: Vec<u32>) -> Vec<Translucent> {
        // In the order that decides ties: triangles that look the same become neighbours, and are drawn once.
        blended.par_sort_unstable_by(|a, b| self.tie_order(*a, *b));
        let same = |a: &u32, b: &u32| self.tie_order(*a, *b).is_eq();
        let translucent = blended.chunk_by(same).map(|alike| Translucent {
            id: alike[0],
            copies: u32::try_from(alike.len()).unwrap_or(u32::MAX),
        });
        translucent.collect()
    }

    /// Which body triangle `id` belongs to.
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

    /// Where the corners of triangle `id` are: clockwise, and not without area.
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
            // Corners are kept clockwise; the normal of the face needs the order of the file.
            let [b, c] = if counter_clockwise { [c, b] } else { [b, c] };
            (Facing::new([a, b, c]), [true; 3])
        };
        let turned = body.surface.sides == Sides::Both;
        Triangle {
            corners: self.corners(id),
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

    /// Of two triangles with the same depth the lesser is in front; equal are only triangles that look the same.
    ///
    /// Looks at what the triangles are, not at where they stand in a list: the image must not depend on their order.
    /// By instance, then by where the corners are, then by what varies between them, and no farther than they are the same.
    pub(super) fn tie_order(&self, a: u32, b: u32) -> Ordering {
        let instance = |id: u32| self.surface(id).instance;
        let varyings = |id: u32| {
            let corners = self.faces[id as usize].corners.into_iter();
            corners.map(move |corner| self.body(id).varying(corner).numbers().map(f32::to_bits))
        };
        instance(a)
            .cmp(&instance(b))
            .then_with(|| self.corners(a).map(place).cmp(&self.corners(b).map(place)))
            .then_with(|| varyings(a).cmp(varyings(b)))
    }
}

/// Where a corner is, to compare by.
fn place(corner: ScreenCorner) -> (GridPoint, u64, u64) {
    let (depth, inverse_w) = (corner.depth.to_bits(), corner.inverse_w.to_bits());
    (corner.at, depth, inverse_w)
}
