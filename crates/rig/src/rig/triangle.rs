//! The nearest point of a triangle.

use glam::DVec3;

/// The point of a triangle that is nearest to another.
///
/// # Reference
///
/// C. Ericson, "Real-Time Collision Detection", 2005, §5.1.5: the Voronoi region of the point decides whether a corner, an
/// edge or the face is nearest.
#[doc(hidden)]
#[must_use]
pub fn nearest_on_triangle([a, b, c]: &[DVec3; 3], point: DVec3) -> DVec3 {
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
    let inside = a + (along * of_b + across * of_c) / (of_a + of_b + of_c);
    // A triangle that is a point or a line.
    if inside.is_finite() { inside } else { *a }
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
            let found = nearest_on_triangle(&triangle, point).distance(point);
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
}
