//! Legends of modes.

use glam::Vec3;

use crate::look::srgb;

/// The meaning of an image's colours: a gradient, single colours, or both.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Legend {
    /// What is shown, such as `weight of LeftArm`.
    pub title: String,
    /// sRGB, evenly spaced from the low end to the high end; empty without a gradient.
    pub ramp: Vec<[u8; 3]>,
    /// Labels of the gradient, from low to high.
    pub ticks: Vec<Tick>,
    /// Single colours, the most important first.
    pub swatches: Vec<Swatch>,
}

/// A label of a gradient.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// From 0, the low end, to 1.
    pub at: f32,
    /// With its unit, such as `25 %`.
    pub label: String,
}

/// A colour with its meaning.
#[derive(Debug, Clone, PartialEq)]
pub struct Swatch {
    /// sRGB.
    pub color: [u8; 3],
    /// Such as `no weight`.
    pub meaning: String,
}

/// Colours of a gradient.
const STEPS: u16 = 96;

impl Legend {
    pub(super) fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            ..Self::default()
        }
    }

    /// * `color` – linear, for 0 to 1.
    pub(super) fn with_ramp(mut self, color: impl Fn(f32) -> Vec3) -> Self {
        let steps = (0..=STEPS).map(|step| f32::from(step) / f32::from(STEPS));
        self.ramp = steps.map(|share| code(color(share))).collect();
        self
    }

    pub(super) fn tick(mut self, at: f32, label: impl Into<String>) -> Self {
        let label = label.into();
        self.ticks.push(Tick { at, label });
        self
    }

    /// * `color` – linear.
    pub(super) fn swatch(mut self, color: Vec3, meaning: impl Into<String>) -> Self {
        self.swatches.push(Swatch {
            color: code(color),
            meaning: meaning.into(),
        });
        self
    }
}

fn code(light: Vec3) -> [u8; 3] {
    let tables = srgb::tables();
    light.to_array().map(|channel| tables.encode(channel))
}
