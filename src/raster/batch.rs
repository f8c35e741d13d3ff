//! Places that are coloured together: up to eight on one surface, on any of its triangles.

#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]

use super::geometry::Varying;
use super::interpolate::{Interpolator, Place};
use super::scene::Triangle;

/// Places that are coloured together.
pub(super) const WIDTH: usize = 8;

/// Their colours by channel: red, green and blue, linear.
pub(super) type Channels = [[f32; WIDTH]; 3];

/// What is interpolated over a triangle, as plain numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Numbers {
    origin: Place,
    /// Of an [`Interpolator`], one a corner: `per_x` from [`PER_X`], `per_y` from [`PER_Y`], and `inverse_w` from
    /// [`INVERSE_W`]. The rest is unused.
    pub(super) weighing: [f64; 12],
    /// Those of the three corners one after the other, each as [`Varying::numbers`]. At [`SIGN`] is -0 if normals are
    /// reversed, else 0. From [`FACE_NORMAL`] is the normal where corners have none; any length.
    pub(super) values: [f32; 40],
}

pub(super) const PER_X: usize = 0;
pub(super) const PER_Y: usize = 3;
pub(super) const INVERSE_W: usize = 6;
pub(super) const SIGN: usize = 3 * Varying::NUMBERS;
pub(super) const FACE_NORMAL: usize = SIGN + 1;

impl Numbers {
    const NONE: Self = Self {
        origin: Place { x: 0.0, y: 0.0 },
        weighing: [0.0; 12],
        values: [0.0; 40],
    };

    pub(super) fn of(triangle: &Triangle) -> Self {
        let by = Interpolator::new(&triangle.corners);
        let mut numbers = Self {
            origin: by.origin,
            ..Self::NONE
        };
        let lists = [by.per_x, by.per_y, by.inverse_w];
        for (to, list) in numbers.weighing.chunks_exact_mut(3).zip(&lists) {
            to.copy_from_slice(list);
        }
        let values = numbers.values.chunks_exact_mut(Varying::NUMBERS);
        for (to, varying) in values.zip(&triangle.varyings) {
            to.copy_from_slice(&varying.numbers());
        }
        if triangle.turned {
            numbers.values[SIGN] = -0.0;
        }
        numbers.values[FACE_NORMAL..].copy_from_slice(&triangle.face_normal.to_array());
        numbers
    }
}

/// Up to [`WIDTH`] places, and their triangles.
#[derive(Debug)]
pub(super) struct Batch {
    count: usize,
    /// From the origins of their triangles, in grid units.
    pub(super) x: [f64; WIDTH],
    pub(super) y: [f64; WIDTH],
    /// Which of the triangles each is on.
    which: [usize; WIDTH],
    triangles: [Numbers; WIDTH],
    triangle_count: usize,
    /// The id of the last triangle.
    last: Option<u32>,
}

impl Batch {
    pub(super) fn new() -> Self {
        Self {
            count: 0,
            x: [0.0; WIDTH],
            y: [0.0; WIDTH],
            which: [0; WIDTH],
            triangles: [Numbers::NONE; WIDTH],
            triangle_count: 0,
            last: None,
        }
    }

    /// Forgets all places, and all triangles but the last.
    pub(super) fn restart(&mut self) {
        if self.triangle_count > 1 {
            self.triangles[0] = self.triangles[self.triangle_count - 1];
            self.triangle_count = 1;
        }
        self.count = 0;
    }

    /// Begins another triangle, as long as there are fewer than [`WIDTH`] places.
    pub(super) fn begin(&mut self, id: u32, triangle: &Triangle) {
        if self.count == 0 {
            self.triangle_count = 0;
        }
        self.triangles[self.triangle_count] = Numbers::of(triangle);
        self.triangle_count += 1;
        self.last = Some(id);
    }

    /// The id of the triangle that was begun last.
    pub(super) fn last(&self) -> Option<u32> {
        self.last
    }

    /// Adds a place on the triangle that was begun last.
    pub(super) fn add(&mut self, place: Place) {
        let (lane, last) = (self.count, self.triangle_count - 1);
        let origin = self.triangles[last].origin;
        (self.x[lane], self.y[lane]) = (place.x - origin.x, place.y - origin.y);
        self.which[lane] = last;
        self.count += 1;
    }

    /// Lets lanes without a place repeat the first.
    pub(super) fn fill(&mut self) {
        for lane in self.count..WIDTH {
            self.x[lane] = self.x[0];
            self.y[lane] = self.y[0];
            self.which[lane] = self.which[0];
        }
    }

    /// The triangle that all places are on, if it is one.
    pub(super) fn only(&self) -> Option<&Numbers> {
        (self.triangle_count == 1).then(|| &self.triangles[0])
    }

    /// The triangle of each place.
    pub(super) fn each(&self) -> [&Numbers; WIDTH] {
        self.which.map(|which| &self.triangles[which])
    }
}
