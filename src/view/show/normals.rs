//! `--show normals`: world-space normals as colours.

use glam::Vec3;

use super::legend::Legend;
use super::mode::{Mode, Show};
use super::vertices::ColorSource;
use crate::look::srgb;

pub(super) static MODE: Mode = Mode {
    legend: |_, _| Some(legend()),
    ..Mode::new("normals", ColorSource::Normals)
};

impl Show {
    /// World-space normals as colours: 0.5 + 0.5 n.
    pub const NORMALS: Self = Self::plain(&MODE);
}

fn legend() -> Legend {
    let axes = ["X", "Y", "Z"].into_iter().zip(Vec3::AXES);
    let both = axes.flat_map(|(name, axis)| [("+", name, axis), ("-", name, -axis)]);
    both.fold(Legend::new("normals"), |legend, (sign, name, axis)| {
        let codes = (axis * 0.5 + 0.5).to_array().map(srgb::unorm);
        let light = codes.map(|code| srgb::tables().decode(code));
        legend.swatch(Vec3::from(light), format!("{sign}{name}"))
    })
}
