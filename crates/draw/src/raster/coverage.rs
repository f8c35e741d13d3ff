//! Which samples a triangle covers: exact integers on the sub-pixel grid.

/// A point on the sub-pixel grid, x to the right and y down, [`SUBPIXEL`] units per pixel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct GridPoint {
    /// Rightwards.
    pub(super) x: i32,
    /// Downwards.
    pub(super) y: i32,
}

/// Grid units per pixel: 24.8 fixed point, as Direct3D 11 asks for.
pub(super) const SUBPIXEL: i32 = 256;

/// Corners are nearer to the origin than this, in grid units (2^20 pixels).
///
/// Differences are then below 2^29 and their products below 2^58, so no sum of an edge function overflows an `i64`.
pub(super) const LIMIT: i32 = 1 << 28;

/// One sample per pixel: its centre.
pub(super) const CENTRE: [GridPoint; 1] = [in_sixteenths(8, 8)];

/// Four samples per pixel: the standard positions of Direct3D 11, which OpenGL drivers use too.
pub(super) const STANDARD: [GridPoint; 4] = [
    in_sixteenths(6, 2),
    in_sixteenths(14, 6),
    in_sixteenths(2, 10),
    in_sixteenths(10, 14),
];

const fn in_sixteenths(x: i32, y: i32) -> GridPoint {
    GridPoint {
        x: x * SUBPIXEL / 16,
        y: y * SUBPIXEL / 16,
    }
}

/// Twice the signed area of the triangle `a b c`, in square grid units; positive if it is clockwise on the screen.
pub(super) fn doubled_area([a, b, c]: [GridPoint; 3]) -> i64 {
    let (abx, aby) = difference(a, b);
    let (acx, acy) = difference(a, c);
    abx * acy - aby * acx
}

fn difference(from: GridPoint, to: GridPoint) -> (i64, i64) {
    let axis = |from: i32, to: i32| i64::from(to) - i64::from(from);
    (axis(from.x, to.x), axis(from.y, to.y))
}

/// Whether an edge of a clockwise triangle owns the samples that lie exactly on it: a left or a top edge does.
pub(super) fn is_top_left((dx, dy): (i64, i64)) -> bool {
    dy < 0 || (dy == 0 && dx > 0)
}

/// The three edge functions of a clockwise triangle: linear, and not negative where a sample is covered.
///
/// # Reference
///
/// J. Pineda, "A Parallel Algorithm for Polygon Rasterization", SIGGRAPH 1988.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edges<const N: usize> {
    at_origin: [i64; 3],
    per_pixel_x: [i64; 3],
    per_pixel_y: [i64; 3],
    /// How much each edge function grows from a pixel's corner to its samples.
    at_sample: [[i64; N]; 3],
    /// The least and the largest of those growths.
    least: [i64; 3],
    largest: [i64; 3],
}

impl<const N: usize> Edges<N> {
    /// * `corners` – clockwise on the screen, within [`LIMIT`].
    /// * `pattern` – the samples of a pixel, relative to its top left corner.
    pub(super) fn new([a, b, c]: [GridPoint; 3], pattern: &[GridPoint; N]) -> Self {
        let edges = [(a, b), (b, c), (c, a)];
        let slopes = edges.map(|(from, to)| difference(from, to));
        let constant = |(from, (dx, dy)): (GridPoint, (i64, i64))| {
            // A sample on an edge that does not own it counts as outside: its 0 becomes -1.
            let bias = i64::from(!is_top_left((dx, dy)));
            // `dx (y - from.y) - dy (x - from.x)`, without the terms of the sample's position.
            dy * i64::from(from.x) - dx * i64::from(from.y) - bias
        };
        let along = |(dx, dy): (i64, i64), x: i32, y: i32| dx * i64::from(y) - dy * i64::from(x);
        let at_sample = slopes.map(|slope| pattern.map(|sample| along(slope, sample.x, sample.y)));
        let fold = |of: fn(i64, i64) -> i64| {
            at_sample.map(|values| values.into_iter().fold(values[0], of))
        };
        Self {
            at_origin: [(a, slopes[0]), (b, slopes[1]), (c, slopes[2])].map(constant),
            per_pixel_x: slopes.map(|slope| along(slope, SUBPIXEL, 0)),
            per_pixel_y: slopes.map(|slope| along(slope, 0, SUBPIXEL)),
            at_sample,
            least: fold(i64::min),
            largest: fold(i64::max),
        }
    }

    /// The values at the top left corner of the pixel in `column` and `row`.
    #[inline]
    pub(super) fn at_pixel(&self, column: i32, row: i32) -> [i64; 3] {
        let (column, row) = (i64::from(column), i64::from(row));
        let at =
            |k: usize| self.at_origin[k] + self.per_pixel_x[k] * column + self.per_pixel_y[k] * row;
        [at(0), at(1), at(2)]
    }

    /// The values one pixel further to the right.
    #[inline]
    pub(super) fn step_right(&self, at: &mut [i64; 3]) {
        at[0] += self.per_pixel_x[0];
        at[1] += self.per_pixel_x[1];
        at[2] += self.per_pixel_x[2];
    }

    /// Whether one of the edges has all samples of a pixel outside; `at` are the values at the pixel's corner.
    ///
    /// The pixels of a row that this does not exclude are contiguous.
    #[inline]
    pub(super) fn miss(&self, at: &[i64; 3]) -> bool {
        signs(at, &self.largest) < 0
    }

    /// The covered samples of the pixel whose corner has the values `at`: bit `s` for sample `s`.
    #[inline]
    pub(super) fn mask(&self, at: &[i64; 3]) -> u8 {
        // If even the least value of each edge is inside, all samples are.
        if signs(at, &self.least) >= 0 {
            return ALL >> (8 - N);
        }
        let [a, b, c] = &self.at_sample;
        (0..N).fold(0, |mask, s| {
            // The sign bit is set if one of the three is negative.
            let negative = (at[0] + a[s]) | (at[1] + b[s]) | (at[2] + c[s]);
            mask | (u8::from(negative >= 0) << s)
        })
    }
}

/// A bit for each of the eight samples that a mask has room for.
const ALL: u8 = u8::MAX;

/// Negative if one of the sums is.
#[inline]
fn signs(at: &[i64; 3], offset: &[i64; 3]) -> i64 {
    (at[0] + offset[0]) | (at[1] + offset[1]) | (at[2] + offset[2])
}

/// Width and height of a tile in pixels. A tile's depths and triangles fit into a core's own cache.
pub(super) const TILE: usize = 64;

/// Stands for a missing triangle.
pub(super) const NOTHING: u32 = u32::MAX;

/// How many samples kernels process together: those of a square of neighbouring pixels.
pub(super) const GROUP: usize = 16;

/// Width and height of a block in pixels. A triangle behind all samples of a block skips the block.
pub(super) const BLOCK: usize = 8;

/// How many blocks there are in a tile.
pub(super) const BLOCKS: usize = (TILE / BLOCK) * (TILE / BLOCK);

/// A rectangle of pixels; both corners belong to it.
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

    /// The number of pixels.
    pub(super) fn area(&self) -> u64 {
        let sides = [0, 1].map(|axis| i64::from(self.max[axis]) - i64::from(self.min[axis]) + 1);
        sides
            .map(|side| u64::try_from(side).unwrap_or(0))
            .iter()
            .product()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::TestCaseResult;

    use super::*;
    use crate::raster::tests::{Verdict, check};

    const PIXELS: i32 = 10;

    /// Samples covered in the pixel at (column, row), for a triangle of either winding.
    type Covers<const N: usize> = fn([GridPoint; 3], &[GridPoint; N], i32, i32) -> u8;

    fn covers<const N: usize>(
        [a, b, c]: [GridPoint; 3],
        pattern: &[GridPoint; N],
        column: i32,
        row: i32,
    ) -> u8 {
        let clockwise = match doubled_area([a, b, c]) {
            0 => return 0,
            area if area > 0 => [a, b, c],
            _ => [a, c, b],
        };
        let edges = Edges::new(clockwise, pattern);
        let mut at = edges.at_pixel(0, row);
        (0..column).for_each(|_| edges.step_right(&mut at));
        edges.mask(&at)
    }

    /// The definition, sample by sample.
    fn covers_by_definition<const N: usize>(
        triangle: [GridPoint; 3],
        pattern: &[GridPoint; N],
        column: i32,
        row: i32,
    ) -> u8 {
        by_rule(triangle, pattern, column, row, is_top_left)
    }

    fn by_rule<const N: usize>(
        [a, mut b, mut c]: [GridPoint; 3],
        pattern: &[GridPoint; N],
        column: i32,
        row: i32,
        owns: fn((i64, i64)) -> bool,
    ) -> u8 {
        match doubled_area([a, b, c]) {
            0 => return 0,
            area if area < 0 => std::mem::swap(&mut b, &mut c),
            _ => {}
        }
        let inside = |sample: &GridPoint| {
            let at = GridPoint {
                x: column * SUBPIXEL + sample.x,
                y: row * SUBPIXEL + sample.y,
            };
            [(a, b), (b, c), (c, a)].into_iter().all(|(from, to)| {
                let side = doubled_area([from, to, at]);
                side > 0 || (side == 0 && owns(difference(from, to)))
            })
        };
        let bits = pattern.iter().enumerate();
        bits.fold(0, |mask, (s, sample)| {
            mask | (u8::from(inside(sample)) << s)
        })
    }

    /// Corners on sixteenths of a pixel, so that samples often lie exactly on edges: the hard case.
    fn corner() -> impl Strategy<Value = GridPoint> {
        let axis = || (-2..=8 * PIXELS).prop_map(|eighths| eighths * SUBPIXEL / 8);
        (axis(), axis()).prop_map(|(x, y)| GridPoint { x, y })
    }

    fn pixels() -> impl Iterator<Item = (i32, i32)> {
        (0..PIXELS).flat_map(|x| (0..PIXELS).map(move |y| (x, y)))
    }

    /// Fanning a triangle's edges out from any point neither loses a sample nor counts one twice: the parts, signed by
    /// their winding, add up to the whole.
    fn signed_parts_add_up<const N: usize>(
        covers: Covers<N>,
        pattern: &[GridPoint; N],
        [a, b, c, apex]: [GridPoint; 4],
    ) -> TestCaseResult {
        for (column, row) in pixels() {
            for sample in 0..N {
                let signed = |triangle| {
                    let mask = covers(triangle, pattern, column, row);
                    i64::from((mask >> sample) & 1) * doubled_area(triangle).signum()
                };
                let parts = [[a, b, apex], [b, c, apex], [c, a, apex]].map(signed);
                let whole = signed([a, b, c]);
                prop_assert_eq!(
                    parts.iter().sum::<i64>(),
                    whole,
                    "pixel {}, {}",
                    column,
                    row
                );
            }
        }
        Ok(())
    }

    fn fan_law<const N: usize>(covers: Covers<N>, pattern: &[GridPoint; N]) -> Verdict {
        check(&prop::array::uniform4(corner()), |points| {
            signed_parts_add_up(covers, pattern, points)
        })
    }

    #[test]
    fn shared_edges_leave_no_gap_and_no_overlap() {
        fan_law(covers, &CENTRE).unwrap();
        fan_law(covers, &STANDARD).unwrap();
    }

    #[test]
    fn the_law_of_shared_edges_sees_a_rule_that_owns_every_edge() {
        let greedy: Covers<4> = |t, pattern, x, y| by_rule(t, pattern, x, y, |_| true);
        assert!(fan_law(greedy, &STANDARD).is_err());
        let greedy: Covers<1> = |t, pattern, x, y| by_rule(t, pattern, x, y, |_| true);
        assert!(fan_law(greedy, &CENTRE).is_err());
    }

    #[test]
    fn the_law_of_shared_edges_sees_a_rule_that_owns_no_edge() {
        let modest: Covers<4> = |t, pattern, x, y| by_rule(t, pattern, x, y, |_| false);
        assert!(fan_law(modest, &STANDARD).is_err());
    }

    #[test]
    fn the_law_of_shared_edges_sees_horizontal_edges_forgotten() {
        let no_top: Covers<1> = |t, pattern, x, y| by_rule(t, pattern, x, y, |(_, dy)| dy < 0);
        assert!(fan_law(no_top, &CENTRE).is_err());
    }

    fn definition_law<const N: usize>(covers: Covers<N>, pattern: &[GridPoint; N]) -> Verdict {
        check(&prop::array::uniform3(corner()), |triangle| {
            for (column, row) in pixels() {
                let expected = covers_by_definition(triangle, pattern, column, row);
                prop_assert_eq!(covers(triangle, pattern, column, row), expected);
            }
            Ok(())
        })
    }

    #[test]
    fn walking_pixel_by_pixel_gives_what_the_definition_gives() {
        definition_law(covers, &CENTRE).unwrap();
        definition_law(covers, &STANDARD).unwrap();
        let one_pixel_off: Covers<4> = |t, pattern, x, y| covers(t, pattern, x + 1, y);
        assert!(definition_law(one_pixel_off, &STANDARD).is_err());
    }

    type Misses = fn(&Edges<4>, &[i64; 3]) -> bool;

    /// Excluded pixels have no covered sample, and the others are contiguous.
    fn miss_law(misses: Misses) -> Verdict {
        check(&prop::array::uniform3(corner()), |[a, b, c]| {
            let clockwise = match doubled_area([a, b, c]) {
                0 => return Ok(()),
                area if area > 0 => [a, b, c],
                _ => [a, c, b],
            };
            let edges = Edges::new(clockwise, &STANDARD);
            for row in 0..PIXELS {
                let at = |column| edges.at_pixel(column, row);
                let kept: Vec<i32> = (0..PIXELS).filter(|x| !misses(&edges, &at(*x))).collect();
                prop_assert!(kept.windows(2).all(|pair| pair[0] + 1 == pair[1]));
                let lost = |x: &i32| !kept.contains(x) && edges.mask(&at(*x)) != 0;
                prop_assert!(!(0..PIXELS).any(|x| lost(&x)));
            }
            Ok(())
        })
    }

    #[test]
    fn pixels_that_are_not_missed_are_neighbours() {
        miss_law(Edges::miss).unwrap();
    }

    #[test]
    fn the_law_of_missed_pixels_sees_gaps_and_losses() {
        assert!(miss_law(|edges, at| edges.mask(at) == 0).is_err());
        assert!(miss_law(|edges, at| edges.mask(at) != 0b1111).is_err());
    }

    #[test]
    fn the_largest_triangle_is_exact() {
        let far = LIMIT;
        let corner = |x, y| GridPoint { x, y };
        let triangle = [corner(-far, -far), corner(far, -far), corner(-far, far)];
        assert_eq!(doubled_area(triangle), 1 << 58);
        assert_eq!(
            covers(triangle, &STANDARD, 0, 0),
            0,
            "(0, 0) is on its diagonal"
        );
        assert_eq!(covers(triangle, &STANDARD, 0, -1).count_ones(), 2);
    }

    #[test]
    fn the_standard_samples_average_to_the_centre() {
        let sum = |axis: fn(&GridPoint) -> i32| STANDARD.iter().map(axis).sum::<i32>();
        assert_eq!((sum(|p| p.x), sum(|p| p.y)), (2 * SUBPIXEL, 2 * SUBPIXEL));
    }

    /// On the screen y grows downwards: clockwise, a top edge runs to the right and a left edge upwards.
    #[test]
    fn top_and_left_edges_own_their_samples() {
        assert!(is_top_left((1, 0)) && is_top_left((0, -1)));
        assert!(!is_top_left((-1, 0)) && !is_top_left((0, 1)));
    }
}
