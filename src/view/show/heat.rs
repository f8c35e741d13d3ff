//! `--show stretch`, `volume`, `bend`, `truncation` and `distance:REF`: numbers per vertex, which are measured elsewhere and
//! given for each pose.

use super::asked::Asked;
use super::legend::{Legend, Tick};
use super::measured::Measured;
use super::mode::{Mode, Show, Takes};
use super::vertices::ColorSource;
use crate::look::colors::{UNWEIGHTED, scale_color};

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

impl Show {
    /// The mode of this name with its numbers; `distance` if there is none.
    #[must_use]
    pub fn measuring(name: &str, numbers: Measured) -> Self {
        let modes = [&STRETCH, &VOLUME, &BEND, &TRUNCATION, &DISTANCE];
        let found = modes.into_iter().find(|mode| mode.name == name);
        Self::plain(found.unwrap_or(&DISTANCE)).measured(numbers)
    }

    /// The distance of each vertex from its position in the reference.
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
            at: measured.fraction(*value),
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
