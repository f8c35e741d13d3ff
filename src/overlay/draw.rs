//! The skeleton over the image: bones as kites, joints as dots, both with a dark outline that separates them from any
//! background.

use glam::{DMat4, DVec2, DVec4, Vec3};

use super::shapes::Shape;
use super::{Overlay, clip};
use crate::frame::Frame;
use crate::view::{Camera, Viewport};

const OUTLINE: [u8; 3] = [22, 20, 18];
const BONE_LIGHT: [u8; 3] = [255, 196, 84];
const BONE_DARK: [u8; 3] = [214, 138, 36];
const JOINT: [u8; 3] = [255, 246, 226];

/// Sizes below are in pixels of an image of this height, and scale with it.
const REFERENCE_HEIGHT: f64 = 720.0;

/// A point or a line on the screen with its distance from the viewer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark<T> {
    pub(super) on_screen: T,
    pub(super) depth: f64,
}

/// Draws `skeleton` over `frame`, ignoring depth.
pub fn draw(skeleton: &Overlay, camera: &Camera, frame: &mut Frame) {
    let viewport = Viewport {
        width: frame.width,
        height: frame.height,
    };
    let projection = Projection::new(camera, viewport);
    let bones = sorted(
        skeleton
            .bones
            .iter()
            .filter_map(|bone| projection.line(*bone)),
    );
    let joints = sorted(
        skeleton
            .joints
            .iter()
            .filter_map(|joint| projection.point(*joint)),
    );
    let scale = (f64::from(frame.width.min(frame.height)) / REFERENCE_HEIGHT).clamp(0.6, 4.0);
    let radius = joint_radius(&bones, scale);
    for bone in &bones {
        draw_bone(bone.on_screen, scale, frame);
    }
    for joint in &joints {
        draw_joint(joint.on_screen, radius, scale, frame);
    }
}

/// Farthest first, so that near marks are on top.
fn sorted<T>(marks: impl Iterator<Item = Mark<T>>) -> Vec<Mark<T>> {
    let mut marks: Vec<Mark<T>> = marks.collect();
    marks.sort_by(|a, b| b.depth.total_cmp(&a.depth));
    marks
}

/// Dots shrink with the bones, so that a hand full of joints stays readable.
fn joint_radius(bones: &[Mark<[DVec2; 2]>], scale: f64) -> f64 {
    let mut lengths: Vec<f64> = bones.iter().map(|bone| length(bone.on_screen)).collect();
    lengths.sort_by(f64::total_cmp);
    let median = lengths
        .get(lengths.len() / 2)
        .copied()
        .unwrap_or(f64::INFINITY);
    (median * 0.09).clamp(1.4 * scale, 3.4 * scale)
}

fn length([head, tail]: [DVec2; 2]) -> f64 {
    (tail - head).length()
}

fn draw_bone([head, tail]: [DVec2; 2], scale: f64, frame: &mut Frame) {
    let along = tail - head;
    let length = along.length();
    if length < 0.5 {
        return;
    }
    let half_width = (length * 0.085).clamp(0.8 * scale, 6.0 * scale);
    let across = DVec2::new(-along.y, along.x) * (half_width / length);
    let widest = head + along * 0.16;
    let (left, right) = (widest + across, widest - across);
    let kite = [head, left, tail, right];
    let paint = |outline: &[DVec2], grown_by: f64, color: [u8; 3], frame: &mut Frame| {
        Shape { outline, grown_by }.paint(color, frame);
    };
    paint(&kite, 1.3 * scale, OUTLINE, frame);
    paint(&kite, 0.2, BONE_DARK, frame);
    // The half that the key light would reach.
    let bright = if across.y <= 0.0 { left } else { right };
    paint(&[head, bright, tail], 0.2, BONE_LIGHT, frame);
}

fn draw_joint(at: DVec2, radius: f64, scale: f64, frame: &mut Frame) {
    for (grown_by, color) in [(radius + 1.2 * scale, OUTLINE), (radius, JOINT)] {
        let outline = &[at];
        Shape { outline, grown_by }.paint(color, frame);
    }
}

/// From world space to pixels.
#[derive(Debug)]
pub(super) struct Projection {
    clip_from_world: DMat4,
    size: DVec2,
}

impl Projection {
    pub(super) fn new(camera: &Camera, viewport: Viewport) -> Self {
        Self {
            clip_from_world: camera.clip_from_view.as_dmat4() * camera.view_from_world.as_dmat4(),
            size: DVec2::new(f64::from(viewport.width), f64::from(viewport.height)),
        }
    }

    pub(super) fn clip(&self, point: Vec3) -> DVec4 {
        self.clip_from_world * point.as_dvec3().extend(1.0)
    }

    /// The part of a bone in front of the viewer.
    fn line(&self, [head, tail]: [Vec3; 2]) -> Option<Mark<[DVec2; 2]>> {
        let [head, tail] = clip::cut_line(self.clip(head), self.clip(tail))?;
        let (head, tail) = (self.mark(head)?, self.mark(tail)?);
        Some(Mark {
            on_screen: [head.on_screen, tail.on_screen],
            depth: head.depth.min(tail.depth),
        })
    }

    fn point(&self, point: Vec3) -> Option<Mark<DVec2>> {
        let clip = self.clip(point);
        clip::contains(clip).then(|| self.mark(clip))?
    }

    pub(super) fn mark(&self, clip: DVec4) -> Option<Mark<DVec2>> {
        let in_ndc = clip.truncate() / clip.w;
        let usable = clip.w > 0.0 && in_ndc.is_finite();
        usable.then(|| Mark {
            on_screen: DVec2::new(in_ndc.x * 0.5 + 0.5, 0.5 - in_ndc.y * 0.5) * self.size,
            depth: in_ndc.z,
        })
    }
}

#[cfg(test)]
mod tests {
    use glam::Mat4;
    use proptest::prelude::*;

    use super::*;

    const SIDE: u32 = 32;

    fn black() -> Frame {
        let pixels = (SIDE * SIDE) as usize;
        Frame {
            width: SIDE,
            height: SIDE,
            rgba: [0, 0, 0, 255].repeat(pixels),
            depth: vec![1.0; pixels],
        }
    }

    fn drawn(skeleton: &Overlay, camera: &Camera) -> Frame {
        let mut frame = black();
        draw(skeleton, camera, &mut frame);
        frame
    }

    /// Sees the cube from -1 to 1.
    const CAMERA: Camera = Camera {
        view_from_world: Mat4::IDENTITY,
        clip_from_view: Mat4::IDENTITY,
    };

    #[test]
    fn a_joint_is_drawn_where_it_is() {
        let joints = vec![Vec3::new(0.5, 0.5, 0.0)];
        let frame = drawn(
            &Overlay {
                joints,
                bones: vec![],
            },
            &CAMERA,
        );
        let pixel = |x: u32, y: u32| frame.rgba[4 * (y * SIDE + x) as usize];
        assert_eq!(
            pixel(24, 8),
            JOINT[0],
            "three quarters to the right, a quarter down"
        );
        assert_eq!(pixel(8, 24), 0);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_place_does_harm(numbers in prop::collection::vec(any::<f32>(), 15), wild_camera: bool) {
            let mut numbers = numbers.into_iter();
            let mut number = || numbers.next().unwrap_or(0.0);
            let mut camera = CAMERA;
            if wild_camera {
                camera.clip_from_view.z_axis.w = number();
                camera.view_from_world.w_axis.x = number();
            }
            let joints: Vec<Vec3> = (0..4).map(|_| Vec3::new(number(), number(), number())).collect();
            let bones = joints.windows(2).map(|pair| [pair[0], pair[1]]).collect();
            let frame = drawn(&Overlay { bones, joints }, &camera);
            prop_assert_eq!(frame.rgba.len(), black().rgba.len());
        }
    }
}
