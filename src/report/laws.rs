//! The report of `laws`.

use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;

use super::codes;
use super::format::{BAD, Format, GOOD, View};
use super::results::{Model, Results};
use crate::laws::{Diagnosis, Failure, LawReport, ModelLaws, Skipped};
use crate::shown::printable;
use crate::units::amount;

/// A model that was tested.
#[derive(Debug)]
pub struct Checked {
    /// Its path.
    pub model: String,
    /// The results.
    pub laws: ModelLaws,
    /// One per law: the simplest rig that breaks it, if it was written.
    pub rigs: Vec<Option<Rig>>,
    /// Why it was not tested to the end, if it was not.
    pub failure: Option<String>,
    /// The causes of the broken laws.
    pub looks_like: Vec<Diagnosis>,
}

impl Checked {
    /// Whether it was tested to the end, and no law is broken.
    fn passes(&self) -> bool {
        self.failure.is_none() && self.laws.hold()
    }
}

/// A file with a rig that breaks a law.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Rig {
    /// The glTF file.
    pub path: String,
    /// The command that shows the failure on it.
    pub command: String,
}

/// The parameters that determine the cases.
#[derive(Debug, Clone)]
pub struct Setting {
    /// The seed.
    pub seed: u64,
    /// Cases per law and model.
    pub cases: u32,
    /// What the tested program says that it is.
    pub engine: Option<String>,
}

/// The lines of one model: one per subject, and more for each broken law.
#[must_use]
pub fn of_model(checked: &Checked) -> String {
    let mut text = format!("{}\n", printable(&checked.model));
    let laws = &checked.laws.laws;
    let mut subjects: Vec<&str> = laws.iter().map(|law| law.subject.as_str()).collect();
    subjects.dedup();
    for subject in subjects {
        let of_subject = || laws.iter().filter(|law| law.subject == subject);
        let broken = of_subject().filter(|law| law.failure.is_some()).count();
        let untested: Vec<&LawReport> = of_subject().filter(|law| !law.is_tested()).collect();
        let count = of_subject().count();
        if untested.len() == count {
            let _ = writeln!(
                text,
                "  {subject:<9} {count:>2} laws: not tested, no case applies"
            );
            continue;
        }
        let cases = of_subject().map(|law| law.cases).max().unwrap_or(0);
        let verdict = match broken {
            0 => format!("{GOOD}held{GOOD:#}"),
            _ => format!("{BAD}{broken} broken{BAD:#}"),
        };
        let tested = count - untested.len();
        let _ = write!(
            text,
            "  {subject:<9} {tested:>2} laws, {cases} cases each: {verdict}"
        );
        if !untested.is_empty() {
            let names: Vec<&str> = untested.iter().map(|law| law.law).collect();
            let _ = write!(text, "; not tested: {}", names.join(", "));
        }
        text += "\n";
    }
    for cause in &checked.looks_like {
        let _ = writeln!(text, "  {BAD}{}{BAD:#}", cause.sentence());
    }
    for (law, rig) in laws.iter().zip(&checked.rigs) {
        if let Some(failure) = &law.failure {
            text += &of_failure(law, failure, rig.as_ref());
        }
    }
    let unsupported: u32 = laws.iter().map(|law| law.unsupported).sum();
    if unsupported > 0 {
        let _ = writeln!(
            text,
            "  skipped: cases that the program does not support ({unsupported})"
        );
    }
    if let Some(failure) = &checked.failure {
        let _ = writeln!(
            text,
            "  {BAD}not tested to the end{BAD:#}: {}",
            printable(failure)
        );
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
    let Failure {
        case,
        location,
        broken,
        ..
    } = failure;
    let _ = writeln!(text, "    case {case}: {location}: {broken}");
    let _ = writeln!(text, "    smallest: {}", failure.shrunk);
    if let Some(rig) = rig {
        let _ = writeln!(text, "    rig: {}", printable(&rig.path));
        let _ = writeln!(text, "    again: {}", printable(&rig.command));
    }
    text
}

/// The summary of all models; empty if no law was tested.
#[must_use]
pub fn summary(checked: &[Checked]) -> String {
    let all = || checked.iter().flat_map(|checked| &checked.laws.laws);
    let broken = all().filter(|law| law.failure.is_some()).count();
    let tested = all().filter(|law| law.is_tested()).count();
    let models = amount(checked.len(), "model");
    match (tested, broken) {
        (0, _) => String::new(),
        _ if checked.iter().any(|checked| checked.failure.is_some()) => {
            format!("{BAD}stopped{BAD:#}: laws broken so far: {broken} of {tested} on {models}\n")
        }
        (_, 0) => format!("{GOOD}every tested law holds{GOOD:#} on {models}\n"),
        _ => format!("{BAD}laws broken: {broken} of {tested}{BAD:#} on {models}\n"),
    }
}

/// What only a test of laws says of a run.
#[derive(Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub(super) struct Run {
    /// Determines the cases.
    seed: u64,
    /// Per law and model.
    cases: u32,
    /// The name and version that the program of `--exec` declares.
    engine: Option<String>,
}

/// What only a test of laws says of a model.
#[derive(Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "testing", schemars(rename = "Laws"))]
pub(super) struct Details<'a> {
    skipped: Skipped,
    /// The planted faults that explain the broken laws.
    looks_like: &'a [Diagnosis],
    laws: Vec<Law<'a>>,
}

/// The result of one law.
#[derive(Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
struct Law<'a> {
    #[serde(flatten)]
    report: &'a LawReport,
    /// `null` if no case applied.
    holds: Option<bool>,
    /// The simplest rig that breaks it; `None` if glTF cannot hold it, or the law holds.
    rig: Option<&'a Rig>,
}

/// Renders the report.
///
/// * `errors` – paths of models that could not be tested, each with the reason.
#[must_use]
pub fn write(
    setting: &Setting,
    (checked, errors): (&[Checked], &[(String, String)]),
    format: Format,
) -> String {
    let models = checked.iter().map(model);
    let run = Run {
        seed: setting.seed,
        cases: setting.cases,
        engine: setting.engine.clone(),
    };
    let results = Results {
        passes: errors.is_empty() && checked.iter().all(Checked::passes),
        declared: codes::of_laws(),
        models: models.chain(errors.iter().map(Model::failed)).collect(),
        ..Results::new("laws", run)
    };
    let text = || {
        let models: String = checked.iter().map(of_model).collect();
        models + &summary(checked)
    };
    results.write((format, View::default()), text, text)
}

fn model(checked: &Checked) -> Model<'_, Details<'_>> {
    let laws = checked
        .laws
        .laws
        .iter()
        .zip(&checked.rigs)
        .map(|(report, rig)| Law {
            report,
            holds: report.is_tested().then_some(report.failure.is_none()),
            rig: rig.as_ref(),
        });
    let findings = checked.laws.laws.iter().filter_map(|law| {
        let mut finding = law.finding()?;
        for cause in checked
            .looks_like
            .iter()
            .filter(|cause| cause.explains(law))
        {
            finding.message += "; ";
            finding.message += &cause.sentence();
        }
        Some(finding)
    });
    Model {
        findings: findings.collect(),
        passes: checked.passes(),
        failure: checked.failure.as_deref(),
        details: Some(Details {
            skipped: checked.laws.skipped,
            looks_like: &checked.looks_like,
            laws: laws.collect(),
        }),
        ..Model::new(Path::new(&checked.model))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::Skipped;

    /// A model with one law of each kind, each with `applied` cases.
    fn checked(applied: u32) -> Checked {
        let law = |subject: &str| LawReport {
            law: "key-time",
            states: "",
            subject: subject.to_owned(),
            cases: 5,
            applied,
            unsupported: 0,
            failure: None,
        };
        let subjects = ["rotation", "vector", "weights", "rig", "cpu"];
        Checked {
            model: "hero.glb".to_owned(),
            laws: ModelLaws {
                laws: subjects.map(law).to_vec(),
                skipped: Skipped::default(),
                stopped: None,
            },
            rigs: vec![None; subjects.len()],
            failure: None,
            looks_like: Vec::new(),
        }
    }

    #[test]
    fn a_law_without_a_case_neither_holds_nor_is_broken() {
        let setting = Setting {
            seed: 1,
            cases: 5,
            engine: None,
        };
        let json = write(&setting, (&[checked(0)], &[]), Format::Json);
        let json: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
        let law = &json["models"][0]["laws"][0];
        assert_eq!(
            (&law["holds"], &law["applied"]),
            (&serde_json::Value::Null, &0.into())
        );
        assert!(!of_model(&checked(0)).contains("held"));
    }
}
