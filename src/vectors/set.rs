//! The generated set, and an engine's answers to all of it.

use schemars::JsonSchema;
use serde::Serialize;

use super::answer::{Answer, Compared, Wrong};
use super::cases;
use super::faults::{self, Fault};
use super::member::Member;
use crate::laws::{Capabilities, explain, is_near};

/// All cases, and the planted faults that they catch.
pub(crate) struct Set {
    pub(crate) members: Vec<Member>,
    pub(super) faults: Vec<Fault>,
    /// For each fault, what it gets wrong.
    pub(super) caught: Vec<Vec<Caught>>,
}

/// A case that a fault fails.
#[derive(Debug, Clone)]
pub(super) struct Caught {
    /// Its index in the set.
    pub(super) case: usize,
    /// The error.
    pub(super) off: f64,
}

impl Set {
    /// * `capabilities` – what the tolerance of engines follows from.
    pub(crate) fn new(capabilities: &Capabilities) -> Self {
        let tolerance = capabilities.tolerance();
        let members: Vec<Member> = cases::all()
            .map(|case| Member::new(case, &tolerance))
            .collect();
        let faults = faults::all();
        let caught = faults.iter().map(|fault| {
            let failed = members.iter().enumerate().filter_map(|(index, member)| {
                let wrong = member.judge(&fault.answer(member)?).err()?;
                Some(Caught {
                    case: index,
                    off: wrong.off(),
                })
            });
            failed.collect()
        });
        Self {
            caught: caught.collect(),
            faults,
            members,
        }
    }

    /// The planted faults with the cases that catch them: name, description, names of cases. Faults that no case catches are
    /// left out.
    pub(crate) fn faults(&self) -> impl Iterator<Item = (&str, &str, Vec<&'static str>)> {
        let all = self
            .faults
            .iter()
            .zip(&self.caught)
            .filter(|(_, caught)| !caught.is_empty());
        all.map(|(fault, caught)| {
            let cases = caught.iter().map(|one| self.members[one.case].case.name);
            (fault.name, fault.mistake, cases.collect())
        })
    }
}

/// The outcome of a case.
#[derive(Debug, Clone)]
pub(crate) enum Verdict {
    /// What was compared is right.
    Held(Compared),
    Failed(Wrong),
    /// There is no answer, or one without nodes and vertices.
    NotRun,
    /// The engine says why it does not answer.
    Unsupported(String),
    /// The answer cannot be read; the reason.
    Unreadable(String),
}

/// All cases, judged.
pub(crate) struct Judged<'a> {
    pub(crate) cases: Vec<(&'a Member, Verdict)>,
    /// The planted faults that explain failures.
    pub(crate) looks_like: Vec<LooksLike<'a>>,
}

/// A planted fault.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Fault")]
pub(crate) struct LooksLike<'a> {
    /// Its name.
    pub(crate) fault: &'a str,
    /// A description of it.
    pub(crate) mistake: &'a str,
    /// The failed cases that it fails.
    pub(crate) cases: Vec<&'static str>,
    /// The number of cases that were run and that it fails.
    pub(crate) fails: usize,
}

/// * `answers` – one per member of the set: `None` without an answer, an error for one that cannot be read.
pub(crate) fn judge(set: &Set, answers: Vec<Option<Result<Answer, String>>>) -> Judged<'_> {
    let cases: Vec<(&Member, Verdict)> = set
        .members
        .iter()
        .zip(answers)
        .map(|(member, answer)| (member, verdict(member, answer)))
        .collect();
    Judged {
        looks_like: looks_like(set, &cases),
        cases,
    }
}

fn verdict(member: &Member, answer: Option<Result<Answer, String>>) -> Verdict {
    let answer = match answer {
        None => return Verdict::NotRun,
        Some(Err(reason)) => return Verdict::Unreadable(reason),
        Some(Ok(answer)) => answer,
    };
    if let Some(reason) = answer.unsupported {
        return Verdict::Unsupported(reason);
    }
    match member.judge(&answer) {
        Ok(compared) if compared == Compared::default() => Verdict::NotRun,
        Ok(compared) => Verdict::Held(compared),
        Err(wrong) => Verdict::Failed(wrong),
    }
}

/// Informational cases say nothing about faults.
fn looks_like<'a>(set: &'a Set, cases: &[(&Member, Verdict)]) -> Vec<LooksLike<'a>> {
    let counts = |index: usize| !set.members[index].case.is_informational;
    let failed: Vec<Caught> = cases
        .iter()
        .enumerate()
        .filter_map(|(case, (_, verdict))| match verdict {
            Verdict::Failed(wrong) if counts(case) => Some(Caught {
                case,
                off: wrong.off(),
            }),
            _ => None,
        })
        .collect();
    let ran = |case: usize| matches!(cases[case].1, Verdict::Held(_) | Verdict::Failed(_));
    let causes: Vec<Vec<Caught>> = set
        .caught
        .iter()
        .map(|caught| {
            let caught = caught
                .iter()
                .filter(|one| counts(one.case) && ran(one.case));
            caught.cloned().collect()
        })
        .collect();
    let broken: Vec<&Caught> = failed.iter().collect();
    let is_alike = |a: &Caught, b: &Caught| a.case == b.case && is_near(a.off, b.off);
    let explained = explain(&broken, &causes, |a, b| a.case == b.case, is_alike)
        .into_iter()
        .map(|(index, hits)| LooksLike {
            fault: set.faults[index].name,
            mistake: set.faults[index].mistake,
            cases: hits
                .iter()
                .map(|hit| set.members[hit.case].case.name)
                .collect(),
            fails: causes[index].len(),
        });
    explained.collect()
}

impl Judged<'_> {
    /// How many of the cases that count have such a verdict.
    pub(crate) fn count(&self, is: impl Fn(&Verdict) -> bool) -> usize {
        let cases = self
            .cases
            .iter()
            .filter(|(member, _)| !member.case.is_informational);
        cases.filter(|(_, verdict)| is(verdict)).count()
    }
}
