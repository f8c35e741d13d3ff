//! What is stated of engines: their pages, and the list of them.

use std::fmt::Write;

use super::document::Document;
use super::format::View;
use crate::engines::{ENGINES, Engine, Interpolation, Kept, Rounding, Stated, Storage, Sum};

/// A statement about an engine, and its source.
#[derive(Debug)]
pub struct Statement {
    /// Such as `influences`.
    pub what: &'static str,
    /// The limit, the convention or the behaviour.
    pub value: String,
    /// A page with its section, or a file of the engine.
    pub source: &'static str,
}

/// All statements about an engine, in the order of the documentation.
#[must_use]
pub fn statements(engine: &Engine) -> Vec<Statement> {
    fn of<T: Copy>(
        what: &'static str,
        stated: Option<Stated<T>>,
        words: impl Fn(T) -> String,
    ) -> Option<Statement> {
        let Stated { value, source } = stated?;
        Some(Statement {
            what,
            value: words(value),
            source,
        })
    }
    let is = |source: Option<&'static str>| source.map(|source| Stated { value: (), source });
    let statements = [
        of("influences", engine.influences, |most| {
            format!("{most} per vertex")
        }),
        of("kept", engine.kept, |kept| match kept {
            Kept::First => "the first in the file".to_owned(),
            Kept::Largest => "the largest".to_owned(),
        }),
        of("sum of weights", engine.sum, |sum| match sum {
            Sum::Divided => "weights are divided by it".to_owned(),
            Sum::Homogeneous => "positions are divided by it".to_owned(),
            Sum::Undivided => "weights are used as they are".to_owned(),
        }),
        of(
            "no weight",
            is(engine.unweighted_follow_first_joint),
            |()| "follows the first joint".to_owned(),
        ),
        of("storage", engine.storage, |storage| match storage {
            Storage::Float => "f32".to_owned(),
            Storage::AsInFile => "the file's type".to_owned(),
            Storage::Parts { bits, rounding } => match rounding {
                None => format!("{bits} bits"),
                Some(Rounding::Down) => format!("{bits} bits, rounded down"),
            },
        }),
        of("method", is(engine.blends_matrices), |()| {
            "linear, of matrices".to_owned()
        }),
        of("joints", engine.joints, |most| format!("{most} per skin")),
        of("rotations", engine.rotations, |rotations| match rotations {
            Interpolation::Spherical => "spherical".to_owned(),
            Interpolation::Components => "by components, then normalized".to_owned(),
            Interpolation::Mixed => {
                "by components, then normalized, below 36°; else spherical".to_owned()
            }
        }),
        of("clips", engine.rate, |rate| match rate {
            None => "keep their keys".to_owned(),
            Some(rate) => format!("sampled at {rate} fps"),
        }),
        of("unit", engine.unit, |unit| unit.one().to_owned()),
        of("axes", engine.axes, |axes| {
            let (up, forward, front) = (axes.up, axes.forward, axes.front);
            let hand = axes.handedness;
            format!("{up} up, {forward} forward, characters face {front}, {hand}")
        }),
        of("other units and axes", engine.conversion, str::to_owned),
    ];
    statements.into_iter().flatten().collect()
}

impl Document {
    /// The page of an engine: all statements with their sources, and the options.
    pub(crate) fn of_engine(engine: &'static Engine) -> Document {
        let (name, title, version) = (engine.name, engine.title, engine.version);
        let mut markdown = format!("# {name}\n\n{title} {version}\n\n## What sources say\n\n");
        for statement in statements(engine) {
            let (what, value, source) = (statement.what, statement.value, statement.source);
            let _ = writeln!(markdown, "- {what}: {value} ({source})");
        }
        if !engine.options.is_empty() {
            markdown += "\n## Options\n\n";
        }
        for option in engine.options {
            let (option, values, source) =
                (option.choice.name(), option.choice.values(), option.source);
            let _ = writeln!(markdown, "- `{name}:{option}=…`: {values} ({source})");
        }
        markdown += "\n## In skincheck.toml\n\n```toml\n";
        let _ = writeln!(markdown, "engine = \"{name}\"\n```");
        Document { id: name, markdown }
    }
}

/// All engines for a terminal, with their statements, sources and options.
#[must_use]
pub fn list_engines(view: View) -> String {
    let pages = ENGINES
        .iter()
        .map(|engine| Document::of_engine(engine).on_terminal(view));
    let pages: Vec<String> = pages.collect();
    pages.join("\n") + "\nWhat no source states is neither a limit nor emulated.\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::find_engine;

    #[test]
    fn every_statement_has_a_source() {
        for engine in ENGINES.iter() {
            for Statement { what, source, .. } in statements(engine) {
                let is_text = source.len() > 10 && !source.ends_with('.');
                assert!(is_text, "{} {what}: {source}", engine.name);
            }
        }
    }

    #[test]
    fn a_page_says_what_sources_say() {
        let unreal = find_engine("unreal").expect("it is there");
        let page = Document::of_engine(unreal).on_terminal(View::default());
        for Statement { value, source, .. } in statements(unreal) {
            assert!(page.contains(&value) && page.contains(source), "{page}");
        }
        assert!(page.contains("`unreal:weights=…`: 8 or 16 (Use High"));
    }
}
