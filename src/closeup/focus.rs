//! From where the places of a finding are seen, and what hides them.

use std::f32::consts::FRAC_1_SQRT_2 as HALF;

use glam::{Mat4, Vec3, Vec4};

use crate::backend;
use crate::frame::Frame;
use crate::pose::ModelPose;
use crate::rig::{Asset, DeformedMesh, InstanceId};
use crate::units::Space;
use crate::view::{Camera, ViewDirection};

/// The camera looks down or up by at most this many degrees: a character is hard to recognize from farther above or below.
pub(super) const STEEPEST: f64 = 40.0;

/// Cosines and sines of eighths of a turn, the smallest angles first.
const EIGHTHS: [[f32; 2]; 8] = [
    [1.0, 0.0],
    [HALF, HALF],
    [HALF, -HALF],
    [0.0, 1.0],
    [0.0, -1.0],
    [-HALF, HALF],
    [-HALF, -HALF],
    [-1.0, 0.0],
];

/// The same in degrees.
const DEGREES: [f64; 8] = [0.0, 45.0, -45.0, 90.0, -90.0, 135.0, -135.0, 180.0];

/// The most places for which meshes before them are looked for.
const MOST_PLACES: usize = 32;

/// How much of the hidden surface is seen through the body, in fifths.
const SEEN_THROUGH: u32 = 3;

/// Directions all around the model, beginning with a preferred one.
pub(crate) fn about(first: ViewDirection) -> Vec<ViewDirection> {
    let (yaw, pitch_degrees) = first.angles();
    let others = DEGREES[1..].iter().map(|turned| ViewDirection::Orbit {
        yaw_degrees: yaw + turned,
        pitch_degrees,
    });
    std::iter::once(first).chain(others).collect()
}

/// Directions along an axis, which show a rotation about it: first from the end that is nearer to the front.
pub(super) fn along(space: &Space, axis: Vec3) -> Vec<ViewDirection> {
    let mut ends = [axis, -axis].map(|end| level(space, end)).to_vec();
    let yaw = |end: &ViewDirection| end.angles().0.abs();
    ends.sort_by(|a, b| yaw(a).total_cmp(&yaw(b)));
    ends
}

/// Directions from which a line is seen at its length, beginning with the one nearest to `outward`; `None` for a line without length.
pub(super) fn around(space: &Space, line: Vec3, outward: Vec3) -> Option<Vec<ViewDirection>> {
    let axis = line.try_normalize()?;
    let first = outward.reject_from_normalized(axis).try_normalize();
    let first = first.unwrap_or(axis.any_orthonormal_vector());
    let second = axis.cross(first);
    let turned = EIGHTHS.map(|[cos, sin]| level(space, first * cos + second * sin));
    Some(turned.to_vec())
}

/// The direction from which a surface with this normal is seen face on, if that is not too steep.
pub(super) fn level(space: &Space, normal: Vec3) -> ViewDirection {
    let (yaw_degrees, pitch) = ViewDirection::towards(space, normal).angles();
    ViewDirection::Orbit {
        yaw_degrees,
        pitch_degrees: pitch.clamp(-STEEPEST, STEEPEST),
    }
}

/// The drawn meshes between the camera and any of the places.
///
/// * `own` – meshes that are none.
pub(super) fn before(
    asset: &Asset,
    pose: &ModelPose,
    meshes: &[DeformedMesh],
    camera: &Camera,
    places: &[Vec3],
    own: &[InstanceId],
) -> Vec<InstanceId> {
    let eye = camera.eye();
    let step = places.len().div_ceil(MOST_PLACES).max(1);
    let sampled: Vec<Vec3> = places.iter().copied().step_by(step).collect();
    let hides = |mesh: &&DeformedMesh| {
        let is_before = |place: &Vec3| {
            let place = place.as_dvec3();
            backend::meets(asset, mesh, (place, eye - place), 1.0)
        };
        let is_other = pose.visibility.shows(mesh.instance) && !own.contains(&mesh.instance);
        is_other && sampled.iter().any(is_before)
    };
    let hiding = meshes.iter().filter(hides);
    hiding.map(|mesh| mesh.instance).collect()
}

/// The camera without what is nearer than the nearest place.
pub(crate) fn cut(camera: &Camera, places: &[Vec3]) -> Camera {
    /// Of the depth range, so that the surface of the place stays.
    const MARGIN: f32 = 2e-3;
    let depth = |place: &Vec3| camera.clip_from_world().project_point3(*place).z;
    let nearest = places.iter().map(depth).fold(f32::INFINITY, f32::min) - MARGIN;
    if !(-1.0..1.0).contains(&nearest) {
        return *camera;
    }
    // Depths from `nearest` to 1 become those from -1 to 1.
    let [x, y, z, w] = [0, 1, 2, 3].map(|row| camera.clip_from_view.row(row));
    let z: Vec4 = (z * 2.0 - w * (1.0 + nearest)) / (1.0 - nearest);
    Camera {
        clip_from_view: Mat4::from_cols(x, y, z, w).transpose(),
        ..*camera
    }
}

/// Makes the body translucent.
///
/// * `opened` – the image of what it hides.
pub(crate) fn mix(frame: &mut Frame, opened: &Frame) {
    let pixels = frame.rgba.as_chunks_mut().0.iter_mut();
    for (own, other) in pixels.zip(opened.rgba.as_chunks().0) {
        *own = mixed(*own, *other);
    }
}

/// Colours count as much as they are opaque.
fn mixed(own: [u8; 4], other: [u8; 4]) -> [u8; 4] {
    let weight = |pixel: [u8; 4], share| u32::from(pixel[3]) * share;
    let [a, b] = [weight(own, 5 - SEEN_THROUGH), weight(other, SEEN_THROUGH)];
    let mut mixed = [0; 4];
    for channel in 0..3 {
        let sum = u32::from(own[channel]) * a + u32::from(other[channel]) * b;
        mixed[channel] = u8::try_from(sum / (a + b).max(1)).unwrap_or(u8::MAX);
    }
    mixed[3] = u8::try_from((a + b) / 5).unwrap_or(u8::MAX);
    mixed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::{Framing, Projection, Viewport};

    #[test]
    fn a_line_is_seen_at_its_length_from_all_around_it() {
        let space = Space::Y_UP_METRES;
        let up = space.up.unit().as_vec3();
        let outward = up.any_orthonormal_vector() + up;
        let directions = around(&space, 3.0 * up, outward).expect("it has a length");
        let first = directions[0].angles().0;
        for (direction, turned) in directions.iter().zip(DEGREES) {
            let (yaw, pitch) = direction.angles();
            let off = (yaw - first - turned).rem_euclid(360.0);
            assert!(
                off.min(360.0 - off) < 1e-3 && pitch.abs() < 1e-3,
                "{direction:?}"
            );
        }
        assert_eq!(around(&space, Vec3::ZERO, outward), None);
    }

    #[test]
    fn what_is_nearer_than_the_nearest_place_is_cut_off() {
        let viewport = Viewport {
            width: 8,
            height: 8,
        };
        for projection in [Projection::default(), Projection::Orthographic] {
            let front = ViewDirection::Front;
            let mut framing = Framing::new(&Space::Y_UP_METRES, front, projection, viewport);
            framing.include(&[Vec3::splat(-1.0), Vec3::ONE]);
            let camera = framing.camera();
            let cut = cut(&camera, &[Vec3::ZERO]);
            let depth = |place: Vec3| cut.clip_from_world().project_point3(place).z;
            let towards = camera.eye().as_vec3().normalize() * 0.2;
            assert!(depth(towards) < -1.0, "before it");
            assert!((-1.0..-0.9).contains(&depth(Vec3::ZERO)));
            assert!((-1.0..1.0).contains(&depth(-towards)), "behind it");
        }
    }

    #[test]
    fn the_body_becomes_translucent() {
        let mut frame = Frame::blank(1, 1);
        let mut opened = Frame::blank(1, 1);
        frame.rgba = vec![255, 0, 100, 255];
        opened.rgba = vec![255, 255, 0, 255];
        mix(&mut frame, &opened);
        assert_eq!(frame.rgba, [255, 153, 40, 255]);
        let nothing = [0; 4];
        assert_eq!(mixed([200, 100, 0, 255], nothing), [200, 100, 0, 102]);
        assert_eq!(mixed(nothing, nothing), nothing);
    }
}
