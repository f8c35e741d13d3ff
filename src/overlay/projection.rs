//! From world space to the screen.

use glam::{DMat4, DVec2, DVec4, Vec3};

use super::clip;
use crate::frame::Frame;
use crate::view::Camera;

/// Sizes of marks are stated for an image of this height, in pixels.
const REFERENCE_HEIGHT: f64 = 720.0;

/// The factor from those sizes to `frame`.
pub(super) fn scale(frame: &Frame) -> f64 {
    (f64::from(frame.width.min(frame.height)) / REFERENCE_HEIGHT).clamp(0.6, 4.0)
}

/// A point or a line on the screen with its distance from the viewer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark<T> {
    pub(super) on_screen: T,
    /// From -1, the near plane, to 1, the far plane.
    pub(super) depth: f64,
}

/// From world space to pixels.
#[derive(Debug)]
pub(super) struct Projection {
    clip_from_world: DMat4,
    size: DVec2,
}

impl Projection {
    pub(super) fn new(camera: &Camera, frame: &Frame) -> Self {
        Self {
            clip_from_world: camera.clip_from_view.as_dmat4() * camera.view_from_world.as_dmat4(),
            size: DVec2::new(f64::from(frame.width), f64::from(frame.height)),
        }
    }

    pub(super) fn clip(&self, point: Vec3) -> DVec4 {
        self.clip_from_world * point.as_dvec3().extend(1.0)
    }

    /// The part of a bone in front of the viewer.
    pub(super) fn line(&self, [head, tail]: [Vec3; 2]) -> Option<Mark<[DVec2; 2]>> {
        let [head, tail] = clip::cut_line(self.clip(head), self.clip(tail))?;
        let (head, tail) = (self.mark(head)?, self.mark(tail)?);
        Some(Mark {
            on_screen: [head.on_screen, tail.on_screen],
            depth: head.depth.min(tail.depth),
        })
    }

    pub(super) fn point(&self, point: Vec3) -> Option<Mark<DVec2>> {
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
