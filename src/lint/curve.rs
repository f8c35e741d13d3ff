//! The numbers of rules over the time of a clip, for plots.

use crate::units::Seconds;

/// Numbers over the time of a clip.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Curve {
    /// What the numbers are, and their unit.
    pub quantity: &'static str,
    /// At least one; with names if there are several.
    pub lines: Vec<Line>,
    /// The factor from the measure of the rule's findings to the numbers; `None` if they are not comparable.
    pub per_measure: Option<f64>,
}

/// A line of a [`Curve`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Line {
    /// Its name.
    pub name: &'static str,
    /// Finite numbers, in order of time; at least two.
    pub points: Vec<(Seconds, f64)>,
}

impl Curve {
    /// `None` if a line has less than two finite points.
    ///
    /// * `lines` – names and points.
    pub(crate) fn of<const N: usize>(
        quantity: &'static str,
        lines: [(&'static str, Vec<(f64, f64)>); N],
    ) -> Option<Self> {
        let lines = lines.map(|(name, points)| Line {
            name,
            points: points
                .into_iter()
                .filter(|(time, value)| time.is_finite() && value.is_finite())
                .map(|(time, value)| (Seconds(time), value))
                .collect(),
        });
        let is_whole = lines.iter().all(|line| line.points.len() >= 2);
        is_whole.then(|| Self {
            quantity,
            lines: lines.into(),
            per_measure: None,
        })
    }

    /// As [`of`](Self::of), with a line for each axis.
    pub(in crate::lint) fn of_axes(
        quantity: &'static str,
        line: impl Fn(usize) -> Vec<(f64, f64)>,
    ) -> Option<Self> {
        Self::of(quantity, [("x", line(0)), ("y", line(1)), ("z", line(2))])
    }

    /// With the limit of the rule's findings.
    pub(in crate::lint) fn limited(self, per_measure: f64) -> Self {
        Self {
            per_measure: Some(per_measure),
            ..self
        }
    }
}
