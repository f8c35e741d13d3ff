//! Axes of plots as SVG, with time from left to right.

use std::fmt::Write;

use crate::units::without_trailing_zeros;

/// The sizes of a plot and its margins, in SVG units.
pub(super) const WIDTH: f64 = 640.0;
pub(super) const HEIGHT: f64 = 220.0;
pub(super) const LEFT: f64 = 64.0;
pub(super) const RIGHT: f64 = 16.0;
pub(super) const TOP: f64 = 22.0;
pub(super) const BOTTOM: f64 = 40.0;

/// The most points of a line.
pub(super) const MOST_POINTS: usize = 400;

/// Where times and values are in a plot.
pub(super) struct Axes {
    pub(super) start: f64,
    /// In seconds, more than 0.
    pub(super) span: f64,
    /// Of the values.
    ticks: Vec<f64>,
}

impl Axes {
    /// * `values` – the lowest and the highest.
    pub(super) fn new([start, end]: [f64; 2], values: [f64; 2]) -> Self {
        Self {
            start,
            span: if end > start { end - start } else { 1.0 },
            ticks: ticks(values),
        }
    }

    pub(super) fn x(&self, time: f64) -> f64 {
        LEFT + (time - self.start) / self.span * (WIDTH - LEFT - RIGHT)
    }

    pub(super) fn y(&self, value: f64) -> f64 {
        let low = self.ticks.first().copied().unwrap_or(0.0);
        let high = self.ticks.last().copied().unwrap_or(1.0);
        HEIGHT - BOTTOM - (value - low) / (high - low) * (HEIGHT - TOP - BOTTOM)
    }

    /// The grid, the numbers and what they are.
    ///
    /// * `quantity` – of the values, with its unit; escaped.
    pub(super) fn draw(&self, quantity: &str, svg: &mut String) {
        for tick in &self.ticks {
            let height = self.y(*tick);
            let _ = write!(
                svg,
                "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{}\" y1=\"{height:.1}\" y2=\"{height:.1}\"/>\
                 <text class=\"tick\" x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                WIDTH - RIGHT,
                LEFT - 6.0,
                height + 4.0,
                number(*tick)
            );
        }
        for tick in inner_ticks(self.start, self.start + self.span) {
            let _ = write!(
                svg,
                "<text class=\"tick\" x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                self.x(tick),
                HEIGHT - BOTTOM + 16.0,
                number(tick)
            );
        }
        let _ = write!(
            svg,
            "<text class=\"label\" x=\"{LEFT}\" y=\"13\">{quantity}</text>\
             <text class=\"label\" x=\"{}\" y=\"{}\" text-anchor=\"end\">time, s</text>",
            WIDTH - RIGHT,
            HEIGHT - 6.0
        );
    }

    /// A dashed line at a value.
    pub(super) fn draw_limit(&self, value: f64, svg: &mut String) {
        let limit = self.y(value);
        let _ = write!(
            svg,
            "<line class=\"limit\" x1=\"{LEFT}\" x2=\"{}\" y1=\"{limit:.1}\" y2=\"{limit:.1}\"/>",
            WIDTH - RIGHT
        );
    }
}

/// In steps of 1, 2 or 5 times a power of ten, from the last that is not above the lowest value to the first that reaches
/// the highest.
pub(super) fn ticks([low, high]: [f64; 2]) -> Vec<f64> {
    let step = step((high - low) / 4.0);
    let first = (low / step).floor();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at most 8"
    )]
    let count = ((high / step).ceil() - first).clamp(1.0, 8.0) as u32;
    (0..=count)
        .map(|index| (first + f64::from(index)) * step)
        .collect()
}

/// The multiples of a step within a range.
fn inner_ticks(start: f64, end: f64) -> Vec<f64> {
    let step = step((end - start) / 6.0);
    let first = (start / step).ceil();
    let ticks = (0..12).map(|index| (first + f64::from(index)) * step);
    ticks.filter(|tick| *tick <= end + 1e-9).collect()
}

/// The least of 1, 2 or 5 times a power of ten that is at least `least`.
fn step(least: f64) -> f64 {
    let least = if least > 1e-30 && least.is_finite() {
        least
    } else {
        1.0
    };
    let power = libm::pow(10.0, f64::from(exponent(least)));
    let factors = [1.0, 2.0, 5.0, 10.0];
    let factor = factors.into_iter().find(|factor| factor * power >= least);
    factor.unwrap_or(10.0) * power
}

#[expect(clippy::cast_possible_truncation, reason = "exponents are small")]
fn exponent(value: f64) -> i32 {
    libm::floor(libm::log10(value)) as i32
}

/// Four significant digits.
pub(super) fn number(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let exponent = exponent(value.abs());
    if !(-4..7).contains(&exponent) {
        return format!("{value:.1e}");
    }
    let digits = usize::try_from(3 - exponent).unwrap_or(0);
    without_trailing_zeros(&format!("{value:.digits$}")).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_enclose_the_values() {
        assert_eq!(ticks([0.0, 3.7]), [0.0, 1.0, 2.0, 3.0, 4.0]);
        assert_eq!(ticks([-0.9, 0.8]), [-1.0, -0.5, 0.0, 0.5, 1.0]);
        assert_eq!(
            ticks([0.0, 0.2]).last().map(|last| number(*last)),
            Some("0.2".to_owned())
        );
        for highest in [0.0, 1e-9, 0.013, 1.0, 99.0, 1e12] {
            for lowest in [0.0, -highest, -0.3 * highest, 0.9 * highest] {
                let ticks = ticks([lowest, highest]);
                // Multiples of a step are rounded.
                let rounding = 1e-12 * highest;
                assert!(ticks[0] <= lowest + rounding, "{ticks:?}");
                assert!(ticks[ticks.len() - 1] >= highest - rounding, "{ticks:?}");
            }
        }
    }

    #[test]
    fn numbers_are_short() {
        for (value, text) in [
            (0.0, "0"),
            (0.25, "0.25"),
            (1000.0, "1000"),
            (12.3456, "12.35"),
            (1e9, "1.0e9"),
        ] {
            assert_eq!(number(value), text);
        }
    }
}
