//! What of a posed model is drawn, and what of that is seen from outside.

use std::f64::consts::PI;

use glam::{DVec3, Vec3};

use crate::lint::{Context, Sample};
use crate::rig::{AlphaMode, Bounds, InstanceId, MaterialValues};
use crate::skinning::DistinctPositions;

/// Directions from which a point may be seen, spread evenly.
const DIRECTIONS: u8 = 64;

/// A point is seen if this many directions are free: a sixteenth. Out of a sleeve that ends twice its width away, and between two
/// limbs that are bent to within 20° of each other, fewer are.
const FREE: u8 = DIRECTIONS / 16;

/// The most points of a fault that are looked at: 512 rays.
const LOOKED_AT: usize = 8;

/// Triangles in one box, about the square root of the number in a large model: as much work for boxes as for triangles.
const IN_BOX: usize = 128;

/// A surface closer to a point than this part of the model is its own.
const OWN: f64 = 1e-4;

/// The values of the material of an instance in a pose; `None` without a material.
fn values(cx: &Context<'_>, sample: &Sample<'_>, instance: InstanceId) -> Option<MaterialValues> {
    let id = cx.asset.mesh_of(&cx.asset[instance]).material?;
    Some(sample.pose.look.values(id, &cx.asset[id]))
}

/// Whether a pose shows anything of an instance: it is not hidden, and the alpha of its material is not 0 or below the cutoff.
/// Textures, which are not read, only lower it.
pub(super) fn is_drawn(cx: &Context<'_>, sample: &Sample<'_>, instance: InstanceId) -> bool {
    let has_coverage = values(cx, sample, instance).is_none_or(|values| match values.alpha {
        AlphaMode::Opaque => true,
        AlphaMode::Mask(cutoff) => values.base_color.w >= cutoff,
        AlphaMode::Blend => values.base_color.w > 0.0,
    });
    has_coverage && sample.pose.look.shows(instance)
}

/// The parts of a posed model that hide what is behind them: all that are drawn and not blended.
pub(super) struct Screens<'a> {
    list: Vec<Screen<'a>>,
    /// What is closer is the same surface; in the unit of the positions.
    near: f64,
}

struct Screen<'a> {
    posed: &'a DistinctPositions<'a>,
    triangles: &'a [[u32; 3]],
    /// Around each [`IN_BOX`] triangles.
    boxes: Vec<Bounds>,
}

impl<'a> Screens<'a> {
    pub(super) fn of(cx: &'a Context<'_>, sample: &'a Sample<'_>) -> Self {
        let hides = |posed: &&DistinctPositions<'_>| {
            let values = values(cx, sample, posed.instance);
            let is_blended = values.is_some_and(|values| values.alpha == AlphaMode::Blend);
            is_drawn(cx, sample, posed.instance) && !is_blended
        };
        let list: Vec<Screen<'_>> = sample
            .meshes
            .iter()
            .filter(hides)
            .map(|posed| {
                let triangles = &*cx.asset.mesh_of(&cx.asset[posed.instance]).triangles;
                let of_some = |some: &[[u32; 3]]| {
                    let corners = some.as_flattened().iter();
                    Bounds::of(corners.map(|corner| at(posed, *corner).as_dvec3()))
                };
                Screen {
                    posed,
                    triangles,
                    boxes: triangles.chunks(IN_BOX).map(of_some).collect(),
                }
            })
            .collect();
        let boxes = list.iter().flat_map(|screen| &screen.boxes).copied();
        Self {
            near: OWN * boxes.fold(Bounds::EMPTY, Bounds::united).diagonal(),
            list,
        }
    }

    /// Whether any of up to [`LOOKED_AT`] points of the surface, evenly picked, is seen from enough directions.
    pub(super) fn show_any(&self, points: impl ExactSizeIterator<Item = Vec3>) -> bool {
        let step = points.len().div_ceil(LOOKED_AT).max(1);
        points.step_by(step).any(|point| self.show(point))
    }

    fn show(&self, point: Vec3) -> bool {
        let point = point.as_dvec3();
        let free = directions().filter(|direction| self.is_free(point, *direction));
        free.take(usize::from(FREE)).count() == usize::from(FREE)
    }

    fn is_free(&self, from: DVec3, direction: DVec3) -> bool {
        let is_hit = |corners: &[u32; 3], posed: &DistinctPositions<'_>| {
            let corners = corners.map(|corner| at(posed, corner).as_dvec3());
            hit(corners, from, direction).is_some_and(|away| away > self.near)
        };
        !self.list.iter().any(|screen| {
            let boxes = screen.boxes.iter().zip(screen.triangles.chunks(IN_BOX));
            let mut on_the_way = boxes.filter(|(bounds, _)| enters(bounds, from, direction));
            on_the_way.any(|(_, triangles)| {
                let mut triangles = triangles.iter();
                triangles.any(|corners| is_hit(corners, screen.posed))
            })
        })
    }
}

fn at(posed: &DistinctPositions<'_>, vertex: u32) -> Vec3 {
    posed.at(vertex as usize)
}

/// Points on a sphere along a spiral, each as far from the next as the turns are apart.
///
/// # Reference
///
/// Á. González, "Measurement of Areas on a Sphere Using Fibonacci and Latitude–Longitude Lattices", 2010.
fn directions() -> impl Iterator<Item = DVec3> {
    let golden = PI * (3.0 - 5.0_f64.sqrt());
    (0..DIRECTIONS).map(move |index| {
        let height = 1.0 - (2.0 * f64::from(index) + 1.0) / f64::from(DIRECTIONS);
        let (sin, cos) = libm::sincos(golden * f64::from(index));
        let radius = (1.0 - height * height).sqrt();
        DVec3::new(radius * cos, height, radius * sin)
    })
}

/// Whether a ray passes through a box: the part of it between the planes of one axis overlaps those of the others.
///
/// # Reference
///
/// C. Ericson, "Real-Time Collision Detection", 2005, §5.3.3.
fn enters(bounds: &Bounds, from: DVec3, direction: DVec3) -> bool {
    let [one, other] = [bounds.low, bounds.high].map(|end| (end - from) / direction);
    let (enter, leave) = (one.min(other).max_element(), one.max(other).min_element());
    enter.max(0.0) <= leave
}

/// How far away a ray passes through a triangle, from either side.
///
/// # Reference
///
/// T. Möller, B. Trumbore, "Fast, Minimum Storage Ray/Triangle Intersection", 1997.
fn hit([a, b, c]: [DVec3; 3], from: DVec3, direction: DVec3) -> Option<f64> {
    let (ab, ac) = (b - a, c - a);
    let across = direction.cross(ac);
    let inverse = 1.0 / ab.dot(across);
    let offset = from - a;
    let along = offset.cross(ab);
    // The barycentric coordinates of b and c.
    let [of_b, of_c] = [offset.dot(across), direction.dot(along)].map(|part| part * inverse);
    // A triangle along the ray divides by 0, and no comparison holds.
    (of_b >= 0.0 && of_c >= 0.0 && of_b + of_c <= 1.0).then(|| ac.dot(along) * inverse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_directions_cover_the_sphere_evenly() {
        let sum: DVec3 = directions().sum();
        assert!(sum.length() < 1.0, "{sum}");
        for direction in directions() {
            assert!((direction.length() - 1.0).abs() < 1e-12);
            let others = directions().filter(|other| *other != direction);
            let nearest = others
                .map(|other| other.distance(direction))
                .fold(2.0, f64::min);
            assert!((0.25..0.5).contains(&nearest), "{nearest}");
        }
    }

    #[test]
    fn rays_hit_what_is_before_them() {
        let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y].map(|corner| corner + DVec3::Z);
        let from = DVec3::new(0.2, 0.2, 0.0);
        for (from, direction, away) in [
            (from, DVec3::Z, Some(1.0)),
            (from, -DVec3::Z, Some(-1.0)),
            (from + DVec3::X, DVec3::Z, None),
            (from, DVec3::X, None),
        ] {
            assert_eq!(hit(triangle, from, direction), away, "{from} {direction}");
        }
        let bounds = Bounds::of([DVec3::Z, DVec3::ONE + DVec3::Z]);
        assert!(enters(&bounds, from, DVec3::Z));
        assert!(!enters(&bounds, from, -DVec3::Z));
        assert!(!enters(&bounds, DVec3::splat(-0.5), DVec3::Z));
        assert!(
            enters(&bounds, DVec3::new(0.5, 0.5, 1.5), -DVec3::Y),
            "it begins inside"
        );
    }
}
