//! Plots as SVG, with time from left to right: their axes, and the plot of a finding of a clip.

use std::fmt::Write;

use super::escape::xml;
use super::words::{sentence, title};
use crate::closeup::Plot;
use crate::finding::Finding;
use crate::lint::Line;
use crate::shown::printable;
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

/// The start of each file, by which skincheck recognizes it.
pub(crate) const SIGNATURE: &str = "<!-- skincheck -->";

/// Axes have the colours of manipulators: x red, y green, z blue.
const STYLE: &str = "\
svg { color-scheme: light dark; --panel: #ffffff; --text: #1d2126; --faint: #5b636d; --grid: #d9dce0; \
--l0: #b3341f; --l1: #1c7a3d; --l2: #1f66b3; --l3: #7b4fa3; } \
@media (prefers-color-scheme: dark) { svg { --panel: #1f2226; --text: #e7e9ec; --faint: #a2a9b2; --grid: #3a3f46; \
--l0: #ff8a70; --l1: #6fcf8d; --l2: #74b4ff; --l3: #c9a2ef; } } \
text { font: 12px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; fill: var(--faint); } \
.panel { fill: var(--panel); } .grid { stroke: var(--grid); } .limit { stroke: var(--faint); stroke-dasharray: 5 4; } \
.time { stroke: var(--text); } .when { fill: var(--text); } polyline, .key { fill: none; stroke-width: 1.8; } \
.original { stroke-dasharray: 2 3; } \
.l0 { stroke: var(--l0); } .l1 { stroke: var(--l1); } .l2 { stroke: var(--l2); } .l3 { stroke: var(--l3); }";

/// The plot of `finding`, as a file. Lines of the original are dotted, and the time of the finding is marked.
pub(crate) fn svg(finding: &Finding, plot: &Plot) -> String {
    let originals = plot.original.iter().flat_map(|curve| &curve.lines);
    let axes = axes(plot);
    let text = format!("{}: {}", title(finding.code), sentence(finding));
    let text = xml(&printable(&text));
    let mut svg = format!(
        "{SIGNATURE}\n<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" \
         height=\"{HEIGHT}\" role=\"img\" aria-label=\"{text}\">\n<title>{text}</title>\n<style>{STYLE}</style>\n\
         <rect class=\"panel\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"6\"/>"
    );
    axes.draw(&xml(plot.curve.quantity), &mut svg);
    if let Some(limit) = plot.limit {
        axes.draw_limit(limit, &mut svg);
    }
    for (index, line) in originals.enumerate() {
        draw_line(line, &format!("original l{index}"), &axes, &mut svg);
    }
    for (index, line) in plot.curve.lines.iter().enumerate() {
        draw_line(line, &format!("l{index}"), &axes, &mut svg);
    }
    if let Some(time) = plot.time {
        let left = axes.x(time.get());
        let (anchor, beside) = if left > 0.8 * WIDTH {
            ("end", left - 5.0)
        } else {
            ("start", left + 5.0)
        };
        let _ = write!(
            svg,
            "<line class=\"time\" x1=\"{left:.1}\" x2=\"{left:.1}\" y1=\"{TOP}\" y2=\"{}\"/>\
             <text class=\"when\" x=\"{beside:.1}\" y=\"{}\" text-anchor=\"{anchor}\">{} s</text>",
            HEIGHT - BOTTOM,
            TOP + 10.0,
            number(time.get())
        );
    }
    draw_key(plot, &mut svg);
    svg + "</svg>\n"
}

/// Around all that is drawn.
fn axes(plot: &Plot) -> Axes {
    let curves = std::iter::once(&plot.curve).chain(&plot.original);
    let points = curves.flat_map(|curve| &curve.lines);
    let points = points.flat_map(|line| line.points.iter().copied());
    let (mut times, mut values) = (
        [f64::INFINITY, f64::NEG_INFINITY],
        [f64::INFINITY, f64::NEG_INFINITY],
    );
    let add = |ends: &mut [f64; 2], value: f64| *ends = [ends[0].min(value), ends[1].max(value)];
    for (time, value) in points {
        add(&mut times, time.get());
        add(&mut values, within(value));
    }
    // Numbers that cannot be negative begin at zero.
    if values[0] >= 0.0 {
        values[0] = 0.0;
    }
    if let Some(limit) = plot.limit {
        add(&mut values, within(limit));
    }
    Axes::new(times, values)
}

/// Numbers of which differences are finite.
fn within(value: f64) -> f64 {
    value.clamp(f64::from(f32::MIN), f64::from(f32::MAX))
}

/// A line with at most so many points; the lowest and the highest of each part if it has more.
fn draw_line(line: &Line, class: &str, axes: &Axes, svg: &mut String) {
    let chunk = match line.points.len() {
        few if few <= MOST_POINTS => 1,
        many => (2 * many).div_ceil(MOST_POINTS),
    };
    let points = line.points.chunks(chunk).flat_map(|part| {
        let by_value = |a: &usize, b: &usize| part[*a].1.total_cmp(&part[*b].1);
        let mut ends = [
            (0..part.len()).min_by(by_value).unwrap_or(0),
            (0..part.len()).max_by(by_value).unwrap_or(0),
        ];
        ends.sort_unstable();
        let [first, last] = ends;
        let last = (last != first).then_some(last);
        [Some(first), last].map(|index| Some(part[index?]))
    });
    let points = points
        .flatten()
        .map(|(time, value)| format!("{:.1},{:.1}", axes.x(time.get()), axes.y(within(value))));
    let points: Vec<String> = points.collect();
    let _ = write!(
        svg,
        "<polyline class=\"{class}\" points=\"{}\"/>",
        points.join(" ")
    );
}

/// What the lines are, below the plot.
fn draw_key(plot: &Plot, svg: &mut String) {
    /// The width of a letter, rounded up.
    const LETTER: f64 = 7.0;
    let lines = plot.curve.lines.iter().enumerate();
    let named = lines.filter(|(_, line)| !line.name.is_empty());
    let mut entries: Vec<(String, &str)> = named
        .map(|(index, line)| (format!("l{index}"), line.name))
        .collect();
    if plot.original.is_some() {
        entries.push(("original l0".to_owned(), "original"));
    }
    if plot.limit.is_some() {
        entries.push(("limit".to_owned(), "limit"));
    }
    let (mut left, bottom) = (LEFT, HEIGHT - 6.0);
    for (class, name) in entries {
        let _ = write!(
            svg,
            "<line class=\"key {class}\" x1=\"{left}\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/>\
             <text x=\"{}\" y=\"{bottom}\">{name}</text>",
            left + 22.0,
            bottom - 4.0,
            bottom - 4.0,
            left + 27.0
        );
        #[expect(clippy::cast_precision_loss, reason = "a few letters")]
        let width = name.len() as f64 * LETTER;
        left = (left + 40.0 + width).min(WIDTH - RIGHT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Code, Level};
    use crate::lint::Curve;
    use crate::rig::Location;
    use crate::units::Seconds;

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

    fn plotted(value: impl Fn(u32) -> f64, count: u32) -> String {
        let points = (0..count).map(|index| (f64::from(index) / 30.0, value(index)));
        let location = Location::joint("<hip>").in_clip("Walk");
        let finding = Finding::new(Code("C523"), Level::Warning, location, "pops");
        let curve = Curve::of("height, %", [("x", points.collect())]).expect("there are points");
        let plot = Plot {
            original: Some(curve.clone()),
            limit: Some(2.0),
            time: Some(Seconds(0.5)),
            curve,
        };
        svg(&finding, &plot)
    }

    fn points(svg: &str) -> Vec<(f64, f64)> {
        let (_, rest) = svg.split_once("class=\"l0\" points=\"").expect("a line");
        let (points, _) = rest.split_once('"').expect("its end");
        let pairs = points.split(' ').map(|pair| pair.split_once(','));
        let read = |text: &str| text.parse().expect("a number");
        let pairs = pairs.map(|pair| pair.expect("a pair"));
        pairs.map(|(x, y)| (read(x), read(y))).collect()
    }

    #[test]
    fn one_key_off_its_path_is_seen_among_many() {
        let pop = |index: u32| if index == 4321 { 9.0 } else { 0.0 };
        let points = points(&plotted(pop, 10_000));
        assert!(points.len() <= 2 * MOST_POINTS);
        let highest = points.iter().map(|(_, y)| *y).fold(HEIGHT, f64::min);
        assert!(highest < 0.3 * HEIGHT, "{highest}");
        assert!(points.is_sorted_by(|a, b| a.0 <= b.0));
    }

    #[test]
    fn a_plot_shows_the_original_the_limit_the_time_and_names_no_element() {
        let svg = plotted(f64::from, 20);
        for part in [
            "class=\"original l0\"",
            "class=\"limit\"",
            "0.5 s",
            "&lt;hip&gt;",
            "time, s",
        ] {
            assert!(svg.contains(part), "{part}: {svg}");
        }
        assert!(svg.starts_with(SIGNATURE) && !svg.contains("<hip>"));
    }

    #[test]
    fn any_number_is_drawn_inside() {
        for (low, high) in [(0.0, 0.0), (-1e300, 1e300), (-2.0, -1.0), (1e-40, 2e-40)] {
            let points = points(&plotted(|index| if index % 2 == 0 { low } else { high }, 9));
            let is_inside = |y: f64| (TOP - 0.1..=HEIGHT - BOTTOM + 0.1).contains(&y);
            assert!(
                points.iter().all(|(_, y)| is_inside(*y)),
                "{low} {high}: {points:?}"
            );
        }
    }
}
