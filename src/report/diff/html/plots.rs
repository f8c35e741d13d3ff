//! Plots as SVG inside the page.

use std::fmt::Write;

use crate::diff::Take;
use crate::report::escape::xml;
use crate::shown::printable;
use crate::units::without_trailing_zeros;

/// A unit of length on an axis.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unit {
    /// The factor on lengths of the report.
    pub(super) factor: f64,
    pub(super) name: &'static str,
}

impl Unit {
    pub(super) fn of(metres_per_unit: Option<f64>) -> Self {
        match metres_per_unit {
            Some(metres) => Self {
                factor: 1000.0 * metres,
                name: "mm",
            },
            None => Self {
                factor: 1.0,
                name: "units",
            },
        }
    }
}

/// The sizes of a plot and its margins, in SVG units.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 22.0;
const BOTTOM: f64 = 40.0;

/// The most points of a line. With more samples, each point is the largest of its part.
const MOST_POINTS: usize = 400;

/// The most joints with a bar.
const MOST_JOINTS: usize = 14;

/// The largest distance and the root mean square over time, with the tolerance. `data-left` and similar attributes give
/// the script's cursor the position of the time axis.
pub(super) fn over_time(take: &Take, unit: Unit) -> String {
    let (errors, tolerance) = (&take.over_time, take.limit);
    let (Some(first), Some(last)) = (errors.first(), errors.last()) else {
        return String::new();
    };
    let (start, end) = (first.time.get(), last.time.get());
    let span = if end > start { end - start } else { 1.0 };
    let finite = |value: f64| value.min(f64::from(f32::MAX));
    let highest = errors.iter().map(|error| finite(error.max));
    let ticks = ticks(unit.factor * highest.fold(1.1 * tolerance, f64::max));
    let top = ticks.last().copied().unwrap_or(1.0);
    let x = |time: f64| LEFT + (time - start) / span * (WIDTH - LEFT - RIGHT);
    let y = |value: f64| HEIGHT - BOTTOM - value / top * (HEIGHT - TOP - BOTTOM);
    let mut svg = format!(
        "<svg class=\"plot time\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"distance over time\" \
         data-start=\"{start}\" data-span=\"{span}\" data-left=\"{LEFT}\" data-width=\"{}\">",
        WIDTH - LEFT - RIGHT
    );
    let mut add = |part: String| svg.push_str(&part);
    for tick in &ticks {
        let height = y(*tick);
        add(format!(
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{}\" y1=\"{height:.1}\" y2=\"{height:.1}\"/>\
             <text class=\"tick\" x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            WIDTH - RIGHT,
            LEFT - 6.0,
            height + 4.0,
            number(*tick)
        ));
    }
    for tick in inner_ticks(start, start + span) {
        let left = x(tick);
        add(format!(
            "<text class=\"tick\" x=\"{left:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            HEIGHT - BOTTOM + 16.0,
            number(tick)
        ));
    }
    add(format!(
        "<text class=\"label\" x=\"{LEFT}\" y=\"13\">distance, {}</text>\
         <text class=\"label\" x=\"{}\" y=\"{}\" text-anchor=\"end\">time, s</text>",
        unit.name,
        WIDTH - RIGHT,
        HEIGHT - 6.0
    ));
    let limit = y(unit.factor * tolerance);
    add(format!(
        "<line class=\"limit\" x1=\"{LEFT}\" x2=\"{}\" y1=\"{limit:.1}\" y2=\"{limit:.1}\"/>",
        WIDTH - RIGHT
    ));
    let chunk = errors.len().div_ceil(MOST_POINTS).max(1);
    for (class, of) in [("max", 0), ("rms", 1)] {
        let points = errors.chunks(chunk).filter_map(|part| {
            let values = part.iter().map(|error| [error.max, error.rms][of]);
            let value = unit.factor * finite(values.fold(0.0, f64::max));
            let left = x(part.first()?.time.get());
            Some(format!("{left:.1},{:.1}", y(value)))
        });
        let points: Vec<String> = points.collect();
        let points = match points.as_slice() {
            [only] => format!(
                "{only} {:.1},{}",
                WIDTH - RIGHT,
                only.split(',').nth(1).unwrap_or("0")
            ),
            several => several.join(" "),
        };
        add(format!("<polyline class=\"{class}\" points=\"{points}\"/>"));
    }
    let key = [("max", "largest"), ("rms", "RMS"), ("limit", "tolerance")];
    for ((class, text), left) in key.into_iter().zip([340.0, 440.0, 520.0]) {
        add(format!(
            "<line class=\"{class}\" x1=\"{left}\" x2=\"{}\" y1=\"9\" y2=\"9\"/><text class=\"label\" x=\"{}\" y=\"13\">{text}</text>",
            left + 22.0,
            left + 28.0
        ));
    }
    add(format!(
        "<line class=\"cursor\" x1=\"{LEFT}\" x2=\"{LEFT}\" y1=\"{TOP}\" y2=\"{}\"/></svg>",
        HEIGHT - BOTTOM
    ));
    svg
}

/// A bar for each of the joints with the largest own errors, with what they inherit.
pub(super) fn of_joints(take: &Take, unit: Unit) -> String {
    let off = take.joints.iter().filter(|joint| joint.total > 0.0);
    let mut joints: Vec<_> = off.collect();
    if joints.is_empty() {
        return String::new();
    }
    // Joints with the largest own errors come first: joints that inherit them are often farther off.
    joints.sort_by(|a, b| b.own.total_cmp(&a.own));
    let more = joints.len().saturating_sub(MOST_JOINTS);
    joints.truncate(MOST_JOINTS);
    let most = joints.iter().map(|joint| joint.total).fold(0.0, f64::max);
    let ticks = ticks(unit.factor * most.min(f64::from(f32::MAX)));
    let top = ticks.last().copied().unwrap_or(1.0);
    let (left, row) = (190.0, 20.0);
    #[expect(clippy::cast_precision_loss, reason = "a small count")]
    let height = TOP + row * joints.len() as f64 + 34.0;
    let x = |value: f64| left + (value / top).min(1.0) * (WIDTH - left - RIGHT);
    let mut svg = format!(
        "<svg class=\"plot joints\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"error of each joint\">"
    );
    for tick in &ticks {
        let left = x(*tick);
        let _ = write!(
            svg,
            "<line class=\"grid\" x1=\"{left:.1}\" x2=\"{left:.1}\" y1=\"{TOP}\" y2=\"{}\"/>\
             <text class=\"tick\" x=\"{left:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            height - 32.0,
            height - 18.0,
            number(*tick)
        );
    }
    let mut top_edge = TOP;
    for joint in &joints {
        let [own, total] =
            [joint.own.min(joint.total), joint.total].map(|error| x(unit.factor * error));
        let name = xml(&short(&joint.joint));
        let _ = write!(
            svg,
            "<text class=\"name\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{name}</text>\
             <rect class=\"inherited\" x=\"{left}\" y=\"{}\" width=\"{:.1}\" height=\"12\"/>\
             <rect class=\"own\" x=\"{left}\" y=\"{}\" width=\"{:.1}\" height=\"12\"/>",
            left - 8.0,
            top_edge + 14.0,
            top_edge + 4.0,
            total - left,
            top_edge + 4.0,
            own - left
        );
        top_edge += row;
    }
    let more = match more {
        0 => String::new(),
        more => format!("; not shown: {more} with less of their own"),
    };
    let _ = write!(
        svg,
        "<text class=\"label\" x=\"{left}\" y=\"13\">largest error, {}{more}</text>\
         <rect class=\"own\" x=\"{left}\" y=\"{}\" width=\"12\" height=\"9\"/><text class=\"label\" x=\"{}\" y=\"{}\">its own</text>\
         <rect class=\"inherited\" x=\"{}\" y=\"{}\" width=\"12\" height=\"9\"/><text class=\"label\" x=\"{}\" y=\"{}\">inherited</text></svg>",
        unit.name,
        height - 11.0,
        left + 18.0,
        height - 3.0,
        left + 80.0,
        height - 11.0,
        left + 98.0,
        height - 3.0
    );
    svg
}

/// The colours of the heat map, with their distances.
///
/// * `hottest`, `tolerance` – lengths.
pub(super) fn legend(hottest: f64, tolerance: f64, unit: Unit, colors: &[String]) -> String {
    let (left, right, width) = (10.0, 390.0, 380.0);
    let mut svg = String::from(
        "<svg class=\"plot legend\" viewBox=\"0 0 400 52\" role=\"img\" aria-label=\"colours of the heat map\"><defs><linearGradient id=\"heat\">",
    );
    let count = colors.len().max(2) - 1;
    for (index, color) in colors.iter().enumerate() {
        let _ = write!(
            svg,
            "<stop offset=\"{}%\" stop-color=\"{color}\"/>",
            100 * index / count
        );
    }
    let _ = write!(
        svg,
        "</linearGradient></defs><rect x=\"{left}\" y=\"14\" width=\"{width}\" height=\"12\" fill=\"url(#heat)\"/>"
    );
    let x = |value: f64| left + (value / hottest).clamp(0.0, 1.0) * (right - left);
    let labels = [(0.0, "start"), (0.5, "middle"), (1.0, "end")];
    for (part, anchor) in labels {
        let value = part * hottest;
        let unit_name = if part >= 1.0 { unit.name } else { "" };
        let _ = write!(
            svg,
            "<text class=\"tick\" x=\"{:.1}\" y=\"42\" text-anchor=\"{anchor}\">{} {unit_name}</text>",
            x(value),
            number(unit.factor * value)
        );
    }
    let limit = x(tolerance);
    let _ = write!(
        svg,
        "<path class=\"mark\" d=\"M{limit:.1} 28v-16\"/><text class=\"tick\" x=\"{limit:.1}\" y=\"10\" text-anchor=\"{}\">tolerance</text></svg>",
        if limit > 340.0 {
            "end"
        } else if limit < 40.0 {
            "start"
        } else {
            "middle"
        }
    );
    svg
}

/// From 0 in steps of 1, 2 or 5 times a power of ten, up to the first that reaches `highest`.
fn ticks(highest: f64) -> Vec<f64> {
    let step = step(highest / 4.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at most 5"
    )]
    let count = (highest / step).ceil().clamp(1.0, 8.0) as u32;
    (0..=count).map(|index| f64::from(index) * step).collect()
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
fn number(value: f64) -> String {
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

/// A name shortened to fit beside a bar.
fn short(name: &str) -> String {
    const MOST: usize = 26;
    let name = printable(name);
    if name.chars().count() <= MOST {
        return name;
    }
    let head: String = name.chars().take(MOST - 1).collect();
    head + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_reach_the_highest_value() {
        assert_eq!(ticks(3.7), [0.0, 1.0, 2.0, 3.0, 4.0]);
        assert_eq!(
            ticks(0.2).last().map(|last| number(*last)),
            Some("0.2".to_owned())
        );
        for highest in [0.0, 1e-9, 0.013, 1.0, 99.0, 1e12] {
            assert!(ticks(highest).last().is_some_and(|last| *last >= highest));
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
