//! Plots as SVG inside the page.

use std::fmt::Write;

use crate::diff::Take;
use crate::report::escape::xml;
use crate::report::plot::{
    Axes, BOTTOM, HEIGHT, LEFT, MOST_POINTS, RIGHT, TOP, WIDTH, number, ticks,
};
use crate::shown::printable;

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

/// The most joints with a bar.
const MOST_JOINTS: usize = 14;

/// The largest distance and the root mean square over time, with the tolerance. `data-left` and similar attributes give
/// the script's cursor the position of the time axis.
pub(super) fn over_time(take: &Take, unit: Unit) -> String {
    let (errors, tolerance) = (&take.over_time, take.limit);
    let (Some(first), Some(last)) = (errors.first(), errors.last()) else {
        return String::new();
    };
    let finite = |value: f64| value.min(f64::from(f32::MAX));
    let highest = errors.iter().map(|error| finite(error.max));
    let highest = unit.factor * highest.fold(1.1 * tolerance, f64::max);
    let axes = Axes::new([first.time.get(), last.time.get()], [0.0, highest]);
    let Axes { start, span, .. } = axes;
    let mut svg = format!(
        "<svg class=\"plot time\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"distance over time\" \
         data-start=\"{start}\" data-span=\"{span}\" data-left=\"{LEFT}\" data-width=\"{}\">",
        WIDTH - LEFT - RIGHT
    );
    axes.draw(&format!("distance, {}", unit.name), &mut svg);
    axes.draw_limit(unit.factor * tolerance, &mut svg);
    let mut add = |part: String| svg.push_str(&part);
    // With more samples, each point is the largest of its part.
    let chunk = errors.len().div_ceil(MOST_POINTS).max(1);
    for (class, of) in [("max", 0), ("rms", 1)] {
        let points = errors.chunks(chunk).filter_map(|part| {
            let values = part.iter().map(|error| [error.max, error.rms][of]);
            let value = unit.factor * finite(values.fold(0.0, f64::max));
            let left = axes.x(part.first()?.time.get());
            Some(format!("{left:.1},{:.1}", axes.y(value)))
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
    let ticks = ticks([0.0, unit.factor * most.min(f64::from(f32::MAX))]);
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
