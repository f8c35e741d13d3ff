//! Which side of a triangle is seen.

use glam::Vec3;

use super::geometry::Varying;

/// How a triangle lies in the world, and its vertices' normals to it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facing {
    /// Out of the counter-clockwise side.
    normal: Vec3,
    /// Positive if the vertices' normals are on that side too.
    agreement: f32,
    /// An agreement no larger than this says nothing.
    doubt: f32,
}

/// Normals within this angle (radians) of the triangle's plane, as those of a cap are that shares its vertices with the
/// sides, do not tell its sides apart: which one they are on is a matter of rounding.
const DOUBTFUL_ANGLE: f32 = 1e-3;

impl Facing {
    /// What three corners in the order of the file make.
    pub(super) fn new([a, b, c]: [&Varying; 3]) -> Self {
        let normal = (b.position - a.position).cross(c.position - a.position);
        let normals = a.normal + b.normal + c.normal;
        Self {
            normal,
            agreement: normal.dot(normals),
            doubt: DOUBTFUL_ANGLE * normal.length() * normals.length(),
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

    /// Whether the vertices' normals are surely on the other side.
    pub(super) fn normals_point_away(&self, counter_clockwise: bool) -> bool {
        if counter_clockwise {
            self.agreement < -self.doubt
        } else {
            self.agreement > self.doubt
        }
    }
}
