//! `<sampler>`: from sources to curves.

use roxmltree::Node;

use super::curve::{Curve, Interpolation, Key, Point};
use super::document::{self, Document, ReadError, Table};

/// The interpolation that the file states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Method {
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
    /// One per key but the last.
    methods: Vec<Method>,
    tangents: Option<Tangents>,
    /// Deviations from the file.
    pub(super) deviations: Vec<String>,
    /// Keys that were omitted because they contain NaN or infinity.
    pub(super) nonfinite: usize,
    /// Keys that precede their predecessor in time and were sorted.
    pub(super) unordered: usize,
}

#[derive(Debug, Clone)]
struct Tangents {
    arrive: Table,
    leave: Table,
}

impl Sampler {
    /// Reads `sampler`; `None` if it has no finite key.
    pub(super) fn read<'a>(
        document: &Document<'a>,
        sampler: Node<'a, 'a>,
    ) -> Result<Option<Self>, ReadError> {
        let table = |semantic| match document.input(sampler, semantic)? {
            Some(source) => document::source_table(document, source).map(Some),
            None => Ok(None),
        };
        let required = |semantic| {
            let element = "sampler";
            table(semantic)?.ok_or(ReadError::NoInput { element, semantic })
        };
        let times = required("INPUT")?.values;
        let output = required("OUTPUT")?;
        let names = match document.input(sampler, "INTERPOLATION")? {
            Some(source) => document::source_names(document, source)?,
            None => vec!["LINEAR"; times.len()],
        };
        let tangents = match (table("IN_TANGENT")?, table("OUT_TANGENT")?) {
            (Some(arrive), Some(leave)) => Some(Tangents { arrive, leave }),
            _ => None,
        };
        let mut deviations = Vec::new();
        let methods = methods(&names, tangents.is_some(), times.len(), &mut deviations);
        let mut sampler = Self {
            times,
            output,
            methods,
            tangents,
            deviations,
            nonfinite: 0,
            unordered: 0,
        };
        sampler.check(names.len())?;
        sampler.repair();
        Ok((!sampler.times.is_empty()).then_some(sampler))
    }

    /// Removes keys that are not finite, and sorts the others by time.
    fn repair(&mut self) {
        let all = |values: &[f64]| values.iter().all(|value| value.is_finite());
        let tables: Vec<&Table> = self
            .tangents
            .iter()
            .filter(|_| self.is_curved())
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
        let method = |row: &usize| self.methods.get(*row).copied();
        self.methods = spans
            .map(|row| method(row).unwrap_or(Method::Linear))
            .collect();
        self.times = order.iter().map(|row| self.times[*row]).collect();
        self.output.gather(&order);
        if let Some(tangents) = &mut self.tangents {
            tangents.arrive.gather(&order);
            tangents.leave.gather(&order);
        }
        (self.nonfinite, self.unordered) = (nonfinite, unordered);
    }

    fn check(&self, names: usize) -> Result<(), ReadError> {
        let keys = self.times.len();
        let misfit = |what: String| Err(ReadError::Misfit { what });
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
            Some(tangents) if self.is_curved() => tangents.check(keys, self.output.width),
            _ => Ok(()),
        }
    }

    /// Whether any segment is neither constant nor linear.
    pub(super) fn is_curved(&self) -> bool {
        let is_curved = |method| matches!(method, &Method::Bezier | &Method::Hermite);
        self.methods.iter().any(is_curved)
    }

    /// The number of values per key.
    pub(super) fn width(&self) -> usize {
        self.output.width
    }

    /// The times of the keys, their values, and whether these hold until the next key.
    pub(super) fn rows(&self) -> impl Iterator<Item = (f64, &[f64], bool)> {
        let held = self
            .methods
            .iter()
            .map(|method| *method == Method::Step)
            .chain([false]);
        let rows = self.times.iter().enumerate().zip(held);
        rows.map(|((row, time), held)| (*time, self.output.row(row), held))
    }

    /// The curve of value `column` of each key; `column` must be less than the [width](Self::width).
    pub(super) fn curve(&self, column: usize) -> Curve {
        let at = |row: usize| Point {
            time: self.times[row],
            value: self.output.row(row)[column],
        };
        let key = |row| Key {
            at: at(row),
            interpolation: match self.methods.get(row) {
                None | Some(Method::Linear) => Interpolation::Linear,
                Some(Method::Step) => Interpolation::Step,
                Some(method) => self.bezier(row, column, *method, at(row), at(row + 1)),
            },
        };
        Curve {
            keys: (0..self.times.len()).map(key).collect(),
        }
    }

    /// Converts tangents to Bézier handles. Bézier tangents are points; a missing time is a third of the span away. Hermite
    /// tangents are derivatives by the parameter; a missing time means that time is linear in it. A third of the derivative
    /// is the distance of the handle.
    fn bezier(
        &self,
        row: usize,
        column: usize,
        method: Method,
        from: Point,
        to: Point,
    ) -> Interpolation {
        let Some(tangents) = &self.tangents else {
            return Interpolation::Linear;
        };
        let width = self.output.width;
        let leave = handle(tangents.leave.row(row), column, width);
        let arrive = handle(tangents.arrive.row(row + 1), column, width);
        let third = (to.time - from.time) / 3.0;
        let point = |(time, value): (Option<f64>, f64), end: Point, side: f64| match method {
            Method::Hermite => Point {
                time: end.time + side * time.map_or(third, |time| time / 3.0),
                value: end.value + side * value / 3.0,
            },
            _ => Point {
                time: time.unwrap_or(end.time + side * third),
                value,
            },
        };
        Interpolation::Bezier {
            leave: point(leave, from, 1.0),
            arrive: point(arrive, to, -1.0),
        }
    }
}

impl Tangents {
    fn check(&self, keys: usize, width: usize) -> Result<(), ReadError> {
        for table in [&self.arrive, &self.leave] {
            let known = [width, width + 1, 2 * width].contains(&table.width);
            if !known || table.rows() < keys {
                let (rows, columns) = (table.rows(), table.width);
                let what = format!(
                    "a sampler has {rows} tangents of {columns} numbers for {keys} keys of {width}"
                );
                return Err(ReadError::Misfit { what });
            }
        }
        Ok(())
    }
}

/// The tangent of value `column` in a row for `width` values: its time, if the file states one, and its value. A row holds a
/// pair of time and value for each; or one time and then the values; or only the values.
fn handle(row: &[f64], column: usize, width: usize) -> (Option<f64>, f64) {
    if row.len() == 2 * width {
        (Some(row[2 * column]), row[2 * column + 1])
    } else if row.len() == width + 1 {
        (Some(row[0]), row[column + 1])
    } else {
        (None, row[column])
    }
}

/// One per key but the last. An unknown interpolation is read as linear.
fn methods(
    names: &[&str],
    has_tangents: bool,
    keys: usize,
    deviations: &mut Vec<String>,
) -> Vec<Method> {
    let mut doubt = |what: String| {
        if !deviations.contains(&what) {
            deviations.push(what);
        }
        Method::Linear
    };
    let method = |name: &&str| match (*name, has_tangents) {
        ("STEP", _) => Method::Step,
        ("LINEAR", _) => Method::Linear,
        ("BEZIER", true) => Method::Bezier,
        ("HERMITE", true) => Method::Hermite,
        ("BEZIER" | "HERMITE", false) => {
            doubt(format!("{name} without tangents is read as linear"))
        }
        ("CARDINAL" | "BSPLINE", _) => doubt(format!("{name} is read as linear")),
        _ => doubt("an unknown interpolation is read as linear".to_owned()),
    };
    let spans = keys.saturating_sub(1);
    names.iter().take(spans).map(method).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collada::document::parse;

    /// A sampler whose sources have these widths and contents.
    fn read(sources: &[(&str, usize, &str)]) -> Result<Sampler, ReadError> {
        let source = |(semantic, width, content): &(&str, usize, &str)| {
            let count = content.split_ascii_whitespace().count() / width;
            let kind = if *semantic == "INTERPOLATION" {
                "Name_array"
            } else {
                "float_array"
            };
            format!(
                r##"<source id="{semantic}"><{kind} id="{semantic}-array">{content}</{kind}>
                <technique_common><accessor source="#{semantic}-array" count="{count}" stride="{width}"/></technique_common>
                </source>"##
            )
        };
        let input = |(semantic, ..): &(&str, usize, &str)| {
            format!(r##"<input semantic="{semantic}" source="#{semantic}"/>"##)
        };
        let sources_text: String = sources.iter().map(source).collect();
        let inputs: String = sources.iter().map(input).collect();
        let text =
            format!(r#"<COLLADA>{sources_text}<sampler id="s">{inputs}</sampler></COLLADA>"#);
        let xml = parse(&text).expect("it is well-formed");
        let document = Document::new(&xml);
        let sampler = Sampler::read(&document, document.at("#s", "sampler")?)?;
        Ok(sampler.expect("it has keys"))
    }

    const TIMES: (&str, usize, &str) = ("INPUT", 1, "0 2");
    const VALUES: (&str, usize, &str) = ("OUTPUT", 1, "1 7");

    fn at(sampler: &Sampler, column: usize, time: f64) -> f64 {
        sampler.curve(column).segment(time).at(time)
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    #[test]
    fn each_key_says_how_it_goes_on() {
        let sampler = read(&[
            ("INPUT", 1, "0 1 2 3"),
            ("OUTPUT", 1, "0 1 3 0"),
            ("INTERPOLATION", 1, "STEP LINEAR BEZIER STEP"),
            ("IN_TANGENT", 2, "0 0 0 0 0 0 2.666666667 3"),
            ("OUT_TANGENT", 2, "0 0 0 0 2.333333333 3 0 0"),
        ])
        .expect("it is whole");
        let values = [0.9, 1.5, 2.5].map(|time| at(&sampler, 0, time));
        let expected = [0.0, 2.0, 3.0 * 7.0 / 8.0];
        assert!(
            values.iter().zip(expected).all(|(a, b)| close(*a, b)),
            "{values:?}"
        );
        assert!(sampler.is_curved() && sampler.deviations.is_empty());
    }

    #[test]
    fn hermite_tangents_are_derivatives_and_bezier_handles_are_points() {
        let with = |kind, width, arrive, leave| {
            let kinds = ("INTERPOLATION", 1, kind);
            let tangents = [("IN_TANGENT", width, arrive), ("OUT_TANGENT", width, leave)];
            read(&[TIMES, VALUES, kinds, tangents[0], tangents[1]]).expect("it is whole")
        };
        // From 1 to 7 with a derivative of 12 per span at the start and none at the end.
        let hermite = with("HERMITE HERMITE", 1, "0 0", "12 0");
        let with_times = with("HERMITE HERMITE", 2, "0 0 2 0", "2 12 0 0");
        let bezier = with("BEZIER BEZIER", 1, "0 7", "5 0");
        let bezier_with_times = with(
            "BEZIER BEZIER",
            2,
            "0 0 1.333333333333 7",
            "0.666666666667 5 0 0",
        );
        let expected = 0.5 * 1.0 + 0.5 * 7.0 + 12.0 * 0.125;
        for sampler in [hermite, with_times, bezier, bezier_with_times] {
            assert!(close(at(&sampler, 0, 1.0), expected), "{sampler:?}");
        }
    }

    #[test]
    fn wide_keys_have_a_handle_a_number() {
        let with = |width, arrive, leave| {
            let values = ("OUTPUT", 2, "0 10 1 20");
            let kinds = ("INTERPOLATION", 1, "BEZIER BEZIER");
            let tangents = [("IN_TANGENT", width, arrive), ("OUT_TANGENT", width, leave)];
            read(&[TIMES, values, kinds, tangents[0], tangents[1]]).expect("it is whole")
        };
        let third = "0.666666666667 0 0.666666666667 10 0 0 0 0";
        let pairs = with(4, "0 0 0 0 1.333333333333 0 1.333333333333 20", third);
        let shared = with(3, "0 0 0 1.333333333333 0 20", "0.666666666667 0 10 0 0 0");
        let plain = with(2, "0 0 0 20", "0 10 0 0");
        for sampler in [pairs, shared, plain] {
            assert!(close(at(&sampler, 0, 1.0), 0.125), "{sampler:?}");
            assert!(close(at(&sampler, 1, 1.0), 15.0), "{sampler:?}");
        }
    }

    #[test]
    fn unsupported_interpolation_becomes_linear_with_a_note() {
        for kind in ["CARDINAL", "BSPLINE", "BEZIER", "HERMITE", "WAVY"] {
            let kinds = format!("{kind} {kind}");
            let sampler =
                read(&[TIMES, VALUES, ("INTERPOLATION", 1, &kinds)]).expect("it is whole");
            assert!(close(at(&sampler, 0, 1.0), 4.0));
            assert_eq!(sampler.deviations.len(), 1, "{kind}");
            assert!(!sampler.is_curved());
        }
    }

    #[test]
    fn mismatched_lists_are_an_error() {
        let linear = ("INTERPOLATION", 1, "LINEAR LINEAR");
        let bezier = ("INTERPOLATION", 1, "BEZIER BEZIER");
        let tangent = |semantic| (semantic, 2, "0 0");
        let cases: [&[(&str, usize, &str)]; 5] = [
            &[],
            &[TIMES],
            &[TIMES, ("OUTPUT", 1, "1 2 3"), linear],
            &[
                ("INPUT", 1, "0 1 2"),
                ("OUTPUT", 1, "0 1 2"),
                ("INTERPOLATION", 1, "STEP"),
            ],
            &[
                TIMES,
                VALUES,
                bezier,
                tangent("IN_TANGENT"),
                tangent("OUT_TANGENT"),
            ],
        ];
        for sources in cases {
            assert!(read(sources).is_err(), "{sources:?}");
        }
    }
}
