//! Plots as SVG, with time from left to right: their axes, and the plot of a finding of a clip.

use askama::Template;

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
    pub(super) ticks: Vec<f64>,
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

    pub(super) fn inner_ticks(&self) -> Vec<f64> {
        inner_ticks(self.start, self.start + self.span)
    }

    /// The points of a line: at most so many, the lowest and the highest of each part if it has more.
    fn points(&self, line: &Line) -> String {
        let chunk = match line.points.len() {
            few if few <= MOST_POINTS => 1,
            many => (2 * many).div_ceil(MOST_POINTS),
        };
        let points = line
            .points
            .chunks(chunk)
            .flat_map(|part| {
                let by_value = |a: &usize, b: &usize| part[*a].1.total_cmp(&part[*b].1);
                let mut ends = [
                    (0..part.len()).min_by(by_value).unwrap_or(0),
                    (0..part.len()).max_by(by_value).unwrap_or(0),
                ];
                ends.sort_unstable();
                let [first, last] = ends;
                let last = (last != first).then_some(last);
                [Some(first), last].map(|index| Some(part[index?]))
            })
            .flatten()
            .map(|(time, value)| format!("{:.1},{:.1}", self.x(time.get()), self.y(within(value))));
        points.collect::<Vec<_>>().join(" ")
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

/// The file with the plot of a finding. The time of the finding is marked.
#[derive(Template)]
#[template(path = "plot.svg")]
struct Drawing<'a> {
    text: String,
    plot: &'a Plot,
    axes: Axes,
}

/// The plot of `finding`, as a file.
pub(crate) fn svg(finding: &Finding, plot: &Plot) -> String {
    let text = format!("{}: {}", title(finding.code), sentence(finding));
    let drawing = Drawing {
        text: printable(&text),
        plot,
        axes: axes(plot),
    };
    let svg = drawing.render();
    svg.expect("a string takes all that is written") + "\n"
}

impl Drawing<'_> {
    /// The class, the name and the left edge of each kind of line.
    fn key(&self) -> Vec<(String, &str, f64)> {
        /// The width of a letter, rounded up.
        const LETTER: f64 = 7.0;
        let lines = self.plot.curve.lines.iter().enumerate();
        let named = lines
            .filter(|(_, line)| !line.name.is_empty())
            .map(|(index, line)| (format!("l{index}"), line.name));
        let limit = self.plot.limit.map(|_| ("limit".to_owned(), "limit"));
        let mut next = LEFT;
        let placed = named.chain(limit).map(|(class, name)| {
            let left = next;
            #[expect(clippy::cast_precision_loss, reason = "a few letters")]
            let width = name.len() as f64 * LETTER;
            next = (left + 40.0 + width).min(WIDTH - RIGHT);
            (class, name, left)
        });
        placed.collect()
    }
}

/// Around all that is drawn.
fn axes(plot: &Plot) -> Axes {
    let lines = plot.curve.lines.iter();
    let points = lines.flat_map(|line| line.points.iter().copied());
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
    fn a_plot_shows_the_limit_the_time_and_names_no_element() {
        let svg = plotted(f64::from, 20);
        for part in ["class=\"limit\"", "0.5 s", "&lt;hip&gt;", "time, s"] {
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
