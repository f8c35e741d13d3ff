//! A skinned mesh at rest, with the plane between left and right.

use glam::DVec3;

use crate::analysis::joints::Skinned;
use crate::analysis::weighting::{self, Weighting};
use crate::core::numbers::as_f64;
use crate::rig::{Asset, Bounds, Influence};
use crate::rules::weights::mirror::{Plane, Standing, images, mirrored, named, planes};

/// The largest distance of pairs from each other's mirror image, in diagonals of the model.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tolerances {
    pub(super) position: f64,
    pub(super) joints: f64,
}

/// A mesh whose two sides can be compared.
pub(super) struct Body {
    plane: Plane,
    vertices: Positions,
    weights: Weighting,
    /// For each vertex its weights on the mirror images of its joints; `None` if one has none, or it has no weights.
    mirrored: Vec<Option<Vec<Influence>>>,
}

impl Body {
    /// `None` if there is no plane across which `partners` of the vertices have a mirror image.
    pub(super) fn of(
        asset: &Asset,
        skinned: &Skinned<'_>,
        tolerances: Tolerances,
        partners: f64,
    ) -> Option<Self> {
        let Standing { points, bones } = Standing::of(asset, skinned)?;
        let positions = points.iter().chain(bones.iter().flatten());
        let diagonal = Bounds::of(positions.copied()).diagonal();
        let is_size = diagonal > 0.0 && diagonal.is_finite();
        let vertices = is_size.then(|| Positions::of(points, tolerances.position * diagonal))?;
        let least = partners * as_f64(vertices.points.len());
        let plane = planes(asset, &bones).find(|plane| as_f64(vertices.images(*plane)) >= least)?;
        let named = named(asset, skinned.skin, &bones);
        let images = images(&named, plane, tolerances.joints * diagonal);
        let weights = Weighting::of(skinned.mesh);
        let all = 0..vertices.points.len();
        Some(Self {
            mirrored: all.map(|v| mirrored(weights.at(v), &images)).collect(),
            plane,
            vertices,
            weights,
        })
    }

    /// The vertex at the mirrored position, and the share of the weight that differs there; of several vertices the
    /// most similar one, so that layers may have different weights. `None` if there is none.
    pub(super) fn image(&self, vertex: usize) -> Option<(usize, f64)> {
        let own = self.mirrored.get(vertex)?.as_ref()?;
        let position = self.plane.mirror(self.vertices.points[vertex]);
        let images = self.vertices.at(position).into_iter();
        images
            .filter(|&image| self.mirrored[image].is_some())
            .map(|image| (image, weighting::distance(own, self.weights.at(image))))
            .min_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)))
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
