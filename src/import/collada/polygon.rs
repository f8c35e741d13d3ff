//! Triangulation of polygons.

use glam::Vec3;

/// A polygon of more corners is cut as a fan: ear clipping takes quadratic time or more.
const MOST_CORNERS: usize = 512;

/// Triangles that cover the polygon, by the indices of its corners.
///
/// Ear clipping: cut off a corner whose triangle is convex and contains no other corner, until three corners are left. A
/// simple polygon always has an ear (G. H. Meisters, "Polygons Have Ears", 1975), so a concave one is covered without
/// overlap. If a whole round finds none, the polygon crosses itself, and the rest is cut as a fan.
pub(super) fn triangles(corners: &[Vec3]) -> impl Iterator<Item = [u32; 3]> + use<> {
    let count = u32::try_from(corners.len()).unwrap_or(0);
    let mut left: Vec<u32> = (0..count).collect();
    let mut ears = Vec::with_capacity(left.len().saturating_sub(2));
    let is_simple = corners.len() == 3 || corners.len() > MOST_CORNERS;
    let normal = normal(corners);
    let mut at = 0;
    let mut missed = 0;
    // Search on from where an ear was cut, so that a convex polygon becomes a fan. `missed` counts the corners since then.
    while !is_simple && left.len() > 3 && missed < left.len() {
        let around = [
            at % left.len(),
            (at + 1) % left.len(),
            (at + 2) % left.len(),
        ];
        if is_ear(corners, &left, around, normal) {
            ears.push(around.map(|index| left[index]));
            left.remove(around[1]);
            missed = 0;
            at = if around[1] < around[0] {
                around[0] - 1
            } else {
                around[0]
            };
        } else {
            at += 1;
            missed += 1;
        }
    }
    let fan = (2..left.len()).map(move |last| [left[0], left[last - 1], left[last]]);
    let fan: Vec<_> = fan.collect();
    ears.into_iter().chain(fan)
}

/// The normal of the polygon, twice its area long (M. E. Newell). It is defined for concave and slightly bent polygons.
fn normal(corners: &[Vec3]) -> Vec3 {
    let next = corners.iter().cycle().skip(1);
    let sides = corners.iter().zip(next);
    sides.map(|(a, b)| a.cross(*b)).sum()
}

/// Whether the middle corner is convex, and its triangle contains no other corner. Points that coincide with one of the
/// three corners do not count, or a polygon whose outline touches itself would have no ear.
fn is_ear(corners: &[Vec3], left: &[u32], around: [usize; 3], normal: Vec3) -> bool {
    let corner = |index: usize| corners[left[index] as usize];
    let [a, b, c] = around.map(corner);
    let side = |from: Vec3, to: Vec3, point: Vec3| (to - from).cross(point - from).dot(normal);
    if side(a, b, c) <= 0.0 {
        return false;
    }
    let mut others = (0..left.len())
        .filter(|index| !around.contains(index))
        .map(corner);
    !others.any(|point| {
        let is_corner = [a, b, c].contains(&point);
        let inside =
            side(a, b, point) >= 0.0 && side(b, c, point) >= 0.0 && side(c, a, point) >= 0.0;
        inside && !is_corner
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(corners: &[Vec3]) -> f32 {
        let area = |[a, b, c]: [u32; 3]| {
            let [a, b, c] = [a, b, c].map(|corner| corners[corner as usize]);
            (b - a).cross(c - a).z / 2.0
        };
        let areas: Vec<f32> = triangles(corners).map(area).collect();
        assert_eq!(areas.len(), corners.len() - 2);
        assert!(areas.iter().all(|area| *area >= 0.0), "{areas:?}");
        areas.iter().sum()
    }

    fn flat<const N: usize>(points: [[f32; 2]; N]) -> [Vec3; N] {
        points.map(|[x, y]| Vec3::new(x, y, 0.0))
    }

    #[test]
    fn a_convex_polygon_is_a_fan() {
        let square = flat([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]);
        let fan: Vec<_> = triangles(&square).collect();
        assert_eq!(fan, [[0, 1, 2], [0, 2, 3]]);
    }

    #[test]
    fn a_concave_polygon_is_filled_from_whatever_corner_it_begins() {
        let arrow = flat([[0.0, 0.0], [2.0, 1.0], [0.0, 2.0], [0.5, 1.0]]);
        let comb = flat([
            [0.0, 0.0],
            [5.0, 0.0],
            [5.0, 2.0],
            [4.0, 2.0],
            [4.0, 1.0],
            [3.0, 1.0],
            [3.0, 2.0],
            [2.0, 2.0],
            [2.0, 1.0],
            [0.0, 1.0],
        ]);
        for shift in 0..10 {
            let mut arrow = arrow;
            arrow.rotate_left(shift % 4);
            assert!((area(&arrow) - 1.5).abs() < 1e-6);
            let mut comb = comb;
            comb.rotate_left(shift);
            assert!((area(&comb) - 7.0).abs() < 1e-6);
        }
    }

    #[test]
    fn a_polygon_without_area_is_triangulated() {
        assert_eq!(triangles(&[Vec3::ZERO; 6]).count(), 4);
        assert_eq!(triangles(&[Vec3::NAN; 5]).count(), 3);
        assert_eq!(
            triangles(&[Vec3::ONE; MOST_CORNERS + 1]).count(),
            MOST_CORNERS - 1
        );
    }
}
