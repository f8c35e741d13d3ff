//! `--show stretch`, `volume`, `bend`, `truncation` and `distance:REF`: numbers of the vertices, which are computed elsewhere
//! and come with the pose.

use super::legend::{Legend, Tick};
use super::mode::{Asked, Mode, Show, Takes};
use super::vertices::ColorSource;
use crate::look::colors::{UNWEIGHTED, scale_color};
use crate::rig::InstanceId;

pub(super) static STRETCH: Mode = mode("stretch", Takes::Numbers);
pub(super) static VOLUME: Mode = mode("volume", Takes::Numbers);
pub(super) static BEND: Mode = mode("bend", Takes::Numbers);
pub(super) static TRUNCATION: Mode = mode("truncation", Takes::Numbers);
pub(super) static DISTANCE: Mode = mode("distance", Takes::ReferenceAndNumbers);

const fn mode(name: &'static str, takes: Takes) -> Mode {
    Mode {
        takes,
        legend: |_, show| legend(show),
        ..Mode::new(
            name,
            ColorSource::VertexColors(|vertices, vertex| {
                let share = vertices.share_of_range(vertex);
                if share.is_nan() {
                    UNWEIGHTED
                } else {
                    scale_color(share)
                }
            }),
        )
    }
}

/// A number for each vertex of a model in one pose, and the range that colours show.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Measured {
    /// What is measured, such as `longest stretch of an edge`.
    pub title: String,
    /// The numbers at the two ends of the range, and others between them, with their units; from the harmless end to the
    /// other. At least two.
    pub ticks: Vec<(f32, String)>,
    /// What it means that a vertex has no number, such as `one joint alone`.
    pub without: String,
    /// For each instance, a number for each vertex; NaN where there is none. An instance without numbers is empty.
    pub of_instances: Vec<Vec<f32>>,
}

impl Measured {
    fn ends(&self) -> [f32; 2] {
        let value = |tick: Option<&(f32, String)>| tick.map_or(f32::NAN, |(value, _)| *value);
        [value(self.ticks.first()), value(self.ticks.last())]
    }

    /// Where a number lies between the ends, 0 to 1; NaN if it is none.
    #[expect(
        clippy::float_cmp,
        reason = "the very number, even of a range without extent"
    )]
    fn place(&self, value: f32) -> f32 {
        let [low, high] = self.ends();
        if value == low {
            return 0.0;
        }
        // An infinite number is at one of the ends; NaN stays what it is.
        ((value - low) / (high - low)).clamp(0.0, 1.0)
    }

    pub(super) fn share(&self, instance: InstanceId, vertex: usize) -> f32 {
        let values = self.of_instances.get(instance.index());
        let value = values.and_then(|values| values.get(vertex));
        value.map_or(f32::NAN, |value| self.place(*value))
    }
}

impl Show {
    /// The mode of this name with its numbers; `distance` if there is none.
    #[must_use]
    pub fn measuring(name: &str, numbers: Measured) -> Self {
        let modes = [&STRETCH, &VOLUME, &BEND, &TRUNCATION, &DISTANCE];
        let found = modes.into_iter().find(|mode| mode.name == name);
        Self::plain(found.unwrap_or(&DISTANCE)).measured(numbers)
    }

    /// The distance of each vertex from where it should be.
    #[must_use]
    pub fn distance(numbers: Measured) -> Self {
        Self::plain(&DISTANCE).measured(numbers)
    }
}

fn legend(show: &Show) -> Option<Legend> {
    let Asked::Measured(measured) = show.asked() else {
        return None;
    };
    let mut legend = Legend::new(measured.title.as_str()).with_ramp(scale_color);
    legend.ticks = measured
        .ticks
        .iter()
        .map(|(value, label)| Tick {
            at: measured.place(*value),
            label: label.clone(),
        })
        .collect();
    let lacks = |values: &Vec<f32>| values.is_empty() || values.iter().any(|value| value.is_nan());
    if measured.of_instances.iter().any(lacks) {
        legend = legend.swatch(UNWEIGHTED, measured.without.as_str());
    }
    Some(legend)
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

    #[test]
    fn only_numbers_that_are_missing_are_in_the_legend() {
        let legend = |values: Vec<f32>| {
            let show = Show::distance(Measured {
                ticks: vec![(0.0, "0".into()), (1.0, "1 cm".into())],
                without: "none".into(),
                of_instances: vec![values],
                ..Measured::default()
            });
            legend(&show).expect("there is one").swatches.len()
        };
        assert_eq!(legend(vec![0.0, 1.0]), 0);
        assert_eq!(legend(vec![0.0, f32::NAN]), 1);
        assert_eq!(legend(vec![]), 1);
    }
}
