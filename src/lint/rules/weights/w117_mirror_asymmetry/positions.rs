//! Finds points by position.

use glam::DVec3;

/// The plane between left and right.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plane {
    /// Unit normal.
    pub(super) left: DVec3,
    /// Distance from the origin, to the left.
    pub(super) offset: f64,
}

impl Plane {
    /// `point` on the other side.
    pub(super) fn mirror(&self, point: DVec3) -> DVec3 {
        point - self.left * (2.0 * (self.left.dot(point) - self.offset))
    }
}

/// Most points examined around one. Models have a handful of vertices at one position.
const MOST_NEAR: usize = 64;

/// The size of a cell in tolerances: large enough that a search rarely needs the next cell.
const CELL: f64 = 8.0;

/// Points in a grid.
#[derive(Debug)]
pub(super) struct Positions {
    pub(super) points: Vec<DVec3>,
    tolerance: f64,
    /// The cell and the index of every finite point, in order.
    cells: Vec<([i64; 3], usize)>,
}

impl Positions {
    /// A grid of points, of which those within `tolerance` share a position.
    pub(super) fn of(points: Vec<DVec3>, tolerance: f64) -> Self {
        let finite = points.iter().enumerate().filter(|(_, p)| p.is_finite());
        let mut cells: Vec<_> = finite
            .map(|(index, point)| (cell(*point, tolerance), index))
            .collect();
        cells.sort_unstable();
        Self {
            points,
            tolerance,
            cells,
        }
    }

    /// The points at the position of `point`, in no particular order; none if there are too many nearby.
    pub(super) fn at(&self, point: DVec3) -> Vec<usize> {
        let mut found = Vec::new();
        if !point.is_finite() {
            return found;
        }
        let reach = DVec3::splat(self.tolerance);
        let [from, to] = [point - reach, point + reach].map(|p| cell(p, self.tolerance));
        let mut looked_at = 0;
        for [x, y] in corners(from, to) {
            let first = [x, y, from[2]];
            let start = self.cells.partition_point(|(cell, _)| *cell < first);
            let about = self.cells[start..].iter();
            for &(_, index) in about.take_while(|(cell, _)| *cell <= [x, y, to[2]]) {
                looked_at += 1;
                if looked_at > MOST_NEAR {
                    return Vec::new();
                }
                if self.points[index].distance(point) <= self.tolerance {
                    found.push(index);
                }
            }
        }
        found
    }

    /// The number of points with a mirror image.
    pub(super) fn images(&self, plane: Plane) -> usize {
        let points = self.points.iter();
        points
            .filter(|point| !self.at(plane.mirror(**point)).is_empty())
            .count()
    }
}

/// The rows of cells between two, which are equal or adjacent.
fn corners(from: [i64; 3], to: [i64; 3]) -> impl Iterator<Item = [i64; 2]> {
    let ends = move |axis: usize| {
        let second = (to[axis] != from[axis]).then_some(to[axis]);
        std::iter::once(from[axis]).chain(second)
    };
    ends(0).flat_map(move |x| ends(1).map(move |y| [x, y]))
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "what is too far for an i64 shares the last cell"
)]
fn cell(point: DVec3, tolerance: f64) -> [i64; 3] {
    (point / (CELL * tolerance))
        .to_array()
        .map(|axis| axis.floor() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_is_found_across_the_borders_of_cells() {
        for step in -40..40 {
            let point = DVec3::splat(f64::from(step) * 0.3);
            let positions = Positions::of(vec![DVec3::splat(1e6), point], 1.0);
            assert_eq!(positions.at(point + DVec3::splat(0.57)), [1], "{step}");
            assert_eq!(positions.at(point - DVec3::splat(0.57)), [1], "{step}");
            assert!(
                positions.at(point + DVec3::splat(0.58)).is_empty(),
                "{step}"
            );
        }
    }

    #[test]
    fn crowds_and_nan_are_not_found() {
        let positions = Positions::of(vec![DVec3::ZERO; MOST_NEAR + 1], 1.0);
        assert!(positions.at(DVec3::ZERO).is_empty());
        let positions = Positions::of(vec![DVec3::NAN, DVec3::INFINITY], 1.0);
        assert!(positions.at(DVec3::NAN).is_empty() && positions.at(DVec3::INFINITY).is_empty());
        assert!(
            Positions::of(vec![DVec3::ONE], 0.0)
                .at(DVec3::ZERO)
                .is_empty()
        );
    }
}
