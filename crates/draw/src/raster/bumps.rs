//! The frames of normal maps: the directions of the image to the right and up.

use glam::{Vec2, Vec3};

use super::geometry::Varying;

/// Tangent and bitangent of the three corners of a triangle, one number after the other.
pub(super) type Frames = [f32; 18];

/// The frames of a triangle's corners: those of the vertices, or else the directions in which u grows and v falls, in the
/// plane across each corner's normal.
///
/// * `are_stated` – whether the vertices have frames.
pub(super) fn frames(corners: &[Varying; 3], are_stated: bool) -> Frames {
    let frames = if are_stated {
        corners.map(|corner| corner.frame)
    } else {
        let along = directions(corners);
        corners.map(|corner| {
            let normal = corner.normal.normalize_or_zero();
            along.map(|axis| axis - normal * normal.dot(axis))
        })
    };
    let mut numbers = [0.0; 18];
    let lists = numbers.as_chunks_mut::<3>().0.iter_mut();
    for (list, axis) in lists.zip(frames.into_iter().flatten()) {
        *list = axis.normalize_or_zero().to_array();
    }
    numbers
}

/// The directions in which u grows and v falls over a triangle; any length.
///
/// Position is linear in u and v. For each of two sides, p = u P + v Q; P and -Q are returned.
fn directions([a, b, c]: &[Varying; 3]) -> [Vec3; 2] {
    let sides = [b.position - a.position, c.position - a.position];
    let [first, second]: [Vec2; 2] = [b.uv - a.uv, c.uv - a.uv];
    let turn = if first.perp_dot(second) < 0.0 {
        -1.0
    } else {
        1.0
    };
    [
        (sides[0] * second.y - sides[1] * first.y) * turn,
        (sides[0] * second.x - sides[1] * first.x) * turn,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corner(position: Vec3, uv: Vec2) -> Varying {
        Varying {
            position,
            uv,
            normal: Vec3::Z * 3.0,
            ..Varying::default()
        }
    }

    /// A triangle whose u grows along `along[0]`, and v along `along[1]`.
    fn triangle([u, v]: [Vec3; 2]) -> [Varying; 3] {
        [
            Vec2::new(0.1, 0.2),
            Vec2::new(0.7, 0.3),
            Vec2::new(0.2, 0.9),
        ]
        .map(|uv| corner(u * uv.x + v * uv.y, uv))
    }

    #[test]
    fn frames_follow_the_texture_coordinates_also_where_they_are_mirrored() {
        for along in [[Vec3::X, Vec3::Y], [Vec3::X, -Vec3::Y], [Vec3::Y, Vec3::X]] {
            let found = frames(&triangle(along.map(|axis| axis * 2.0)), false);
            for list in found.as_chunks::<6>().0 {
                let (u, v) = list.split_at(3);
                assert!(Vec3::from_slice(u).abs_diff_eq(along[0], 1e-6), "{list:?}");
                assert!(Vec3::from_slice(v).abs_diff_eq(-along[1], 1e-6), "{list:?}");
            }
        }
    }

    #[test]
    fn frames_of_vertices_come_first() {
        let mut corners = triangle([Vec3::X, Vec3::Y]);
        for corner in &mut corners {
            corner.frame = [Vec3::Y * 2.0, -Vec3::X];
        }
        let found = frames(&corners, true);
        let (tangent, bitangent) = found[..6].split_at(3);
        assert!(Vec3::from_slice(tangent).abs_diff_eq(Vec3::Y, 1e-6));
        assert!(Vec3::from_slice(bitangent).abs_diff_eq(-Vec3::X, 1e-6));
    }

    #[test]
    fn a_triangle_without_texture_coordinates_has_no_directions() {
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y].map(|at| corner(at, Vec2::ONE));
        let found = frames(&corners, false);
        assert!(found.iter().all(|number| number.abs() < 1e-6), "{found:?}");
    }
}
