//! The sizes of everything that can deform, measured in every pose: enough to rule out most faults.
//!
//! A pose of a large mesh is read once and leaves little behind: the extremes of each block of triangles, and roughly where
//! each area vector points. Triangles that these do not rule out are measured again, by the same products and sums. Without
//! the blocks and directions, a check of 500,000 vertices takes 1.6 times as long.

use std::ops::Range;

use glam::Vec3;

use crate::analysis::deformation::pliant::{Pliant, PliantHinge};

/// The sizes as bound.
#[derive(Debug)]
pub(crate) struct AsBound {
    triangles: Vec<Inverses>,
    /// The length of the longest side in each block of triangles.
    longest: Vec<f32>,
}

/// The inverse sizes of a triangle as bound.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Inverses {
    /// 1 over the square of twice its area; 0 for less than [`SMALL`].
    over_square: f32,
    /// 1 over the squares of the lengths of its sides, the first from corner 0 to 1; 0 of one without a length.
    over_sides: [f32; 3],
}

/// Squares of areas below this lose digits, and so do quotients of them.
const SMALL: f32 = 1e-30;

/// Triangles that are ruled out together.
const BLOCK: usize = 32;

/// The sizes in a pose.
#[derive(Debug)]
pub(crate) struct InPose {
    blocks: Vec<Extremes>,
    /// For each triangle, the direction of its area vector.
    sectors: Vec<Sector>,
}

/// The extremes of a block of triangles.
#[derive(Debug, Clone, Copy)]
struct Extremes {
    /// The largest [stretch](Sides::stretch).
    stretch: f32,
    /// The smallest square of an area over its bound square; NaN does not count.
    area_ratio: f32,
}

/// The triangles of `pliant`, in order, with the vertices of their mesh at `positions`.
pub(crate) fn as_bound(pliant: &Pliant, positions: &[Vec3]) -> AsBound {
    let over = |square: f32| if square > 0.0 { 1.0 / square } else { 0.0 };
    let mut longest = vec![0.0; pliant.corners.len().div_ceil(BLOCK)];
    let triangles = pliant.corners.iter().enumerate().map(|(index, corners)| {
        let sides = Sides::of(*corners, positions);
        let square = sides.across().length_squared();
        let squares = sides.squares();
        longest[index / BLOCK] = squares.into_iter().fold(longest[index / BLOCK], f32::max);
        Inverses {
            over_square: if square > SMALL { 1.0 / square } else { 0.0 },
            over_sides: squares.map(over),
        }
    });
    AsBound {
        triangles: triangles.collect(),
        longest: longest.into_iter().map(f32::sqrt).collect(),
    }
}

/// The sizes in a pose: one pass over all triangles, which keeps the extremes of each block.
///
/// * `bound` – of [`as_bound`].
/// * `positions` – one per kind of vertex.
pub(crate) fn in_pose(pliant: &Pliant, bound: &AsBound, positions: &[Vec3]) -> InPose {
    let bound = &bound.triangles;
    let mut sectors = vec![Sector::default(); bound.len()];
    let blocks = pliant
        .kinds
        .chunks(BLOCK)
        .zip(bound.chunks(BLOCK))
        .zip(sectors.chunks_mut(BLOCK))
        .map(|((kinds, bound), sectors)| {
            let mut extremes = Extremes {
                stretch: 0.0,
                area_ratio: f32::INFINITY,
            };
            for ((corners, bound), sector) in kinds.iter().zip(bound).zip(sectors) {
                let sides = Sides::of(*corners, positions);
                let across = sides.across();
                extremes.stretch = larger(sides.stretch(bound), extremes.stretch);
                let ratio = across.length_squared() * bound.over_square;
                extremes.area_ratio = if ratio < extremes.area_ratio {
                    ratio
                } else {
                    extremes.area_ratio
                };
                *sector = Sector::of(across);
            }
            extremes
        });
    InPose {
        blocks: blocks.collect(),
        sectors,
    }
}

/// The direction of a vector: its octant in the lowest three bits, the face of a cube in the others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Sector(u8);

impl Sector {
    const OCTANT: u8 = 0b111;
    /// The face of a vector that is too short for its products.
    const NO_FACE: u8 = 6 << 3;
    /// Shorter vectors have no face.
    const SHORT: f32 = 1e-15;
    /// A lower bound of the cosine between vectors in one face: -1/3 between opposite corners of it, less some rounding.
    const FACE_COSINE: f32 = -0.34;

    #[inline]
    fn of(vector: Vec3) -> Self {
        // The octant is the three sign bits; the face is the axis of the largest coordinate with its sign.
        let [x, y, z] = vector.to_array().map(|c| c.to_bits() >> 31);
        let size = vector.abs();
        let (of_xy, xy) = if size.x >= size.y {
            (size.x, x)
        } else {
            (size.y, 2 | y)
        };
        let (largest, face) = if of_xy >= size.z {
            (of_xy, xy)
        } else {
            (size.z, 4 | z)
        };
        let face = if largest >= Self::SHORT {
            face << 3
        } else {
            u32::from(Self::NO_FACE)
        };
        #[expect(clippy::cast_possible_truncation, reason = "six bits")]
        Self((x | y << 1 | z << 2 | face) as u8)
    }

    /// Whether the cosine between two vectors may be below `cosine`, which is 0 or less. Never wrongly false.
    #[inline]
    fn may_be_apart(self, other: Self, cosine: f32) -> bool {
        let different = self.0 ^ other.0;
        // Coordinates of one octant have the same signs, so the cosine is 0 or more.
        let in_octant = different & Self::OCTANT == 0;
        // The bits above the octant are equal: the same face.
        let in_face = different < Self::OCTANT + 1 && self.0 < Self::NO_FACE;
        !(in_octant || in_face && cosine < Self::FACE_COSINE)
    }
}

/// Pliant triangles in a pose, beside themselves as bound.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sizes<'a> {
    pub(crate) pliant: &'a Pliant,
    /// Bound positions of the vertices of the mesh.
    pub(crate) bound_positions: &'a [Vec3],
    pub(crate) bound: &'a AsBound,
    /// Posed positions, one per kind of vertex.
    pub(crate) positions: &'a [Vec3],
    pub(crate) posed: &'a InPose,
}

impl<'a> Sizes<'a> {
    /// The indices of triangles with a side stretched by a factor or more.
    ///
    /// * `least` – the square of the factor.
    pub(crate) fn stretched(self, least: f32) -> impl Iterator<Item = usize> + 'a {
        let triangles = self.in_blocks(move |block| block.stretch >= least);
        triangles.filter(move |triangle| {
            let sides = Sides::of(self.pliant.kinds[*triangle], self.positions);
            sides.stretch(&self.bound.triangles[*triangle]) >= least
        })
    }

    /// The indices of triangles that several joints move and that may have shrunk to a fraction of their area or less, with
    /// twice the area as bound and in the pose.
    ///
    /// * `most` – the square of the fraction.
    pub(crate) fn shrunk(self, most: f32) -> impl Iterator<Item = (usize, [f32; 2])> + 'a {
        // `most` plus the rounding of the quotient, and `MIN_POSITIVE` (added below) over `SMALL`: no block is skipped wrongly.
        let bound = 1.001 * most + 1e-7;
        let triangles = self.in_blocks(move |block| block.area_ratio <= bound);
        triangles.filter_map(move |triangle| {
            let square =
                |corners, positions| Sides::of(corners, positions).across().length_squared();
            let bound = square(self.pliant.corners[triangle], self.bound_positions);
            let posed = square(self.pliant.kinds[triangle], self.positions);
            // `MIN_POSITIVE`: areas whose squares underflow are examined.
            let shrunk = posed <= most * bound + f32::MIN_POSITIVE && posed.is_finite();
            (self.pliant.bends[triangle] && shrunk)
                .then(|| (triangle, [bound, posed].map(f32::sqrt)))
        })
    }

    /// The hinges at which the cosine between the area vectors may be below `cosine`.
    pub(crate) fn bent_beyond(self, cosine: f32) -> Vec<PliantHinge> {
        let (hinges, sectors) = (&self.pliant.hinges, &self.posed.sectors);
        if cosine > 0.0 {
            return hinges.clone();
        }
        let may_be = |hinge: &PliantHinge| {
            let [a, b] = hinge.beside.map(|triangle| sectors[triangle as usize]);
            a.may_be_apart(b, cosine)
        };
        // Few hinges are bent. Testing a block without branches first takes half the time of a branch per hinge.
        let blocks = hinges.chunks(BLOCK);
        let blocks =
            blocks.filter(|block| block.iter().fold(false, |any, hinge| any | may_be(hinge)));
        blocks
            .flatten()
            .filter(|hinge| may_be(hinge))
            .copied()
            .collect()
    }

    /// The blocks of triangles with a side that may be longer than `length` in the pose, each with the largest factor by which
    /// one of its sides is stretched, and the indices of its triangles.
    pub(crate) fn longer_than(self, length: f32) -> impl Iterator<Item = (f32, Range<usize>)> + 'a {
        let count = self.bound.triangles.len();
        let blocks = self.posed.blocks.iter().zip(&self.bound.longest);
        let blocks = blocks.enumerate().map(move |(block, (extremes, longest))| {
            let triangles = block * BLOCK..count.min((block + 1) * BLOCK);
            (extremes.stretch.sqrt(), *longest, triangles)
        });
        // A product of two rounded numbers may be a little too small.
        let long = blocks.filter(move |(stretch, longest, _)| 1.001 * stretch * longest >= length);
        long.map(|(stretch, _, triangles)| (stretch, triangles))
    }

    /// A vector across a triangle in the pose, as long as twice its area.
    pub(crate) fn across(self, triangle: u32) -> Vec3 {
        Sides::of(self.pliant.kinds[triangle as usize], self.positions).across()
    }

    /// The indices of the triangles in blocks that `selects` accepts.
    fn in_blocks(
        self,
        selects: impl Fn(&Extremes) -> bool + 'a,
    ) -> impl Iterator<Item = usize> + 'a {
        let blocks = self.posed.blocks.iter().enumerate();
        let selected = blocks.filter(move |(_, block)| selects(block));
        let count = self.bound.triangles.len();
        selected.flat_map(move |(block, _)| block * BLOCK..count.min((block + 1) * BLOCK))
    }
}

/// The larger of both; one instruction, unlike `max`, which tests for NaN twice.
#[inline]
fn larger(number: f32, than: f32) -> f32 {
    if number > than { number } else { than }
}

/// The sides of a triangle.
struct Sides {
    ab: Vec3,
    bc: Vec3,
    ac: Vec3,
}

impl Sides {
    #[inline]
    fn of([a, b, c]: [u32; 3], positions: &[Vec3]) -> Self {
        let (a, b, c) = (
            positions[a as usize],
            positions[b as usize],
            positions[c as usize],
        );
        Self {
            ab: b - a,
            bc: c - b,
            ac: c - a,
        }
    }

    /// The area vector, as [`across`](super::bodies::across) computes it.
    #[inline]
    fn across(&self) -> Vec3 {
        self.ab.cross(self.ac)
    }

    /// The squares of their lengths, the first from corner 0 to 1.
    #[inline]
    fn squares(&self) -> [f32; 3] {
        [
            self.ab.length_squared(),
            self.bc.length_squared(),
            self.ac.length_squared(),
        ]
    }

    /// The square of the largest ratio of a side to its bound length. Sides that are NaN do not count.
    #[inline]
    fn stretch(&self, bound: &Inverses) -> f32 {
        let [ab, bc, ca] = self.squares();
        let [of_ab, of_bc, of_ca] = bound.over_sides;
        larger(ab * of_ab, larger(bc * of_bc, larger(ca * of_ca, 0.0)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rig::strategies::vectors;

    fn pliant(triangles: usize) -> Pliant {
        Pliant {
            corners: (0..triangles).map(corners).collect(),
            kinds: (0..triangles).map(corners).collect(),
            bends: vec![true; triangles],
            ..Pliant::default()
        }
    }

    fn corners(triangle: usize) -> [u32; 3] {
        let first = u32::try_from(3 * triangle).expect("there are few");
        [first, first + 1, first + 2]
    }

    /// The least square up to which the only triangle counts as stretched, when it is stretched along x to `stretch` times.
    fn stretched(corners: [Vec3; 3], stretch: f32) -> f32 {
        stretch_of(
            corners,
            corners.map(|position| position * Vec3::new(stretch, 1.0, 1.0)),
        )
    }

    fn stretch_of(corners: [Vec3; 3], posed: [Vec3; 3]) -> f32 {
        let pliant = pliant(1);
        let bound = as_bound(&pliant, &corners);
        in_pose(&pliant, &bound, &posed).blocks[0].stretch
    }

    #[track_caller]
    fn is_about(actual: f32, expected: f32) {
        assert!((actual - expected).abs() < 1e-6, "{actual} != {expected}");
    }

    #[test]
    fn the_side_that_is_stretched_most_counts() {
        is_about(stretched([Vec3::ZERO, Vec3::X, Vec3::Y], 3.0), 9.0);
    }

    #[test]
    fn sides_without_a_length_are_not_stretched() {
        is_about(stretched([Vec3::X, Vec3::X, Vec3::Y], 3.0), 5.0);
        is_about(stretched([Vec3::X; 3], 3.0), 0.0);
    }

    #[test]
    fn a_corner_that_is_not_finite_hides_no_other() {
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y];
        let posed = [Vec3::ZERO, Vec3::X * 3.0, Vec3::NAN];
        is_about(stretch_of(corners, posed), 9.0);
    }

    /// Bound and posed positions of all magnitudes, some not finite.
    fn positions() -> impl Strategy<Value = Vec<[Vec3; 2]>> {
        let number =
            (-1.0_f32..1.0, -22..3_i32).prop_map(|(part, digits)| part * 10_f32.powi(digits));
        let bad = prop_oneof![Just(f32::NAN), Just(f32::INFINITY), Just(0.0)];
        let number = prop_oneof![9 => number, 1 => bad];
        let position = prop::array::uniform3(number).prop_map(Vec3::from);
        let near = (position, vectors(1.5), any::<bool>());
        let pair = near.prop_map(|(bound, by, wild)| [bound, if wild { by } else { bound * by }]);
        prop::collection::vec(pair, 3 * (BLOCK + 5))
    }

    proptest! {
        #[test]
        fn blocks_rule_out_nothing_that_counts(positions in positions(), most in 0.0_f32..0.5, least in 0.5_f32..4.0) {
            let (pliant, count) = (pliant(BLOCK + 5), BLOCK + 5);
            let [bound_positions, positions] = [0, 1].map(|side| positions.iter().map(|pair| pair[side]).collect::<Vec<Vec3>>());
            let bound = as_bound(&pliant, &bound_positions);
            let posed = in_pose(&pliant, &bound, &positions);
            let sizes = Sizes { pliant: &pliant, bound_positions: &bound_positions, bound: &bound, positions: &positions, posed: &posed };
            let sides = |triangle: usize, positions: &[Vec3]| Sides::of(corners(triangle), positions);
            let stretched = (0..count).filter(|triangle| sides(*triangle, &positions).stretch(&bound.triangles[*triangle]) >= least);
            prop_assert!(sizes.stretched(least).eq(stretched));
            let square = |triangle: usize, positions: &[Vec3]| sides(triangle, positions).across().length_squared();
            let shrunk = (0..count).filter(|triangle| {
                let [bound, posed] = [&bound_positions, &positions].map(|positions| square(*triangle, positions));
                posed <= most * bound + f32::MIN_POSITIVE && posed.is_finite()
            });
            prop_assert!(sizes.shrunk(most).map(|(triangle, _)| triangle).eq(shrunk));
            for (a, b) in (1..count).map(|triangle| (triangle - 1, triangle)) {
                let [a, b] = [a, b].map(|triangle| (posed.sectors[triangle], sides(triangle, &positions).across()));
                for cosine in [0.0, -0.3, -0.35, -0.9] {
                    let is_apart = a.1.dot(b.1) < cosine * (a.1.length() * b.1.length());
                    prop_assert!(!is_apart || a.0.may_be_apart(b.0, cosine));
                }
            }
        }
    }
}
