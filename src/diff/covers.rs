//! Whether triangles cover others.

use glam::DVec3;

use crate::rig::Bounds;

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
                let is_near = nearest_point(triangle, point).distance(point) <= limit;
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

/// The point of a triangle that is nearest to another.
///
/// # Reference
///
/// C. Ericson, *Real-Time Collision Detection*, 5.1.5.
fn nearest_point([a, b, c]: &Corners, point: DVec3) -> DVec3 {
    let [along, across] = [b - a, c - a];
    let [from_a, from_b, from_c] = [point - a, point - b, point - c];
    let [a1, a2] = [along.dot(from_a), across.dot(from_a)];
    if a1 <= 0.0 && a2 <= 0.0 {
        return *a;
    }
    let [b1, b2] = [along.dot(from_b), across.dot(from_b)];
    if b1 >= 0.0 && b2 <= b1 {
        return *b;
    }
    let [c1, c2] = [along.dot(from_c), across.dot(from_c)];
    if c2 >= 0.0 && c1 <= c2 {
        return *c;
    }
    // Areas of the triangles that the point forms with each edge, as parts of the barycentric coordinates.
    let of_c = a1 * b2 - b1 * a2;
    if of_c <= 0.0 && a1 >= 0.0 && b1 <= 0.0 {
        return a + along * (a1 / (a1 - b1));
    }
    let of_b = c1 * a2 - a1 * c2;
    if of_b <= 0.0 && a2 >= 0.0 && c2 <= 0.0 {
        return a + across * (a2 / (a2 - c2));
    }
    let of_a = b1 * c2 - c1 * b2;
    let [to_c, to_b] = [b2 - b1, c1 - c2];
    if of_a <= 0.0 && to_c >= 0.0 && to_b >= 0.0 {
        return b + (c - b) * (to_c / (to_c + to_b));
    }
    a + (along * of_b + across * of_c) / (of_a + of_b + of_c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_point_of_a_triangle_is_nearer_than_the_nearest() {
        let triangle = [DVec3::ZERO, DVec3::X * 2.0, DVec3::new(0.5, 1.5, 0.3)];
        let steps = || (0..=40).map(|step| f64::from(step) / 40.0);
        for index in 0..200_u32 {
            let coordinate = |factor: u32| f64::from(index * factor % 37) / 12.0 - 1.0;
            let point = DVec3::from_array([7, 11, 13].map(coordinate));
            let found = nearest_point(&triangle, point).distance(point);
            let [a, b, c] = triangle;
            let all = steps().flat_map(|s| steps().map(move |t| [s, t * (1.0 - s)]));
            let apart = all.map(|[s, t]| (a + (b - a) * s + (c - a) * t).distance(point));
            let least = apart.fold(f64::INFINITY, f64::min);
            assert!(
                found <= least + 1e-12 && found > least - 0.05,
                "{point}: {found} {least}"
            );
        }
    }

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
