//! The cause of broken laws: the planted fault that breaks the same ones, in the same generated cases and by as much.

use serde::Serialize;

use super::model::failing;
use super::{LawReport, ModelLaws, Options, Subjects};
use crate::rig::{Asset, Skeleton};

/// The faults, one a line: name, description, and its signature. The test suite plants each of them and writes this table.
const TABLE: &str = include_str!("faults.tsv");

/// The share of the signature of an engine that a fault must explain, and the share of its own that must be found, to be named:
/// an engine with two mistakes has no single cause, and a wrong cause costs more than none.
const EXPLAINS: f64 = 0.75;

/// The most faults that are named. More that explain equally much explain nothing.
const MOST_CAUSES: usize = 3;

/// Errors of the same cause differ by rounding, and the table has four digits.
const SAME: f64 = 0.01;

/// Generated cases of a signature. They depend on nothing else.
const CASES: u32 = 32;

/// A planted fault that explains broken laws.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Diagnosis {
    /// Its name.
    pub fault: &'static str,
    /// A description of it.
    pub mistake: &'static str,
    /// The broken laws that it explains, each as subject and law.
    pub laws: Vec<String>,
    /// The number of broken laws.
    pub broken: usize,
}

impl Diagnosis {
    /// The cause in words, with how much it explains.
    #[must_use]
    pub fn sentence(&self) -> String {
        let (mistake, fault) = (self.mistake, self.fault);
        let (explained, broken) = (self.laws.len(), self.broken);
        let laws = if broken == 1 { "law" } else { "laws" };
        format!("looks like: {mistake} ({fault}), explains {explained} of {broken} broken {laws}")
    }

    /// Whether it explains a law.
    #[must_use]
    pub fn explains(&self, law: &LawReport) -> bool {
        self.laws.contains(&subject_and_law(law))
    }
}

/// How an engine breaks a law.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Break {
    /// The subject and the law.
    pub law: String,
    /// The number of the first generated case that breaks it.
    pub case: u32,
    /// By how much, in the unit of the law.
    pub off: f64,
}

impl Break {
    fn is_alike(&self, other: &Self) -> bool {
        let (a, b) = (self.off, other.off);
        let is_near = (a - b).abs() <= SAME * a.abs().max(b.abs());
        let is_same_law = self.law == other.law && self.case == other.case;
        is_same_law && (is_near || a.total_cmp(&b).is_eq() || (a.is_nan() && b.is_nan()))
    }
}

/// The laws that the subjects break in generated cases, which are the same for every model.
///
/// * `options` – of these, the law, the method, the tolerance and the deadline matter.
#[must_use]
pub fn signature(subjects: &Subjects<'_>, options: &Options) -> Vec<Break> {
    let nothing = Asset::of(Skeleton::default());
    let options = Options {
        seed: 1,
        cases: CASES,
        generated: true,
        ..options.clone()
    };
    let laws = failing(&nothing, subjects, &options).into_iter();
    laws.filter_map(|law| {
        let failure = law.failure.as_ref()?;
        Some(Break {
            law: subject_and_law(&law),
            case: failure.case,
            off: failure.broken.off,
        })
    })
    .collect()
}

/// The planted faults that explain most of the broken laws of `found` equally well; none if they are many.
#[must_use]
pub fn diagnose(found: &ModelLaws, subjects: &Subjects<'_>, options: &Options) -> Vec<Diagnosis> {
    let broken = found.laws.iter().filter(|law| law.failure.is_some());
    let broken: Vec<String> = broken.map(subject_and_law).collect();
    if broken.is_empty() {
        return Vec::new();
    }
    explain(TABLE, &signature(subjects, options), &broken)
}

/// A line of the table.
struct Fault<'a> {
    name: &'a str,
    mistake: &'a str,
    signature: Vec<Break>,
}

/// Lines have the columns name, description and signature, with tabs between them; a signature is a list of `subject law case
/// error`.
fn faults(table: &str) -> impl Iterator<Item = Fault<'_>> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| {
        let mut columns = line.split('\t');
        let (name, mistake) = (columns.next()?, columns.next()?);
        let signature = columns.next()?.split(", ").map(|part| {
            let (rest, off) = part.rsplit_once(' ')?;
            let (law, case) = rest.rsplit_once(' ')?;
            Some(Break {
                law: law.to_owned(),
                case: case.parse().ok()?,
                off: off.parse().ok()?,
            })
        });
        Some(Fault {
            name,
            mistake,
            signature: signature.collect::<Option<_>>()?,
        })
    })
}

/// * `broken` – the laws that the engine breaks on a model.
fn explain(table: &'static str, signature: &[Break], broken: &[String]) -> Vec<Diagnosis> {
    let mut causes: Vec<(usize, Diagnosis)> = Vec::new();
    for fault in faults(table) {
        let is_found = |own: &&Break| signature.iter().any(|other| own.is_alike(other));
        let alike = fault.signature.iter().filter(is_found).count();
        let breaks = |law: &&String| fault.signature.iter().any(|own| own.law == **law);
        let laws: Vec<String> = broken.iter().filter(breaks).cloned().collect();
        let is_likely = alike > 0
            && is_most(alike, fault.signature.len())
            && is_most(alike, signature.len())
            && is_most(laws.len(), broken.len());
        if is_likely {
            // What is found and not explained, and the reverse.
            let off = fault.signature.len() + signature.len() - 2 * alike;
            let diagnosis = Diagnosis {
                fault: fault.name,
                mistake: fault.mistake,
                laws,
                broken: broken.len(),
            };
            causes.push((off, diagnosis));
        }
    }
    let best = causes.iter().map(|(off, _)| *off).min();
    causes.retain(|(off, _)| Some(*off) == best);
    if causes.len() > MOST_CAUSES {
        return Vec::new();
    }
    causes.into_iter().map(|(_, cause)| cause).collect()
}

#[expect(clippy::cast_precision_loss, reason = "there are few laws")]
fn is_most(part: usize, whole: usize) -> bool {
    part as f64 >= EXPLAINS * whole as f64
}

/// As in the table, where all skinners are called `skinning`.
fn subject_and_law(law: &LawReport) -> String {
    let subject = match law.subject.as_str() {
        known @ ("rotation" | "vector" | "weights" | "rig") => known,
        _ => "skinning",
    };
    format!("{subject} {}", law.law)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::all_laws;

    const SMALL: &str = "# A comment.\n\
        nlerp\ta normalized lerp\trotation constant-speed 3 1.000e-2, rotation continuous 5 2.000e-2, rig hierarchy 1 5.000e-1\n\
        flat\tnodes do not follow their parents\trig hierarchy 0 2.000e0\n\
        nan\tslerp divides by zero\trotation constant 0 NaN\n\
        same\tthe same as flat\trig hierarchy 0 2.001e0\n";

    fn found(signature: &[(&str, u32, f64)]) -> Vec<&'static str> {
        let breaks = signature.iter().map(|(law, case, off)| Break {
            law: (*law).to_owned(),
            case: *case,
            off: *off,
        });
        let breaks: Vec<Break> = breaks.collect();
        let broken: Vec<String> = breaks.iter().map(|own| own.law.clone()).collect();
        let causes = explain(SMALL, &breaks, &broken).into_iter();
        causes.map(|cause| cause.fault).collect()
    }

    #[test]
    fn a_cause_breaks_the_same_laws_in_the_same_cases_by_as_much() {
        let nlerp = [
            ("rotation constant-speed", 3, 0.010_01),
            ("rotation continuous", 5, 0.02),
            ("rig hierarchy", 1, 0.5),
        ];
        assert_eq!(found(&nlerp), ["nlerp"]);
        assert_eq!(found(&[("rotation constant", 0, f64::NAN)]), ["nan"]);
        assert_eq!(found(&[("rig hierarchy", 0, 2.0)]), ["flat", "same"]);
        assert_eq!(found(&[("rig hierarchy", 0, 1.5)]), [""; 0]);
        assert_eq!(found(&[("rig hierarchy", 1, 2.0)]), [""; 0]);
    }

    #[test]
    fn a_fault_that_explains_little_is_not_named() {
        assert_eq!(found(&[("rotation continuous", 5, 0.02)]), [""; 0]);
        let two = [
            ("rig hierarchy", 0, 2.0),
            ("rotation constant", 0, f64::NAN),
        ];
        assert_eq!(found(&two), [""; 0]);
        assert_eq!(found(&[]), [""; 0]);
    }

    #[test]
    fn the_table_names_laws() {
        let known = all_laws();
        for own in faults(TABLE).flat_map(|fault| fault.signature) {
            let (_, name) = own.law.split_once(' ').expect("a subject and a law");
            assert!(known.iter().any(|(law, _)| *law == name), "{}", own.law);
        }
        let lines = TABLE.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(faults(TABLE).count(), lines, "a line cannot be read");
    }
}
