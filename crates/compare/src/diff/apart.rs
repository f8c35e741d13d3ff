//! Distances for which two values that are not finite are equal.

use glam::{DMat4, DVec3};

/// The distance of two points: 0 if neither is finite, infinite if one is not.
fn points(a: DVec3, b: DVec3) -> f64 {
    match [a.is_finite(), b.is_finite()] {
        [true, true] => a.distance(b),
        [false, false] => 0.0,
        _ => f64::INFINITY,
    }
}

/// The largest distance of a point that is carried by two matrices.
///
/// The difference of two affine maps is largest at a corner, so the corners of a box decide for all points in it.
pub(super) fn carried(points: &[DVec3], a: &DMat4, b: &DMat4) -> f64 {
    let apart = points.iter().map(|point| {
        let [a, b] = [a, b].map(|matrix| matrix.transform_point3(*point));
        self::points(a, b)
    });
    apart.fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_on_both_sides_is_equal() {
        let nan = DVec3::splat(f64::NAN);
        assert!(points(nan, DVec3::INFINITY) <= 0.0);
        assert!(points(nan, DVec3::ZERO).is_infinite());
    }

    #[test]
    fn a_turn_carries_the_farthest_point_farthest() {
        let turned = DMat4::from_rotation_z(std::f64::consts::PI);
        let points = [DVec3::ZERO, DVec3::X * 3.0, DVec3::Y];
        let apart = carried(&points, &DMat4::IDENTITY, &turned);
        assert!((apart - 6.0).abs() < 1e-12, "{apart}");
    }
}
