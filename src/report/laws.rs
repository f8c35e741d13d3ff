//! The results of testing laws on models, for people and as JSON.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use serde::Serialize;

use super::json::{Failed, pretty};
use crate::laws::{Failure, LawReport, ModelLaws};
use crate::shown::printable;

const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default().bold();

/// A model that was tested.
#[derive(Debug)]
pub struct Checked {
    /// Its path.
    pub model: String,
    /// The results.
    pub laws: ModelLaws,
    /// One per law: the simplest rig that breaks it, if it was written.
    pub rigs: Vec<Option<Rig>>,
}

/// A file with a rig that breaks a law.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rig {
    /// The glTF file.
    pub path: String,
    /// The command that reproduces the failure; `None` if the file alone does not.
    pub command: Option<String>,
}

/// The parameters that determine the cases.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// The seed.
    pub seed: u64,
    /// Cases per law and model.
    pub cases: u32,
}

/// The lines of one model: one per subject, and more for each broken law.
#[must_use]
pub fn of_model(checked: &Checked) -> String {
    let mut text = format!("{}\n", printable(&checked.model));
    let laws = &checked.laws.laws;
    if laws.is_empty() {
        text += "  nothing to test: no clips, weights or skins\n";
    }
    let mut subjects: Vec<&str> = laws.iter().map(|law| law.subject.as_str()).collect();
    subjects.dedup();
    for subject in subjects {
        let of_subject = || laws.iter().filter(|law| law.subject == subject);
        let broken = of_subject().filter(|law| law.failure.is_some()).count();
        let (count, cases) = (
            of_subject().count(),
            of_subject().map(|law| law.cases).max(),
        );
        let verdict = match broken {
            0 => format!("{GOOD}held{GOOD:#}"),
            _ => format!("{BAD}{broken} broken{BAD:#}"),
        };
        let cases = cases.unwrap_or(0);
        let _ = writeln!(
            text,
            "  {subject:<9} {count:>2} laws, {cases} cases each: {verdict}"
        );
    }
    for (law, rig) in laws.iter().zip(&checked.rigs) {
        if let Some(failure) = &law.failure {
            text += &of_failure(law, failure, rig.as_ref());
        }
    }
    let skipped = checked.laws.skipped;
    if skipped.tracks > 0 {
        let _ = writeln!(
            text,
            "  skipped: tracks with unusable keys ({})",
            skipped.tracks
        );
    }
    if skipped.poses > 0 {
        let _ = writeln!(
            text,
            "  skipped: poses that are not finite ({})",
            skipped.poses
        );
    }
    text
}

fn of_failure(law: &LawReport, failure: &Failure, rig: Option<&Rig>) -> String {
    let (name, states) = (law.law, law.states);
    let mut text = format!("  {BAD}{name}{BAD:#} ({}): {states}\n", law.subject);
    let location = printable(&failure.location);
    let _ = writeln!(
        text,
        "    case {}: {location}: {}",
        failure.case, failure.broken
    );
    let _ = writeln!(text, "    smallest: {}", failure.shrunk);
    if let Some(rig) = rig {
        let _ = writeln!(text, "    rig: {}", printable(&rig.path));
        if let Some(command) = &rig.command {
            let _ = writeln!(text, "    again: {}", printable(command));
        }
    }
    text
}

/// The summary of all models.
#[must_use]
pub fn summary(checked: &[Checked]) -> String {
    let broken = |checked: &Checked| {
        let laws = checked.laws.laws.iter();
        laws.filter(|law| law.failure.is_some()).count()
    };
    let all: usize = checked.iter().map(|checked| checked.laws.laws.len()).sum();
    let count: usize = checked.iter().map(broken).sum();
    let models = match checked.len() {
        1 => "1 model".to_owned(),
        many => format!("{many} models"),
    };
    match (all, count) {
        (0, _) => String::new(),
        (_, 0) => format!("{GOOD}every law holds{GOOD:#} on {models}\n"),
        _ => format!("{BAD}laws broken: {count} of {all}{BAD:#} on {models}\n"),
    }
}

/// The version of the report; the protocol of engines has its own.
const SCHEMA: &str = "skincheck/laws-report/1";

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    /// Whether all models were read and every law holds on them.
    holds: bool,
    seed: u64,
    cases: u32,
    models: Vec<Model<'a>>,
    errors: Vec<Failed<'a>>,
}

#[derive(Serialize)]
#[expect(clippy::struct_field_names, reason = "the name of the JSON field")]
struct Model<'a> {
    model: &'a str,
    holds: bool,
    skipped_tracks: usize,
    skipped_poses: usize,
    laws: Vec<LawJson<'a>>,
}

#[derive(Serialize)]
struct LawJson<'a> {
    law: &'a str,
    /// `rotation`, `vector`, `morph`, `matrix`, `weights`, or the name of a skinner.
    subject: &'a str,
    states: &'a str,
    holds: bool,
    cases: u32,
    failure: Option<FailureJson<'a>>,
}

#[derive(Serialize)]
struct FailureJson<'a> {
    case: u32,
    place: &'a str,
    what: &'a str,
    /// `null` if it is not finite.
    off: f64,
    allowed: f64,
    smallest: &'a str,
    /// Seconds in the rig's clip.
    time: Option<f64>,
    rig: Option<&'a Rig>,
}

/// Renders the report as JSON.
///
/// * `errors` – paths of models that could not be tested, each with the reason.
#[must_use]
pub fn to_json(setting: &Setting, checked: &[Checked], errors: &[(String, String)]) -> String {
    let holds = checked.iter().all(|checked| checked.laws.hold());
    pretty(&Document {
        schema: SCHEMA,
        holds: errors.is_empty() && holds,
        seed: setting.seed,
        cases: setting.cases,
        models: checked.iter().map(model).collect(),
        errors: Failed::all(errors),
    })
}

fn model(checked: &Checked) -> Model<'_> {
    let laws = checked.laws.laws.iter().zip(&checked.rigs);
    Model {
        model: &checked.model,
        holds: checked.laws.hold(),
        skipped_tracks: checked.laws.skipped.tracks,
        skipped_poses: checked.laws.skipped.poses,
        laws: laws
            .map(|(law, rig)| self::law(law, rig.as_ref()))
            .collect(),
    }
}

fn law<'a>(report: &'a LawReport, rig: Option<&'a Rig>) -> LawJson<'a> {
    let failure = report.failure.as_ref().map(|failure| FailureJson {
        case: failure.case,
        place: &failure.location,
        what: &failure.broken.what,
        off: failure.broken.off,
        allowed: failure.broken.allowed,
        smallest: &failure.shrunk.what,
        time: failure.time.map(crate::units::Seconds::get),
        rig,
    });
    LawJson {
        law: report.law,
        subject: &report.subject,
        states: report.states,
        holds: failure.is_none(),
        cases: report.cases,
        failure,
    }
}
