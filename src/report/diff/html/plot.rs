//! The plot of the distance over time, as SVG inside the page.

use askama::Template;
use askama::filters::Safe;

use crate::diff::{ErrorSample, Lengths, Take};
use crate::report::words::significant;

/// The sizes of the plot and its margins, in SVG units.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 22.0;
const BOTTOM: f64 = 40.0;

/// The most points of a line.
const MOST_POINTS: usize = 400;

#[derive(Template)]
#[template(path = "diff/html/plot.svg")]
struct Plot {
    /// Of the distances, with their heights.
    ticks: Vec<(f64, f64)>,
    /// Of the times, with their positions.
    times: Vec<(f64, f64)>,
    /// The unit of the distances.
    unit: &'static str,
    /// The height of the tolerance.
    tolerance: f64,
    /// The position of the largest distance.
    worst: f64,
    max: String,
    rms: String,
}

/// The largest distance and the root mean square over time, with the tolerance; `None` at one time, and for equal surfaces.
///
/// * `lengths` – how the page shows distances.
pub(super) fn over_time(take: &Take, lengths: Lengths) -> Option<Safe<String>> {
    let errors = &take.over_time;
    if errors.len() < 2 || take.surface.max <= 0.0 {
        return None;
    }
    let (start, end) = (errors.first()?.time.get(), errors.last()?.time.get());
    let (factor, unit) = lengths.shown();
    let length = |error: f64| factor * error.min(f64::from(f32::MAX));
    let highest = errors.iter().map(|error| length(error.max));
    let highest = highest.fold(1.1 * length(take.limit), f64::max);
    let ticks = ticks([0.0, highest], 4.0);
    let top = ticks.last().copied().unwrap_or(1.0);
    let span = if end > start { end - start } else { 1.0 };
    let x = |time: f64| LEFT + (time - start) / span * (WIDTH - LEFT - RIGHT);
    let y = |value: f64| HEIGHT - BOTTOM - value / top * (HEIGHT - TOP - BOTTOM);
    // With too many samples, each point is the largest of its part.
    let chunk = errors.len().div_ceil(MOST_POINTS).max(1);
    let line = |value: fn(&ErrorSample) -> f64| {
        let points = errors.chunks(chunk).map(|part| {
            let highest = part.iter().map(|error| length(value(error)));
            (x(part[0].time.get()), y(highest.fold(0.0, f64::max)))
        });
        let points = points.map(|(left, height)| format!("{left:.1},{height:.1}"));
        points.collect::<Vec<_>>().join(" ")
    };
    let times = self::ticks([start, start + span], 6.0).into_iter();
    let times = times.filter(|time| (start..=start + span).contains(time));
    let plot = Plot {
        unit,
        tolerance: y(length(take.limit)),
        worst: x(errors[take.worst_sample()].time.get()),
        max: line(|error| error.max),
        rms: line(|error| error.rms),
        times: times.map(|time| (time, x(time))).collect(),
        ticks: ticks.into_iter().map(|tick| (tick, y(tick))).collect(),
    };
    let svg = plot.render();
    Some(Safe(svg.expect("a string takes all that is written")))
}

/// About `parts` steps of 1, 2 or 5 times a power of ten, from the last that is not above the lowest value to the first that
/// reaches the highest.
fn ticks([low, high]: [f64; 2], parts: f64) -> Vec<f64> {
    let step = step((high - low) / parts);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_enclose_the_values() {
        assert_eq!(ticks([0.0, 3.7], 4.0), [0.0, 1.0, 2.0, 3.0, 4.0]);
        assert_eq!(ticks([-0.9, 0.8], 4.0), [-1.0, -0.5, 0.0, 0.5, 1.0]);
        for highest in [0.0, 1e-9, 0.013, 1.0, 99.0, 1e12] {
            for lowest in [0.0, -highest, -0.3 * highest, 0.9 * highest] {
                let ticks = ticks([lowest, highest], 4.0);
                // Multiples of a step are rounded.
                let rounding = 1e-12 * highest;
                assert!(ticks[0] <= lowest + rounding, "{ticks:?}");
                assert!(ticks[ticks.len() - 1] >= highest - rounding, "{ticks:?}");
            }
        }
    }
}
