//! The model in its rest pose as a solid: how far points are from its surface, and whether they are inside.

use glam::{DVec3, Vec3};

use crate::analysis::deformation::rest;
use crate::core::context::{Analysis, Context};
use crate::rig::nearest_on_triangle;
use crate::skinning::{Attributes, PreparedMeshes};

/// The triangles of all instances at rest, in world space; none if the model cannot be skinned.
pub(crate) struct Solid {
    triangles: Vec<Triangle>,
}

struct Triangle {
    corners: [Vec3; 3],
    /// Around all corners.
    centre: Vec3,
    radius: f32,
}

impl Analysis for Solid {
    fn of(cx: &Context<'_>) -> Self {
        let (asset, prepared) = (cx.asset, cx.get::<PreparedMeshes>());
        let posed = rest(cx).map(|rest| prepared.deform(asset, &rest.pose, Attributes::Positions));
        let Some(Ok(meshes)) = posed else {
            return Self {
                triangles: Vec::new(),
            };
        };
        let mut triangles = Vec::new();
        for (instance, posed) in asset.instances.iter().zip(&meshes) {
            let mesh = asset.mesh_of(instance);
            for corners in &mesh.triangles {
                let own = corners.map(|corner| posed.positions[corner as usize]);
                if !own.iter().all(|corner| corner.is_finite()) {
                    continue;
                }
                triangles.push(Triangle::of(own));
            }
        }
        Self { triangles }
    }
}

impl Triangle {
    fn of(corners: [Vec3; 3]) -> Self {
        let centre = (corners[0] + corners[1] + corners[2]) / 3.0;
        let radius = corners.map(|corner| corner.distance(centre));
        Self {
            corners,
            centre,
            radius: radius.into_iter().fold(0.0, f32::max),
        }
    }

    fn distance(&self, point: DVec3) -> f64 {
        let corners = self.corners.map(Vec3::as_dvec3);
        nearest_on_triangle(&corners, point).distance(point)
    }

    /// The solid angle that it covers, seen from `point`; negative from its back.
    ///
    /// # Reference
    ///
    /// A. Van Oosterom, J. Strackee, "The Solid Angle of a Plane Triangle", IEEE Trans. Biomed. Eng., 1983.
    fn solid_angle(&self, point: DVec3) -> f64 {
        let [a, b, c] = self.corners.map(|corner| corner.as_dvec3() - point);
        let lengths = [a.length(), b.length(), c.length()];
        let above = a.dot(b.cross(c));
        let below = lengths[0] * lengths[1] * lengths[2]
            + a.dot(b) * lengths[2]
            + b.dot(c) * lengths[0]
            + c.dot(a) * lengths[1];
        let slope = above / below;
        // Most triangles are far away, and the series is exact to 1e-9 there.
        if below > 0.0 && slope.abs() < 0.02 {
            2.0 * (slope - slope * slope * slope / 3.0)
        } else {
            2.0 * libm::atan2(above, below)
        }
    }
}

impl Solid {
    /// The distance of `point` from the surface; `None` without one.
    pub(crate) fn distance(&self, point: DVec3) -> Option<f64> {
        let mut nearest = f64::INFINITY;
        for triangle in &self.triangles {
            // Not nearer than its ball; most triangles need no more than that.
            let ball = triangle.centre.as_dvec3().distance(point) - f64::from(triangle.radius);
            if ball < nearest {
                nearest = nearest.min(triangle.distance(point));
            }
        }
        nearest.is_finite().then_some(nearest)
    }

    /// Whether the surface winds around `point`, whichever way. Holes and open ends count as closed by the shortest way.
    ///
    /// # Reference
    ///
    /// A. Jacobson, L. Kavan, O. Sorkine-Hornung, "Robust Inside-Outside Segmentation Using Generalized Winding Numbers",
    /// SIGGRAPH 2013.
    pub(crate) fn contains(&self, point: DVec3) -> bool {
        let angles = self.triangles.iter();
        let sum: f64 = angles.map(|triangle| triangle.solid_angle(point)).sum();
        (sum / (4.0 * std::f64::consts::PI)).abs() > 0.5
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;
    use crate::testing::arm;

    #[test]
    fn a_point_is_in_the_tube_or_at_its_distance_from_it() {
        let (asset, settings) = (arm(), Settings::default());
        let cx = Context::new(&asset, "arm.gltf".as_ref(), &settings);
        let solid = cx.get::<Solid>();
        // The tube has twelve sides, the middle of which is at 0.2 cos 15°.
        let flat = 0.2 * (std::f64::consts::PI / 12.0).cos();
        for (point, inside, distance) in [
            (DVec3::new(0.0, -0.5, 0.0), true, flat),
            (DVec3::new(0.0, 0.9, 0.0), true, 0.1),
            (DVec3::new(0.5, 0.5, 0.0), false, 0.3),
            (DVec3::new(0.0, -1.25, 0.0), false, 0.25),
            (DVec3::new(0.3, 1.4, 0.0), false, 0.1_f64.hypot(0.4)),
        ] {
            assert_eq!(solid.contains(point), inside, "{point}");
            let nearest = solid.distance(point).expect("there is a surface");
            assert!((nearest - distance).abs() < 1e-6, "{point}: {nearest:?}");
        }
    }

    #[test]
    fn the_distance_is_that_of_the_nearest_of_many_points() {
        let triangle = Triangle::of([Vec3::ZERO, Vec3::X * 2.0, Vec3::new(0.5, 1.0, 0.5)]);
        let [a, b, c] = triangle.corners.map(Vec3::as_dvec3);
        let steps = || (0..=200).map(|step| f64::from(step) / 200.0);
        for point in (0..125).map(|index| {
            let axis = |step: i32| f64::from(index / step % 5) - 1.5;
            DVec3::new(axis(1), axis(5), axis(25))
        }) {
            let all = steps()
                .flat_map(|u| steps().map(move |v| a + (b - a) * u + (c - a) * v * (1.0 - u)));
            let nearest = all
                .map(|other| other.distance(point))
                .fold(f64::INFINITY, f64::min);
            let distance = triangle.distance(point);
            assert!(
                (nearest - distance).abs() < 0.02,
                "{point}: {distance}, not {nearest}"
            );
        }
    }
}
