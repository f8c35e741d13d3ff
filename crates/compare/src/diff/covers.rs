//! Whether triangles cover others.

use glam::DVec3;

use crate::rig::{Bounds, nearest_on_triangle};

/// Ranges up to this size are searched linearly.
const LEAF: usize = 4;

/// The corners of a triangle, counter-clockwise where it is seen from its front.
pub(super) type Corners = [DVec3; 3];

/// How a triangle lies to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Covered {
    /// They cover it.
    Same,
    /// They cover it, and face the other way.
    Reversed,
    /// A part of it is not covered.
    No,
}

/// Triangles in a tree of boxes: each range is halved along the widest axis of its centres.
pub(super) struct Cover {
    triangles: Vec<Corners>,
    /// The box of each range, by its middle.
    boxes: Vec<Bounds>,
}

impl Cover {
    pub(super) fn new(triangles: impl IntoIterator<Item = Corners>) -> Self {
        let mut triangles: Vec<Corners> = triangles.into_iter().collect();
        let mut boxes = vec![Bounds::of([]); triangles.len()];
        let mut pending = vec![(0_usize, triangles.len())];
        while let Some((start, end)) = pending.pop() {
            if start == end {
                continue;
            }
            let own = &mut triangles[start..end];
            let middle = start.midpoint(end);
            boxes[middle] = Bounds::of(own.iter().flatten().copied());
            if end - start <= LEAF {
                continue;
            }
            let centres = Bounds::of(own.iter().map(centre));
            let widths = (centres.high - centres.low).to_array();
            let axis = (0..3)
                .max_by(|a, b| widths[*a].total_cmp(&widths[*b]))
                .unwrap_or(0);
            let by_axis = |a: &Corners, b: &Corners| centre(a)[axis].total_cmp(&centre(b)[axis]);
            own.select_nth_unstable_by(middle - start, by_axis);
            pending.extend([(start, middle), (middle + 1, end)]);
        }
        Self { triangles, boxes }
    }

    /// Whether a triangle is covered: whether each of a few points in it is near some of these.
    ///
    /// * `limit` – the largest distance.
    /// * `most` – how many of these to examine for a point; a point that has not been found near one by then is not
    ///   covered.
    pub(super) fn covers(&self, triangle: &Corners, limit: f64, most: usize) -> Covered {
        let facing = front(triangle);
        let inner = inner_points(triangle);
        let all_near = |sign: f64| {
            let mut points = inner.iter();
            points.all(|point| self.is_near(*point, sign * facing, limit, most))
        };
        if all_near(1.0) {
            Covered::Same
        } else if all_near(-1.0) {
            Covered::Reversed
        } else {
            Covered::No
        }
    }

    /// Whether a triangle that faces about the same way is near a point.
    fn is_near(&self, point: DVec3, facing: DVec3, limit: f64, most: usize) -> bool {
        let mut left = most;
        let mut pending = vec![(0_usize, self.triangles.len())];
        while let Some((start, end)) = pending.pop() {
            let middle = start.midpoint(end);
            if start == end || outside(&self.boxes[middle], point) > limit {
                continue;
            }
            let own = if end - start <= LEAF {
                start..end
            } else {
                pending.extend([(start, middle), (middle + 1, end)]);
                middle..middle + 1
            };
            for triangle in &self.triangles[own] {
                let is_near = nearest_on_triangle(triangle, point).distance(point) <= limit;
                if is_near && front(triangle).dot(facing) > 0.0 {
                    return true;
                }
                left -= 1;
                if left == 0 {
                    return false;
                }
            }
        }
        false
    }
}

/// Along the normal; its length is twice the area.
pub(super) fn front([a, b, c]: &Corners) -> DVec3 {
    (b - a).cross(c - a)
}

fn centre([a, b, c]: &Corners) -> DVec3 {
    (a + b + c) / 3.0
}

/// The centre, and a point towards each corner.
fn inner_points(triangle: &Corners) -> [DVec3; 4] {
    let centre = centre(triangle);
    let [a, b, c] = triangle.map(|corner| centre.midpoint(corner));
    [centre, a, b, c]
}

/// The distance of a point from a box.
fn outside(bounds: &Bounds, point: DVec3) -> f64 {
    point.clamp(bounds.low, bounds.high).distance(point)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A strip of quads along X.
    fn strip(count: u32) -> Vec<Corners> {
        let quads = (0..count).map(f64::from);
        let corner = |x: f64, y: f64| DVec3::new(x, y, 0.0);
        quads
            .flat_map(|x| {
                let [a, b] = [corner(x, 0.0), corner(x + 1.0, 0.0)];
                let [c, d] = [corner(x + 1.0, 1.0), corner(x, 1.0)];
                [[a, b, c], [a, c, d]]
            })
            .collect()
    }

    #[test]
    fn triangles_cover_what_is_near_and_faces_their_way() {
        let cover = Cover::new(strip(50));
        let covered = |triangle: Corners| cover.covers(&triangle, 0.01, 1000);
        let [a, b, c] = [
            DVec3::new(3.0, 0.0, 0.0),
            DVec3::new(9.0, 0.0, 0.0),
            DVec3::new(6.0, 1.0, 0.0),
        ];
        assert_eq!(covered([a, b, c]), Covered::Same);
        assert_eq!(covered([a, c, b]), Covered::Reversed);
        let above = DVec3::Z * 0.02;
        assert_eq!(covered([a, b, c].map(|corner| corner + above)), Covered::No);
        assert_eq!(covered([a, b, c * 3.0]), Covered::No);
    }

    #[test]
    fn a_search_ends() {
        let cover = Cover::new(strip(50));
        let triangle = strip(1)[0];
        assert_eq!(cover.covers(&triangle, 100.0, 1), Covered::Same);
        assert_eq!(
            cover.covers(&triangle.map(|corner| corner + DVec3::Z), 0.9, 1),
            Covered::No
        );
        assert_eq!(Cover::new([]).covers(&triangle, 1.0, 10), Covered::No);
    }
}
