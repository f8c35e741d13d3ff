//! Plots as SVG inside the page.

use askama::Template;
use askama::filters::Safe;

use crate::diff::{ErrorSample, Take};
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

/// The height of a bar with its margins, and the left edge of all.
const ROW: f64 = 20.0;
const BARS_LEFT: f64 = 190.0;

/// `data-left` and similar attributes give the script's cursor the position of the time axis.
#[derive(Template)]
#[template(path = "diff/html/over_time.svg")]
struct OverTime {
    axes: Axes,
    quantity: String,
    tolerance: f64,
    max: String,
    rms: String,
}

#[derive(Template)]
#[template(path = "diff/html/joints.svg")]
struct Joints {
    unit: Unit,
    ticks: Vec<f64>,
    bars: Vec<Bar>,
    height: f64,
    /// The number of joints without a bar.
    more: usize,
}

struct Bar {
    name: String,
    top: f64,
    own: f64,
    total: f64,
}

#[derive(Template)]
#[template(path = "diff/html/legend.svg")]
struct Legend<'a> {
    colors: &'a [String],
    unit: Unit,
    hottest: f64,
    /// The position of the tolerance.
    limit: f64,
}

fn svg(plot: &impl Template) -> Safe<String> {
    Safe(plot.render().expect("a string takes all that is written"))
}

/// The largest distance and the root mean square over time, with the tolerance.
pub(super) fn over_time(take: &Take, unit: Unit) -> Option<Safe<String>> {
    let errors = &take.over_time;
    let (first, last) = (errors.first()?, errors.last()?);
    let highest = errors.iter().map(|error| finite(error.max));
    let highest = unit.factor * highest.fold(1.1 * take.limit, f64::max);
    let axes = Axes::new([first.time.get(), last.time.get()], [0.0, highest]);
    let plot = OverTime {
        quantity: format!("distance, {}", unit.name),
        tolerance: unit.factor * take.limit,
        max: points(errors, &axes, |error| unit.factor * finite(error.max)),
        rms: points(errors, &axes, |error| unit.factor * finite(error.rms)),
        axes,
    };
    Some(svg(&plot))
}

fn finite(value: f64) -> f64 {
    value.min(f64::from(f32::MAX))
}

/// With more than [`MOST_POINTS`] samples, each point is the largest of its part.
fn points(errors: &[ErrorSample], axes: &Axes, value: impl Fn(&ErrorSample) -> f64) -> String {
    let chunk = errors.len().div_ceil(MOST_POINTS).max(1);
    let mut points: Vec<(f64, f64)> = errors
        .chunks(chunk)
        .map(|part| {
            let top = axes.y(part.iter().map(&value).fold(0.0, f64::max));
            (axes.x(part[0].time.get()), top)
        })
        .collect();
    if let [(_, top)] = points[..] {
        points.push((WIDTH - RIGHT, top));
    }
    let points = points
        .iter()
        .map(|(left, top)| format!("{left:.1},{top:.1}"));
    points.collect::<Vec<_>>().join(" ")
}

/// A bar for each of the joints with the largest own errors, with what they inherit.
pub(super) fn of_joints(take: &Take, unit: Unit) -> Option<Safe<String>> {
    let off = take.joints.iter().filter(|joint| joint.total > 0.0);
    let mut joints: Vec<_> = off.collect();
    if joints.is_empty() {
        return None;
    }
    // Joints with the largest own errors come first: joints that inherit them are often farther off.
    joints.sort_by(|a, b| b.own.total_cmp(&a.own));
    let more = joints.len().saturating_sub(MOST_JOINTS);
    joints.truncate(MOST_JOINTS);
    let most = joints.iter().map(|joint| joint.total).fold(0.0, f64::max);
    let mut bottom = TOP;
    let bars = joints.iter().map(|joint| {
        let top = bottom;
        bottom += ROW;
        Bar {
            name: short(&joint.joint),
            top,
            own: unit.factor * joint.own.min(joint.total),
            total: unit.factor * joint.total,
        }
    });
    let plot = Joints {
        unit,
        ticks: ticks([0.0, unit.factor * most.min(f64::from(f32::MAX))]),
        bars: bars.collect(),
        height: bottom + 34.0,
        more,
    };
    Some(svg(&plot))
}

impl Joints {
    /// The right edge of a bar.
    fn x(&self, error: f64) -> f64 {
        let most = self.ticks.last().copied().unwrap_or(1.0);
        BARS_LEFT + (error / most).min(1.0) * (WIDTH - BARS_LEFT - RIGHT)
    }
}

/// The colours of the heat map, with their distances.
///
/// * `hottest`, `tolerance` – lengths.
/// * `colors` – at least two.
pub(super) fn legend(hottest: f64, tolerance: f64, unit: Unit, colors: &[String]) -> Safe<String> {
    svg(&Legend {
        colors,
        unit,
        hottest,
        limit: 10.0 + (tolerance / hottest).clamp(0.0, 1.0) * 380.0,
    })
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
