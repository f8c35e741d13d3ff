//! Numbers of vertices, the range that colours show, and legends.

use glam::Vec3;

use crate::look::srgb;
use crate::rig::InstanceId;

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

/// A number for each vertex of a model in one pose, and the range that colours show.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Measured {
    /// What is measured, such as `longest stretch of an edge`.
    pub title: String,
    /// The numbers at the two ends of the range, and others between them, with their units; from the harmless end to the
    /// other. At least two.
    pub ticks: Vec<(f32, String)>,
    /// The meaning of a vertex without a number, such as `one joint alone`.
    pub without: String,
    /// For each instance, a number for each vertex; NaN where there is none. An instance without numbers is empty.
    pub of_instances: Vec<Vec<f32>>,
}

impl Measured {
    fn ends(&self) -> [f32; 2] {
        let value = |tick: Option<&(f32, String)>| tick.map_or(f32::NAN, |(value, _)| *value);
        [value(self.ticks.first()), value(self.ticks.last())]
    }

    /// The position of a number between the ends, 0 to 1; NaN stays NaN.
    #[expect(
        clippy::float_cmp,
        reason = "the very number, even of a range without extent"
    )]
    pub(super) fn fraction(&self, value: f32) -> f32 {
        let [low, high] = self.ends();
        if value == low {
            return 0.0;
        }
        // An infinite number is clamped to an end; NaN stays NaN.
        ((value - low) / (high - low)).clamp(0.0, 1.0)
    }

    /// What the label of the last end lacks if a number lies beyond it, by more than is seen.
    pub(super) fn beyond(&self) -> Option<&'static str> {
        const SEEN: f32 = 1e-3;
        let [low, high] = self.ends();
        let mut values = self.of_instances.iter().flatten();
        let is_beyond = values.any(|value| (value - high) / (high - low) > SEEN);
        is_beyond.then_some(if high < low { " or less" } else { " or more" })
    }

    pub(super) fn share(&self, instance: InstanceId, vertex: usize) -> f32 {
        let values = self.of_instances.get(instance.index());
        let value = values.and_then(|values| values.get(vertex));
        value.map_or(f32::NAN, |value| self.fraction(*value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lie_between_the_ends_whichever_is_larger() {
        let measured = |ends: [f32; 2]| Measured {
            ticks: ends.map(|end| (end, format!("{end}"))).into(),
            of_instances: vec![vec![1.0, 0.75, 0.0, -3.0, f32::NAN]],
            ..Measured::default()
        };
        let shares = |ends| {
            let measured = measured(ends);
            let shares = (0..4).map(|vertex| measured.share(InstanceId(0), vertex));
            shares.collect::<Vec<f32>>()
        };
        assert_eq!(shares([1.0, 0.0]), [0.0, 0.25, 1.0, 1.0]);
        assert_eq!(shares([0.0, 0.5]), [1.0, 1.0, 0.0, 0.0]);
        let measured = measured([0.0, 1.0]);
        assert!(measured.share(InstanceId(0), 4).is_nan());
        assert!(measured.share(InstanceId(1), 0).is_nan());
    }
}
