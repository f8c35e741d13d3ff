//! `--show depth`: distance from the camera.

use glam::Vec3;

use super::legend::Legend;
use super::mode::{Mode, Show};
use super::vertices::ColorSource;
use crate::look::colors::DEPTH;
use crate::look::srgb;

pub(super) static MODE: Mode = Mode {
    legend: |_, _| Some(legend()),
    ..Mode::new("depth", ColorSource::Depth)
};

impl Show {
    /// Distance from the camera, near bright.
    pub const DEPTH: Self = Self::plain(&MODE);
}

fn legend() -> Legend {
    let [near, far] = DEPTH;
    let grey = |share: f32| {
        let code = srgb::unorm(near + (far - near) * share);
        Vec3::splat(srgb::tables().decode(code))
    };
    Legend::new("distance from camera")
        .with_ramp(grey)
        .tick(0.0, "nearest")
        .tick(1.0, "farthest")
}
