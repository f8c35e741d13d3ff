//! The files of `vectors`, and the report of `vectors --verify`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anstyle::{AnsiColor, Style};
use schemars::JsonSchema;
use serde::Serialize;

use super::codes;
use super::format::{Format, View};
use super::json::pretty;
use super::results::{Model, Results};
use crate::finding::{Finding, Level, Measure, Unit};
use crate::rig::Location;
use crate::shown::printable;
use crate::units::{Seconds, amount, first_few};
use crate::vectors::{
    Compared, Judged, LooksLike, Member, Needs, Set, Tolerance, VERSION, Verdict, Wrong,
};

const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default().bold();

/// What only a run of vectors says.
#[derive(Serialize, JsonSchema)]
#[expect(clippy::struct_field_names, reason = "as in the document")]
pub(super) struct Run<'a> {
    /// Of the set.
    version: u32,
    /// What the engine is judged by.
    tolerance: String,
    /// Cases that count: all but informational ones.
    cases: usize,
    /// Of these, the ones with an answer.
    ran: usize,
    held: usize,
    failed_cases: usize,
    unsupported: usize,
    not_run: usize,
    /// The planted faults that explain failed cases.
    looks_like: &'a [LooksLike<'a>],
}

/// What only a run of vectors says of a case.
#[derive(Serialize, JsonSchema)]
pub(super) struct Details<'a> {
    case: &'static str,
    /// `held`, `failed`, `not-run`, `unsupported` or `unreadable`.
    verdict: &'static str,
    /// Whether the case counts for nothing.
    informational: bool,
    /// What it tests.
    tests: &'static str,
    /// How many transforms of nodes were compared, over all times.
    nodes: usize,
    /// How many positions of vertices were compared, over all times.
    vertices: usize,
    /// Why the engine does not support it.
    reason: Option<&'a str>,
}

/// The outcome of a verification.
pub(crate) struct Verified<'a> {
    /// What the engine is judged by.
    pub(crate) tolerance: String,
    /// The folder of the answers.
    pub(crate) results: &'a Path,
    pub(crate) judged: Judged<'a>,
}

impl Verified<'_> {
    fn count(&self, is: fn(&Verdict) -> bool) -> usize {
        self.judged.count(is)
    }

    fn held(&self) -> usize {
        self.count(|verdict| matches!(verdict, Verdict::Held(_)))
    }

    fn failed(&self) -> usize {
        self.count(|verdict| matches!(verdict, Verdict::Failed(_)))
    }

    /// Answers that were compared.
    pub(crate) fn ran(&self) -> usize {
        self.held() + self.failed()
    }

    /// Answers that cannot be read.
    pub(crate) fn unreadable(&self) -> usize {
        let verdicts = self.judged.cases.iter();
        verdicts
            .filter(|(_, verdict)| matches!(verdict, Verdict::Unreadable(_)))
            .count()
    }

    /// Whether no case failed and some ran.
    pub(crate) fn passes(&self) -> bool {
        self.ran() > 0 && self.failed() == 0 && self.unreadable() == 0
    }

    /// Renders the report.
    pub(crate) fn write(&self, format: Format) -> String {
        let models = self
            .judged
            .cases
            .iter()
            .map(|(member, verdict)| self.model(member, verdict));
        let run = Run {
            version: VERSION,
            tolerance: self.tolerance.clone(),
            cases: self.count(|_| true),
            ran: self.ran(),
            held: self.held(),
            failed_cases: self.failed(),
            unsupported: self.count(|verdict| matches!(verdict, Verdict::Unsupported(_))),
            not_run: self.count(|verdict| matches!(verdict, Verdict::NotRun)),
            looks_like: &self.judged.looks_like,
        };
        let results = Results {
            passes: self.passes(),
            declared: codes::of_vectors(),
            models: models.collect(),
            ..Results::new("vectors", run)
        };
        results.write((format, View::default()), || self.text(), || self.text())
    }

    fn model<'m>(&self, member: &Member, verdict: &'m Verdict) -> Model<'m, Details<'m>> {
        let path = self.path(member);
        let details = Details::of(member, verdict);
        let failed = match verdict {
            Verdict::Failed(wrong) => Some(finding(member, wrong)),
            _ => None,
        };
        let failure = match verdict {
            Verdict::Unreadable(reason) => Some(reason.as_str()),
            _ => None,
        };
        let counts = !member.case.is_informational;
        Model {
            passes: failure.is_none() && (failed.is_none() || !counts),
            findings: failed.into_iter().collect(),
            failure,
            details: Some(details),
            ..Model::new(path)
        }
    }

    fn path(&self, member: &Member) -> PathBuf {
        self.results.join(format!("{}.json", member.case.name))
    }

    /// What did not hold, and the sums.
    fn text(&self) -> String {
        let mut text = String::new();
        for (member, verdict) in &self.judged.cases {
            let name = member.case.name;
            let _ = match verdict {
                Verdict::Failed(wrong) => {
                    let word = if member.case.is_informational {
                        "differs"
                    } else {
                        "failed"
                    };
                    writeln!(
                        text,
                        "{BAD}{word}{BAD:#} {name}: {}\n  {}\n  {}",
                        printable(&wrong.to_string()),
                        member.case.tests,
                        member.case.wrong
                    )
                }
                Verdict::Unreadable(reason) => {
                    writeln!(text, "{BAD}unreadable{BAD:#} {name}: {}", printable(reason))
                }
                Verdict::Unsupported(reason) => {
                    writeln!(text, "unsupported {name}: {}", printable(reason))
                }
                Verdict::Held(_) | Verdict::NotRun => Ok(()),
            };
        }
        for cause in &self.judged.looks_like {
            let LooksLike {
                fault,
                mistake,
                cases,
                fails,
            } = cause;
            let (failed, fails) = (cases.len(), amount(*fails, "case"));
            let _ = writeln!(
                text,
                "{BAD}looks like{BAD:#}: {mistake} ({fault}: {failed} of {fails})"
            );
        }
        text + &self.summary()
    }

    fn summary(&self) -> String {
        let mut text = String::new();
        let names = |is: fn(&Verdict) -> bool| -> Vec<&str> {
            let cases = self.judged.cases.iter().filter(|(_, verdict)| is(verdict));
            cases.map(|(member, _)| member.case.name).collect()
        };
        let not_run = names(|verdict| matches!(verdict, Verdict::NotRun));
        if !not_run.is_empty() {
            let _ = writeln!(text, "not run: {}", not_run.join(", "));
        }
        let without_vertices: fn(&Verdict) -> bool =
            |verdict| matches!(verdict, Verdict::Held(own) if own.vertices == 0);
        let without_nodes: fn(&Verdict) -> bool =
            |verdict| matches!(verdict, Verdict::Held(own) if own.nodes == 0);
        let mut is_whole = true;
        for (what, count) in [
            ("vertices", names(without_vertices).len()),
            ("nodes", names(without_nodes).len()),
        ] {
            if count > 0 {
                let _ = writeln!(text, "answers without {what}: {count}");
                is_whole = false;
            }
        }
        let (all, held) = (self.count(|_| true), self.held());
        let _ = match (is_whole && held == all, self.passes()) {
            (true, true) => writeln!(
                text,
                "{GOOD}all {all} cases hold{GOOD:#} ({})",
                self.tolerance
            ),
            (false, true) => writeln!(
                text,
                "{GOOD}cases held: {held} of {all}{GOOD:#}, none failed ({})",
                self.tolerance
            ),
            _ => {
                let failed = self.failed();
                writeln!(
                    text,
                    "{BAD}cases held: {held} of {all}, failed: {failed}{BAD:#} ({})",
                    self.tolerance
                )
            }
        };
        text
    }
}

impl<'a> Details<'a> {
    fn of(member: &Member, verdict: &'a Verdict) -> Self {
        let compared = match verdict {
            Verdict::Held(compared) => *compared,
            _ => Compared::default(),
        };
        Self {
            case: member.case.name,
            verdict: match verdict {
                Verdict::Held(_) => "held",
                Verdict::Failed(_) => "failed",
                Verdict::NotRun => "not-run",
                Verdict::Unsupported(_) => "unsupported",
                Verdict::Unreadable(_) => "unreadable",
            },
            informational: member.case.is_informational,
            tests: member.case.tests,
            nodes: compared.nodes,
            vertices: compared.vertices,
            reason: match verdict {
                Verdict::Unsupported(reason) => Some(reason),
                _ => None,
            },
        }
    }
}

fn finding(member: &Member, wrong: &Wrong) -> Finding {
    let case = member.case;
    let level = if case.is_informational {
        Level::Info
    } else {
        Level::Error
    };
    let message = format!("{}: {wrong}", case.name);
    let (location, measure) = match wrong {
        Wrong::Shape(_) => (Location::FILE, None),
        Wrong::Value(worst) => {
            let place = match worst.vertex {
                None => Location::joint(&worst.node),
                Some((_, vertex)) => Location::mesh(&worst.node).vertex(vertex),
            };
            let measure = Measure {
                unit: Unit::Length,
                value: worst.off,
                limit: Some(worst.allowed),
            };
            (place.at(Seconds(worst.time)), Some(measure))
        }
    };
    Finding {
        measure,
        ..Finding::new(codes::VECTOR_FAILED, level, location, message)
    }
}

/// The name of the format; its number grows with breaking changes.
const SCHEMA: &str = "skincheck/vectors/1";

/// The file that lists the others.
pub(crate) const MANIFEST: &str = "manifest.json";

/// `manifest.json`: what is in the set.
#[derive(Serialize, JsonSchema)]
pub(in crate::report) struct Manifest<'a> {
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// Of the set: grows with every change of a file or an expected number.
    version: u32,
    /// How the tolerances follow.
    derivation: &'static str,
    cases: Vec<CaseJson<'a>>,
    faults: Vec<FaultJson<'a>>,
}

/// A case.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Case")]
struct CaseJson<'a> {
    name: &'static str,
    /// The model.
    gltf: String,
    /// The expected result, as JSON.
    expected: String,
    /// The same, for `skincheck diff`.
    reference: String,
    /// What it tests.
    tests: &'static str,
    /// What a wrong engine shows.
    a_wrong_engine: &'static str,
    /// The section of glTF 2.0 that requires it.
    section: &'static str,
    /// Whether glTF leaves the result open; the case counts for nothing.
    informational: bool,
    /// The times of its clip at which it is posed, in seconds.
    times: &'a [f64],
    needs: Needs,
    /// The largest errors that are allowed in f32 at any of the times.
    tolerance: Tolerance,
    /// The planted faults that it catches.
    catches: Vec<&'a str>,
}

/// A planted fault: an engine that is right but for one mistake.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Fault")]
struct FaultJson<'a> {
    name: &'a str,
    /// In words.
    mistake: &'a str,
    /// The cases that catch it.
    caught_by: Vec<&'static str>,
}

const DERIVATION: &str = "A tolerance is derived from the roundings of glTF's formulas in f32, with times and phases in f32 too: \
    a sampled rotation may be off by 2.5e-6 radians and a vector by 16 * 2^-24 of its largest key; products of transforms and the \
    weighted sum of a vertex add 8 and 24 * 2^-24 of the magnitudes of their terms.";

/// Names and contents, the manifest last.
pub(crate) fn files(set: &Set) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for member in &set.members {
        let name = member.case.name;
        files.push((format!("{name}.gltf"), member.gltf.clone().into_bytes()));
        files.push((
            format!("{name}.json"),
            pretty(&member.answer()).into_bytes(),
        ));
        files.push((format!("{name}.skref"), member.reference().to_bytes()));
    }
    files.push(("README.md".to_owned(), readme(set).into_bytes()));
    files.push((MANIFEST.to_owned(), pretty(&manifest(set)).into_bytes()));
    files
}

fn manifest(set: &Set) -> Manifest<'_> {
    let faults: Vec<FaultJson<'_>> = set
        .faults()
        .map(|(name, mistake, caught_by)| FaultJson {
            name,
            mistake,
            caught_by,
        })
        .collect();
    let cases = set.members.iter().map(|member| {
        let name = member.case.name;
        let caught = set.faults().filter(|(_, _, cases)| cases.contains(&name));
        CaseJson {
            name,
            gltf: format!("{name}.gltf"),
            expected: format!("{name}.json"),
            reference: format!("{name}.skref"),
            tests: member.case.tests,
            a_wrong_engine: member.case.wrong,
            section: member.case.section,
            informational: member.case.is_informational,
            times: &member.times,
            needs: member.needs(),
            tolerance: member.tolerance(),
            catches: caught.map(|(fault, ..)| fault).collect(),
        }
    });
    Manifest {
        schema: SCHEMA,
        version: VERSION,
        derivation: DERIVATION,
        cases: cases.collect(),
        faults,
    }
}

/// The most cases that a row of the README names.
const MOST_NAMED: usize = 6;

fn readme(set: &Set) -> String {
    let mut text =
        format!("# Conformance vectors for engines that read glTF, version {VERSION}\n\n{README}");
    for (name, mistake, cases) in set.faults() {
        let named = first_few(cases.iter().map(|case| format!("`{case}`")), MOST_NAMED);
        let _ = writeln!(text, "| {mistake} (`{name}`) | {named} |");
    }
    text += "\n## Cases\n\n| file | tests | a wrong engine | glTF 2.0 |\n|---|---|---|---|\n";
    for member in &set.members {
        let case = member.case;
        let note = if case.is_informational {
            " (informational)"
        } else {
            ""
        };
        let (name, tests, wrong, section) = (case.name, case.tests, case.wrong, case.section);
        let _ = writeln!(
            text,
            "| `{name}.gltf`{note} | {tests} | {wrong} | {section} |"
        );
    }
    text
}

const README: &str = "\
Small glTF files that test one thing each, and the posed nodes and vertices that glTF's formulas give in double precision.

1. `manifest.json` lists the cases, with the times at which each is posed and what an engine must support for it.
2. Load `NAME.gltf`, play its only animation at each time, and compute all vertices with their morph targets and skins.
3. Compare with `NAME.json`: for each time the global transform of each node (16 numbers, column by column) and the positions of each
   primitive in world space, in the order of the file. `tolerance` says how far an entry of a transform and a vertex may be off in f32.
4. Or write your results to `RESULTS/NAME.json` in the same format, without `tolerance`, and let skincheck judge:
   `skincheck vectors --verify THIS_FOLDER RESULTS`. It names the worst node or vertex, and the mistake that fails the same cases.
5. `{\"unsupported\": \"why\"}` answers a case that your engine does not support. A case without a file counts as not run.
6. `NAME.skref` has the same numbers for `skincheck diff NAME.skref YOURS.skref`.

A mesh with a skin is moved by its joints alone. Times before the first key and after the last one have the value of that key.
Informational cases are not valid glTF and do not count.

## Mistakes, and the cases that catch them

The table is measured: each mistake is planted in an otherwise correct engine.

| mistake | caught by |
|---|---|
";
