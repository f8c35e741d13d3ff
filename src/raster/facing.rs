//! Which side of a triangle is seen.

use glam::Vec3;

use super::geometry::Varying;

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
