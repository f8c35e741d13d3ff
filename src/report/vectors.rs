//! The files of `vectors`, and the report of `vectors --verify`.

mod files;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anstyle::{AnsiColor, Style};
use schemars::JsonSchema;
use serde::Serialize;

use super::codes;
use super::format::{Format, View};
use super::results::{Model, Results};
use crate::finding::{Finding, Level, Measure, Unit};
use crate::rig::Location;
use crate::shown::printable;
use crate::units::{Seconds, amount};
use crate::vectors::{Compared, Judged, LooksLike, Member, VERSION, Verdict, Wrong};

pub(super) use files::Manifest;
pub(crate) use files::{MANIFEST, files};

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
