//! Positions that are coloured together: up to eight on one surface, on any of its triangles.

use fearless_simd::Simd;
use fearless_simd::prelude::*;
use glam::Vec4;

use super::bumps::Frames;
use super::geometry::Varying;
use super::interpolate::{Interpolator, ScreenPosition};
use super::lanes::{D, Double, F, V3, transposed, transposed_doubles};
use super::scene::Triangle;

/// How many positions are coloured together.
pub(super) const WIDTH: usize = 8;

/// Their colours by channel: red, green and blue, linear.
pub(super) type Channels = [[f32; WIDTH]; 3];

/// The attributes interpolated over a triangle, as plain numbers. The lists are as long as registers transpose them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Numbers {
    /// Of an [`Interpolator`]: `per_x` from [`PER_X`], `per_y` from [`PER_Y`], `inverse_w` from [`INVERSE_W`], one a
    /// corner each, and the origin from [`ORIGIN`]. The rest is unused.
    weighing: [f64; 12],
    /// Position, normal and texture coordinates of one corner after the other.
    values: [f32; 24],
    /// The colours of the three corners. At [`SIGN`] is -1 if normals are reversed, else 1. From [`FACE_NORMAL`] is the
    /// normal where corners have none; any length.
    rest: [f32; 16],
}

const PER_X: usize = 0;
const PER_Y: usize = 3;
const INVERSE_W: usize = 6;
const ORIGIN: usize = 9;
/// Numbers of a corner in `values`, and where they begin.
const STRIDE: usize = 8;
pub(super) const POSITION: usize = 0;
pub(super) const NORMAL: usize = 3;
pub(super) const UV: usize = 6;
/// In `rest`.
const SIGN: usize = 12;
const FACE_NORMAL: usize = 13;

impl Numbers {
    const NONE: Self = Self {
        weighing: [0.0; 12],
        values: [0.0; 24],
        rest: [0.0; 16],
    };

    #[inline]
    pub(super) fn of(triangle: &Triangle) -> Self {
        let by = Interpolator::new(&triangle.corners);
        let ([x0, x1, x2], [y0, y1, y2], [w0, w1, w2]) = (by.per_x, by.per_y, by.inverse_w);
        let ScreenPosition { x, y } = by.origin;
        let [a, b, c] = triangle.varyings.each_ref().map(Varying::numbers);
        let mut numbers = Self {
            weighing: [x0, x1, x2, y0, y1, y2, w0, w1, w2, x, y, 0.0],
            ..Self::NONE
        };
        for (corner, list) in [a, b, c].iter().enumerate() {
            let (values, color) = list.split_at(STRIDE);
            numbers.values[corner * STRIDE..][..STRIDE].copy_from_slice(values);
            numbers.rest[corner * 4..][..4].copy_from_slice(color);
        }
        numbers.rest[SIGN] = if triangle.turned { -1.0 } else { 1.0 };
        numbers.rest[FACE_NORMAL..].copy_from_slice(&triangle.face_normal.to_array());
        numbers
    }
}

/// Up to [`WIDTH`] positions, and their triangles.
#[derive(Debug)]
pub(super) struct Batch {
    count: usize,
    x: [f64; WIDTH],
    y: [f64; WIDTH],
    /// The slot of the triangle that each position is on.
    which: [usize; WIDTH],
    /// A ring: the triangle that was added last may serve the next batch too.
    triangles: [Numbers; WIDTH],
    /// Of each triangle, if its surface has a normal map; else of an earlier one.
    frames: [Frames; WIDTH],
    /// The id of the triangle that was added last, and its slot.
    last: Option<(u32, usize)>,
    /// The colour of each triangle, if all its corners have the same.
    colors: [Option<Vec4>; WIDTH],
    /// Whether all positions so far are on one triangle.
    is_one: bool,
    /// The colour of all corners of all triangles, if they share one.
    color: Option<Vec4>,
}

impl Batch {
    pub(super) fn new() -> Self {
        Self {
            count: 0,
            x: [0.0; WIDTH],
            y: [0.0; WIDTH],
            which: [0; WIDTH],
            triangles: [Numbers::NONE; WIDTH],
            frames: [[0.0; 18]; WIDTH],
            colors: [None; WIDTH],
            last: None,
            is_one: true,
            color: None,
        }
    }

    /// Forgets all positions, and all triangles but the last.
    #[inline]
    pub(super) fn restart(&mut self) {
        self.count = 0;
        self.is_one = true;
    }

    /// Adds a position on triangle `id`.
    ///
    /// * `triangle` – looks it up; called only if the previous position was on another.
    #[inline]
    pub(super) fn add(
        &mut self,
        id: u32,
        position: ScreenPosition,
        triangle: impl FnOnce() -> Triangle,
    ) {
        // Invariant: no slot that this batch uses is overwritten, since there are as many slots as positions.
        let slot = self.slot(id, triangle);
        let lane = self.count % WIDTH;
        if lane == 0 {
            self.color = self.colors[slot];
        } else if slot != self.which[lane - 1] {
            self.is_one = false;
            self.color = same(self.color, self.colors[slot]);
        }
        (self.x[lane], self.y[lane]) = (position.x, position.y);
        self.which[lane] = slot;
        self.count += 1;
    }

    /// Adds [`WIDTH`] positions on triangle `id` to an empty batch.
    #[inline]
    pub(super) fn add_all(
        &mut self,
        id: u32,
        position: impl Fn(usize) -> ScreenPosition,
        triangle: impl FnOnce() -> Triangle,
    ) {
        let slot = self.slot(id, triangle);
        self.color = self.colors[slot];
        for lane in 0..WIDTH {
            let position = position(lane);
            (self.x[lane], self.y[lane]) = (position.x, position.y);
        }
        self.which = [slot; WIDTH];
        self.count = WIDTH;
    }

    /// The slot of triangle `id`, which is added if it is not the last.
    #[inline]
    fn slot(&mut self, id: u32, triangle: impl FnOnce() -> Triangle) -> usize {
        match self.last {
            Some((last, slot)) if last == id => slot,
            last => {
                let slot = last.map_or(0, |(_, slot)| (slot + 1) % WIDTH);
                self.put(slot, &triangle());
                self.last = Some((id, slot));
                slot
            }
        }
    }

    #[inline]
    fn put(&mut self, slot: usize, triangle: &Triangle) {
        let [a, b, c] = triangle.varyings.each_ref().map(|at| Some(at.color));
        self.colors[slot] = same(same(a, b), c);
        self.triangles[slot] = Numbers::of(triangle);
        if let Some(frames) = triangle.frames {
            self.frames[slot] = frames;
        }
    }

    /// Fills unused lanes with the first position.
    #[inline]
    pub(super) fn fill(&mut self) {
        for lane in self.count..WIDTH {
            self.x[lane] = self.x[0];
            self.y[lane] = self.y[0];
            self.which[lane] = self.which[0];
        }
    }

    /// The id of the triangle that was added last.
    pub(super) fn last(&self) -> Option<u32> {
        self.last.map(|(id, _)| id)
    }

    /// The positions.
    #[inline(always)]
    pub(super) fn positions<S: Simd>(&self, simd: S) -> ScreenPosition<D<S>> {
        ScreenPosition {
            x: D::load_array_ref(simd, &self.x),
            y: D::load_array_ref(simd, &self.y),
        }
    }

    /// Number `index` of the frames of a normal map.
    #[inline(always)]
    pub(super) fn frame<S: Simd>(&self, simd: S, index: usize) -> F<S> {
        let mut numbers = [0.0; WIDTH];
        for (number, slot) in numbers.iter_mut().zip(self.which) {
            *number = self.frames[slot % WIDTH][index];
        }
        F::load_array(simd, numbers)
    }

    /// The triangle that all positions are on, if they share one.
    #[inline]
    pub(super) fn only(&self) -> Option<&Numbers> {
        self.is_one.then(|| &self.triangles[self.which[0]])
    }

    /// The triangle of lane `lane`.
    #[inline(always)]
    fn at(&self, lane: usize) -> &Numbers {
        &self.triangles[self.which[lane] % WIDTH]
    }
}

/// The colour of both, if they are equal to the bit.
#[inline]
fn same(a: Option<Vec4>, b: Option<Vec4>) -> Option<Vec4> {
    let bits = |color: Vec4| color.to_array().map(f32::to_bits);
    a.filter(|a| b.is_some_and(|b| bits(*a) == bits(b)))
}

/// The numbers of the triangle of each position.
pub(super) trait Source {
    type Double: Double;

    /// Number `index` of [`Numbers::weighing`].
    fn weighing(&self, index: usize) -> Self::Double;
    /// Number `index` of [`Numbers::values`].
    fn value(&self, index: usize) -> Single<Self>;
    /// Number `index` of [`Numbers::rest`].
    fn rest(&self, index: usize) -> Single<Self>;

    /// Number `index` of the attributes of a corner.
    #[inline(always)]
    fn attribute(&self, corner: usize, index: usize) -> Single<Self> {
        self.value(corner * STRIDE + index)
    }

    /// A channel of the colour of a corner.
    #[inline(always)]
    fn color(&self, corner: usize, channel: usize) -> Single<Self> {
        self.rest(corner * 4 + channel)
    }

    /// -1 if normals are reversed, else 1.
    #[inline(always)]
    fn sign(&self) -> Single<Self> {
        self.rest(SIGN)
    }

    #[inline(always)]
    fn face_normal(&self) -> V3<Single<Self>> {
        [
            self.rest(FACE_NORMAL),
            self.rest(FACE_NORMAL + 1),
            self.rest(FACE_NORMAL + 2),
        ]
    }

    #[inline(always)]
    fn interpolator(&self) -> Interpolator<Self::Double> {
        Interpolator {
            origin: ScreenPosition {
                x: self.weighing(ORIGIN),
                y: self.weighing(ORIGIN + 1),
            },
            per_x: self.three(PER_X),
            per_y: self.three(PER_Y),
            inverse_w: self.three(INVERSE_W),
        }
    }

    #[inline(always)]
    fn three(&self, first: usize) -> [Self::Double; 3] {
        [
            self.weighing(first),
            self.weighing(first + 1),
            self.weighing(first + 2),
        ]
    }
}

/// The numbers in f32 of a source.
pub(super) type Single<N> = <<N as Source>::Double as Double>::Single;

/// One position.
impl Source for Numbers {
    type Double = f64;

    #[inline]
    fn weighing(&self, index: usize) -> f64 {
        self.weighing[index]
    }

    #[inline]
    fn value(&self, index: usize) -> f32 {
        self.values[index]
    }

    #[inline]
    fn rest(&self, index: usize) -> f32 {
        self.rest[index]
    }
}

/// Positions on one triangle.
pub(super) struct One<'a, S>(pub(super) S, pub(super) &'a Numbers);

impl<S: Simd> Source for One<'_, S> {
    type Double = D<S>;

    #[inline(always)]
    fn weighing(&self, index: usize) -> D<S> {
        D::splat(self.0, self.1.weighing[index])
    }

    #[inline(always)]
    fn value(&self, index: usize) -> F<S> {
        F::splat(self.0, self.1.values[index])
    }

    #[inline(always)]
    fn rest(&self, index: usize) -> F<S> {
        F::splat(self.0, self.1.rest[index])
    }
}

/// Positions on several triangles.
pub(super) struct Each<'a, S: Simd> {
    simd: S,
    batch: &'a Batch,
    weighing: [D<S>; 12],
    values: [F<S>; 24],
}

impl<'a, S: Simd> Each<'a, S> {
    #[inline(always)]
    pub(super) fn new(simd: S, batch: &'a Batch) -> Self {
        let (mut weighing, mut values) = ([D::splat(simd, 0.0); 12], [F::splat(simd, 0.0); 24]);
        for (part, to) in weighing.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            let mut lists = [&[0.0; 4]; WIDTH];
            for (lane, list) in lists.iter_mut().enumerate() {
                *list = &batch.at(lane).weighing.as_chunks().0[part];
            }
            *to = transposed_doubles(simd, lists);
        }
        for (part, to) in values.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            let mut lists = [&[0.0; 4]; WIDTH];
            for (lane, list) in lists.iter_mut().enumerate() {
                *list = &batch.at(lane).values.as_chunks().0[part];
            }
            *to = transposed(simd, lists);
        }
        Self {
            simd,
            batch,
            weighing,
            values,
        }
    }
}

impl<S: Simd> Source for Each<'_, S> {
    type Double = D<S>;

    #[inline(always)]
    fn weighing(&self, index: usize) -> D<S> {
        self.weighing[index]
    }

    #[inline(always)]
    fn value(&self, index: usize) -> F<S> {
        self.values[index]
    }

    /// Gathered when it is asked for: few batches have reversed normals or faces without normals, and most have one colour.
    #[inline(always)]
    fn rest(&self, index: usize) -> F<S> {
        let mut numbers = [0.0; WIDTH];
        for (lane, number) in numbers.iter_mut().enumerate() {
            *number = self.batch.at(lane).rest[index];
        }
        F::load_array(self.simd, numbers)
    }

    #[inline(always)]
    fn color(&self, corner: usize, channel: usize) -> F<S> {
        match self.batch.color {
            Some(color) => F::splat(self.simd, color[channel]),
            None => self.rest(corner * 4 + channel),
        }
    }
}
