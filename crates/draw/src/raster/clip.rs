//! Clipping of triangles in clip space, before the division by w.

use glam::{DVec3, DVec4, Vec3};

use super::coverage::{LIMIT, SUBPIXEL};
use super::geometry::Varying;
use crate::view::Viewport;

/// A corner of a polygon that is being clipped.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Corner {
    /// Position in clip space.
    pub(super) clip: DVec4,
    /// Weights of the corners of the original triangle; they sum to 1.
    pub(super) weights: DVec3,
    /// Whether the side to the next corner lies on a side of the original triangle.
    pub(super) original_side: bool,
}

/// The half spaces that every drawn corner is in: `plane · clip >= 0`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Volume([DVec4; 6]);

impl Volume {
    /// The near and far planes, and a guard band. The band is so far outside the image that it hardly ever clips, yet
    /// near enough for fixed point ([`LIMIT`]).
    pub(super) fn new(viewport: Viewport) -> Self {
        let guard = |pixels: u32| {
            let limit = f64::from(LIMIT / SUBPIXEL);
            (2.0 * limit / f64::from(pixels) - 1.0).max(1.0)
        };
        let (x, y) = (guard(viewport.width), guard(viewport.height));
        Self([
            DVec4::new(0.0, 0.0, 1.0, 1.0),
            DVec4::new(0.0, 0.0, -1.0, 1.0),
            DVec4::new(1.0, 0.0, 0.0, x),
            DVec4::new(-1.0, 0.0, 0.0, x),
            DVec4::new(0.0, 1.0, 0.0, y),
            DVec4::new(0.0, -1.0, 0.0, y),
        ])
    }

    /// Whether `corner` is inside. A triangle with all corners inside needs no clipping.
    ///
    /// Evaluates the plane equations without their products by 0 and 1, which change no bit of a finite number.
    #[inline]
    pub(super) fn contains(&self, corner: DVec4) -> bool {
        let DVec4 { x, y, z, w } = corner;
        let (wide, high) = (self.0[2].w * w, self.0[4].w * w);
        let depth = z + w >= 0.0 && w - z >= 0.0;
        depth && x + wide >= 0.0 && wide - x >= 0.0 && y + high >= 0.0 && high - y >= 0.0
    }

    /// The part of the triangle that is inside: a convex polygon of up to nine corners, or none.
    pub(super) fn cut(&self, corners: [DVec4; 3]) -> Vec<Corner> {
        cut_all(whole(corners), &self.0)
    }
}

/// Whether `corner` is beyond each of the six sides of the view volume. A triangle with all corners beyond one side is
/// not in the image.
#[inline]
pub(super) fn sides_beyond(corner: DVec4) -> [bool; 6] {
    let DVec4 { x, y, z, w } = corner;
    [x > w, x < -w, y > w, y < -w, z > w, z < -w]
}

fn whole([a, b, c]: [DVec4; 3]) -> Vec<Corner> {
    let corner = |clip, weights| Corner {
        clip,
        weights,
        original_side: true,
    };
    vec![
        corner(a, DVec3::X),
        corner(b, DVec3::Y),
        corner(c, DVec3::Z),
    ]
}

fn cut_all(polygon: Vec<Corner>, planes: &[DVec4]) -> Vec<Corner> {
    let cut_more = |polygon: Vec<Corner>, plane: &DVec4| cut(&polygon, *plane);
    planes.iter().fold(polygon, cut_more)
}

/// # Reference
///
/// I. Sutherland and G. Hodgman, "Reentrant Polygon Clipping", Communications of the ACM 17 (1974).
fn cut(polygon: &[Corner], plane: DVec4) -> Vec<Corner> {
    let mut inside = Vec::with_capacity(polygon.len() + 1);
    for (index, &from) in polygon.iter().enumerate() {
        let to = polygon[(index + 1) % polygon.len()];
        let (here, there) = (plane.dot(from.clip), plane.dot(to.clip));
        // Each side contributes its start if that is inside, and the point where it crosses the plane.
        match (here >= 0.0, there >= 0.0) {
            (true, true) => inside.push(from),
            (true, false) => {
                inside.push(from);
                // From this corner on, the outline follows the plane.
                inside.push(meet(&from, here, &to, there, false));
            }
            (false, true) => inside.push(meet(&to, there, &from, here, from.original_side)),
            (false, false) => {}
        }
    }
    inside
}

/// The point where a side meets the plane. It is always computed from the inner end, so that two triangles that share
/// the side get the same point.
fn meet(inner: &Corner, near: f64, outer: &Corner, far: f64, original_side: bool) -> Corner {
    let t = near / (near - far);
    Corner {
        clip: inner.clip + (outer.clip - inner.clip) * t,
        weights: inner.weights + (outer.weights - inner.weights) * t,
        original_side,
    }
}

/// The normal of a triangle, and the normals of its vertices.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facing {
    /// On the counter-clockwise side.
    normal: Vec3,
    /// The sum of the vertices' normals.
    normals: Vec3,
}

/// Vertex normals within this angle (radians) of the triangle's plane do not decide which side is the front: rounding
/// could put them on either side. A cap that shares its vertices with the sides of a cylinder has such normals.
const DOUBTFUL_ANGLE: f32 = 1e-3;

impl Facing {
    /// The side that shows the corners in the order of the file.
    pub(super) fn new([a, b, c]: [&Varying; 3]) -> Self {
        Self {
            normal: (b.position - a.position).cross(c.position - a.position),
            normals: a.normal + b.normal + c.normal,
        }
    }

    /// The normal on the side that is seen; any length.
    pub(super) fn towards_viewer(&self, counter_clockwise: bool) -> Vec3 {
        if counter_clockwise {
            self.normal
        } else {
            -self.normal
        }
    }

    /// Whether the vertices' normals are clearly on the other side.
    pub(super) fn normals_point_away(&self, counter_clockwise: bool) -> bool {
        // Positive if they are on the counter-clockwise side.
        let agreement = self.normal.dot(self.normals);
        let doubt = DOUBTFUL_ANGLE * self.normal.length() * self.normals.length();
        if counter_clockwise {
            agreement < -doubt
        } else {
            agreement > doubt
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec2;
    use proptest::prelude::*;

    use super::*;
    use crate::raster::tests::{Verdict, check};

    type Cut = fn(&[Corner], DVec4) -> Vec<Corner>;

    fn corner() -> impl Strategy<Value = DVec4> {
        let axis = || -4.0..4.0_f64;
        (axis(), axis(), axis(), 0.25..4.0_f64).prop_map(|(x, y, z, w)| DVec4::new(x, y, z, w))
    }

    /// A plane through the middle of things, so that it cuts often.
    fn plane() -> impl Strategy<Value = DVec4> {
        let axis = || -1.0..1.0_f64;
        (axis(), axis(), axis(), -0.5..0.5_f64).prop_map(|(x, y, z, w)| DVec4::new(x, y, z, w))
    }

    fn project(clip: DVec4) -> DVec2 {
        DVec2::new(clip.x, clip.y) / clip.w
    }

    fn signed_area(polygon: &[Corner]) -> f64 {
        let side = |(index, corner): (usize, &Corner)| {
            let next = &polygon[(index + 1) % polygon.len()];
            project(corner.clip).perp_dot(project(next.clip))
        };
        polygon.iter().enumerate().map(side).sum::<f64>() / 2.0
    }

    /// The parts that both sides of a plane keep add up to the whole, and each is on its side.
    fn halves_make_up_the_whole(cut: Cut) -> Verdict {
        check(
            &(prop::array::uniform3(corner()), plane()),
            |(corners, plane)| {
                let whole = whole(corners);
                let (kept, rest) = (cut(&whole, plane), cut(&whole, -plane));
                let (area, parts) = (signed_area(&whole), signed_area(&kept) + signed_area(&rest));
                prop_assert!((area - parts).abs() < 1e-9, "{} != {}", area, parts);
                for corner in &kept {
                    prop_assert!(plane.dot(corner.clip) > -1e-9, "a corner outside was kept");
                    let at: DVec4 = [corner.weights.x, corner.weights.y, corner.weights.z]
                        .iter()
                        .zip(corners)
                        .map(|(weight, corner)| corner * *weight)
                        .sum();
                    prop_assert!(at.abs_diff_eq(corner.clip, 1e-9), "weights do not fit");
                }
                Ok(())
            },
        )
    }

    #[test]
    fn clipping_keeps_what_is_inside_and_nothing_else() {
        halves_make_up_the_whole(cut).unwrap();
    }

    #[test]
    fn the_law_of_clipping_sees_a_missing_corner() {
        let forgetful: Cut = |polygon, plane| {
            let mut kept = cut(polygon, plane);
            if kept.len() > 3 {
                kept.pop();
            }
            kept
        };
        assert!(halves_make_up_the_whole(forgetful).is_err());
    }

    #[test]
    fn the_law_of_clipping_sees_a_cut_at_the_wrong_position() {
        let halfway: Cut = |polygon, plane| {
            let move_off = |mut corner: Corner| {
                if !polygon.contains(&corner) {
                    corner.clip.x += 1e-3;
                }
                corner
            };
            cut(polygon, plane).into_iter().map(move_off).collect()
        };
        assert!(halves_make_up_the_whole(halfway).is_err());
    }

    #[test]
    fn sides_made_by_a_cut_are_marked() {
        let corners = [
            DVec4::new(-0.5, 0.0, 0.0, 1.0),
            DVec4::new(0.5, 0.0, 0.0, 1.0),
            DVec4::new(0.0, 0.0, -3.0, 1.0),
        ];
        let kept = cut(&whole(corners), DVec4::new(0.0, 0.0, 1.0, 1.0));
        assert_eq!(kept.len(), 4);
        let made = kept.iter().filter(|corner| !corner.original_side).count();
        assert_eq!(made, 1);
    }

    #[test]
    fn neighbours_are_cut_at_the_same_point() {
        let (a, b) = (
            DVec4::new(0.1, 0.7, 0.3, 1.0),
            DVec4::new(0.9, -0.2, -5.0, 0.7),
        );
        let (c, d) = (
            DVec4::new(0.4, 0.4, 0.2, 2.0),
            DVec4::new(-0.4, -0.4, 0.1, 1.5),
        );
        let near = DVec4::new(0.0, 0.0, 1.0, 1.0);
        let (left, right) = (cut(&whole([a, b, c]), near), cut(&whole([b, a, d]), near));
        let shared = |corner: &&Corner| right.iter().any(|other| other.clip == corner.clip);
        assert_eq!(left.iter().filter(shared).count(), 2, "the end and the cut");
    }
}
