//! `<sampler>`: which sources make which curve.

use roxmltree::Node;

use super::bezier::Point;
use super::curve::{Curve, Key, Way};
use super::document::Document;
use super::error::Unclear;
use super::sources;
use super::table::Table;

/// How the file wants a value to run between two keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    Step,
    Linear,
    Bezier,
    Hermite,
}

/// Keys of one number or of several.
#[derive(Debug, Clone)]
pub(super) struct Sampler {
    times: Vec<f64>,
    output: Table,
    /// One a key but the last.
    manners: Vec<Manner>,
    tangents: Option<Tangents>,
    /// Deviations from the file.
    pub(super) doubts: Vec<String>,
    /// Keys that were omitted, because a number of theirs is NaN or infinite.
    pub(super) nonfinite: usize,
    /// Keys that come before their predecessor in the file, and were put in order.
    pub(super) unordered: usize,
}

#[derive(Debug, Clone)]
struct Tangents {
    arrive: Table,
    leave: Table,
}

/// A point of a curve in the file's coordinates; its time may be left to the reader.
#[derive(Debug, Clone, Copy)]
struct Handle {
    time: Option<f64>,
    value: f64,
}

impl Sampler {
    /// Reads `sampler`; `None` if it has no key that is finite.
    pub(super) fn read<'a>(
        document: &Document<'a>,
        sampler: Node<'a, 'a>,
    ) -> Result<Option<Self>, Unclear> {
        let table = |semantic| match document.input(sampler, semantic)? {
            Some(source) => sources::table(document, source).map(Some),
            None => Ok(None),
        };
        let required = |semantic| {
            let element = "sampler";
            table(semantic)?.ok_or(Unclear::NoInput { element, semantic })
        };
        let times = required("INPUT")?.values;
        let output = required("OUTPUT")?;
        let names = match document.input(sampler, "INTERPOLATION")? {
            Some(source) => sources::names(document, source)?,
            None => vec!["LINEAR"; times.len()],
        };
        let tangents = match (table("IN_TANGENT")?, table("OUT_TANGENT")?) {
            (Some(arrive), Some(leave)) => Some(Tangents { arrive, leave }),
            _ => None,
        };
        let mut doubts = Vec::new();
        let manners = manners(&names, tangents.is_some(), times.len(), &mut doubts);
        let mut sampler = Self {
            times,
            output,
            manners,
            tangents,
            doubts,
            nonfinite: 0,
            unordered: 0,
        };
        sampler.check(names.len())?;
        sampler.repair();
        Ok((!sampler.times.is_empty()).then_some(sampler))
    }

    /// Leaves out keys that are not finite, and puts the others in order of time.
    fn repair(&mut self) {
        let all = |values: &[f64]| values.iter().all(|value| value.is_finite());
        let tables = self.tangents.iter().filter(|_| self.is_bent());
        let tables: Vec<&Table> = tables
            .flat_map(|tangents| [&tangents.arrive, &tangents.leave])
            .chain([&self.output])
            .collect();
        let is_finite = |row: &usize| {
            self.times[*row].is_finite() && tables.iter().all(|table| all(table.row(*row)))
        };
        let mut order: Vec<usize> = (0..self.times.len()).filter(is_finite).collect();
        let nonfinite = self.times.len() - order.len();
        let late = |pair: &&[usize]| self.times[pair[1]] < self.times[pair[0]];
        let unordered = order.windows(2).filter(late).count();
        if nonfinite + unordered == 0 {
            return;
        }
        order.sort_by(|a, b| self.times[*a].total_cmp(&self.times[*b]));
        let spans = order[..order.len().saturating_sub(1)].iter();
        let manner = |row: &usize| self.manners.get(*row).copied();
        self.manners = spans
            .map(|row| manner(row).unwrap_or(Manner::Linear))
            .collect();
        self.times = order.iter().map(|row| self.times[*row]).collect();
        self.output.gather(&order);
        if let Some(tangents) = &mut self.tangents {
            tangents.arrive.gather(&order);
            tangents.leave.gather(&order);
        }
        (self.nonfinite, self.unordered) = (nonfinite, unordered);
    }

    fn check(&self, names: usize) -> Result<(), Unclear> {
        let keys = self.times.len();
        let misfit = |what: String| Err(Unclear::Misfit { what });
        if self.output.rows() != keys {
            let values = self.output.rows();
            return misfit(format!("a sampler has {keys} times and {values} values"));
        }
        if names + 1 < keys {
            return misfit(format!(
                "a sampler has {keys} keys and {names} interpolations"
            ));
        }
        match &self.tangents {
            Some(tangents) if self.is_bent() => tangents.check(keys, self.output.width),
            _ => Ok(()),
        }
    }

    /// Whether a value anywhere is neither held nor straight.
    pub(super) fn is_bent(&self) -> bool {
        let is_bent = |manner| matches!(manner, &Manner::Bezier | &Manner::Hermite);
        self.manners.iter().any(is_bent)
    }

    /// How many numbers each key has.
    pub(super) fn width(&self) -> usize {
        self.output.width
    }

    /// The keys' times, their numbers, and whether these are held until the next key.
    pub(super) fn rows(&self) -> impl Iterator<Item = (f64, &[f64], bool)> {
        let held = self.manners.iter().map(|manner| *manner == Manner::Step);
        let held = held.chain([false]);
        let rows = self.times.iter().enumerate().zip(held);
        rows.map(|((row, time), held)| (*time, self.output.row(row), held))
    }

    /// The curve of number `column` of each key; `column` must be less than the [width](Self::width).
    pub(super) fn curve(&self, column: usize) -> Curve {
        let at = |row: usize| Point {
            time: self.times[row],
            value: self.output.row(row)[column],
        };
        let key = |row| Key {
            at: at(row),
            way: match self.manners.get(row) {
                None | Some(Manner::Linear) => Way::Linear,
                Some(Manner::Step) => Way::Step,
                Some(manner) => self.bent(row, column, *manner, at(row), at(row + 1)),
            },
        };
        Curve {
            keys: (0..self.times.len()).map(key).collect(),
        }
    }

    /// Bézier: handles are points, with times a third off where the file leaves them out. Hermite: handles are
    /// derivatives along the curve, with times that run evenly where the file leaves them out.
    fn bent(&self, row: usize, column: usize, manner: Manner, from: Point, to: Point) -> Way {
        let Some(tangents) = &self.tangents else {
            return Way::Linear;
        };
        let width = self.output.width;
        let leave = handle(tangents.leave.row(row), column, width);
        let arrive = handle(tangents.arrive.row(row + 1), column, width);
        let third = (to.time - from.time) / 3.0;
        let point = |handle: Handle, end: Point, side: f64| match manner {
            Manner::Hermite => Point {
                time: end.time + side * handle.time.map_or(third, |time| time / 3.0),
                value: end.value + side * handle.value / 3.0,
            },
            _ => Point {
                time: handle.time.unwrap_or(end.time + side * third),
                value: handle.value,
            },
        };
        Way::Bezier {
            leave: point(leave, from, 1.0),
            arrive: point(arrive, to, -1.0),
        }
    }
}

impl Tangents {
    fn check(&self, keys: usize, width: usize) -> Result<(), Unclear> {
        for table in [&self.arrive, &self.leave] {
            let known = [width, width + 1, 2 * width].contains(&table.width);
            if !known || table.rows() < keys {
                let (rows, columns) = (table.rows(), table.width);
                let what = format!(
                    "a sampler has {rows} tangents of {columns} numbers for {keys} keys of {width}"
                );
                return Err(Unclear::Misfit { what });
            }
        }
        Ok(())
    }
}

/// The handle of number `column` in a row of tangents for `width` numbers: a pair of time and value each; or the time
/// once and then the values; or the values alone.
fn handle(row: &[f64], column: usize, width: usize) -> Handle {
    let (time, value) = if row.len() == 2 * width {
        (Some(row[2 * column]), row[2 * column + 1])
    } else if row.len() == width + 1 {
        (Some(row[0]), row[column + 1])
    } else {
        (None, row[column])
    };
    Handle { time, value }
}

/// One a key but the last. What is not known is linear.
fn manners(
    names: &[&str],
    has_tangents: bool,
    keys: usize,
    doubts: &mut Vec<String>,
) -> Vec<Manner> {
    let mut doubt = |what: String| {
        if !doubts.contains(&what) {
            doubts.push(what);
        }
        Manner::Linear
    };
    let manner = |name: &&str| match (*name, has_tangents) {
        ("STEP", _) => Manner::Step,
        ("LINEAR", _) => Manner::Linear,
        ("BEZIER", true) => Manner::Bezier,
        ("HERMITE", true) => Manner::Hermite,
        ("BEZIER" | "HERMITE", false) => {
            doubt(format!("{name} without tangents is read as linear"))
        }
        ("CARDINAL" | "BSPLINE", _) => doubt(format!("{name} is read as linear")),
        _ => doubt("an unknown interpolation is read as linear".to_owned()),
    };
    let spans = keys.saturating_sub(1);
    names.iter().take(spans).map(manner).collect()
}

#[cfg(test)]
mod tests;
