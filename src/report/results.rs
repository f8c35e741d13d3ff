//! The results of a command, as the machine-readable formats take them, whatever the command: findings in the order of
//! their causes, and the fingerprints by which other programs recognize a finding in the next run.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::escape::uri;
use crate::check::Accepted;
use crate::check::baseline::subject;
use crate::finding::{Code, Finding, Level};
use crate::fix::Patch;
use crate::paths::seen_from;
use crate::rig::Location;
use crate::shown::{self, printable};
use crate::units::amount;

/// The results of a command.
///
/// * `R` – what only this command says of the run.
/// * `D` – what only this command says of a model.
pub(super) struct Results<'a, R, D> {
    /// The name of the command.
    pub(super) command: &'static str,
    /// Whether nothing makes the run fail.
    pub(super) passes: bool,
    /// The number of models that were not examined because the run was interrupted.
    pub(super) interrupted: usize,
    /// The folder that code scanning sees paths from; `None` leaves them as they are.
    pub(super) folder: Option<&'a Path>,
    /// The result of the comparison with a baseline, if there is one.
    pub(super) accepted: Option<&'a Accepted>,
    /// Parts of configurations without effect.
    pub(super) unused_settings: Vec<UnusedSetting>,
    /// The codes that findings may have.
    pub(super) declared: Vec<Declared>,
    pub(super) run: R,
    pub(super) models: Vec<Model<'a, D>>,
}

/// The results for a model.
pub(super) struct Model<'a, D> {
    pub(super) path: Cow<'a, Path>,
    /// For people: the path, or both paths.
    pub(super) title: String,
    /// Why it could not be examined, or not to the end.
    pub(super) failure: Option<&'a str>,
    pub(super) findings: Cow<'a, [Finding]>,
    /// The lowest level that makes the run fail.
    pub(super) fails_from: Level,
    /// Whether nothing about it makes the run fail.
    pub(super) passes: bool,
    /// The tests that JUnit shows, if they are not the findings.
    pub(super) tests: Option<Vec<Case>>,
    /// Rules without findings, and rules that could not be checked, for JUnit.
    pub(super) others: Vec<Case>,
    /// One per finding, or empty.
    pub(super) images: Vec<Shown>,
    /// The replacements of bytes that remove all findings of a code.
    pub(super) patches: &'a [(Code, Vec<Patch>)],
    /// `None` for a model that was not examined.
    pub(super) details: Option<D>,
}

/// The description of a code.
#[derive(Debug, Clone)]
pub(super) struct Declared {
    pub(super) code: Code,
    /// In kebab case.
    pub(super) name: &'static str,
    /// The topic of a rule, or the stage of a difference.
    pub(super) family: &'static str,
    /// Unless it is configured otherwise.
    pub(super) level: Level,
    /// Whether it is looked for without being asked for.
    pub(super) enabled: bool,
    /// In one sentence.
    pub(super) about: String,
    /// Its page in Markdown, if it has one.
    pub(super) page: Option<String>,
}

/// A part of a configuration without effect.
#[derive(Clone, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub(super) struct UnusedSetting {
    /// The configuration; `None` for the settings of the run as a whole.
    pub(super) path: Option<String>,
    /// From 1; `None` for the configuration as a whole.
    pub(super) line: Option<usize>,
    /// From 1, in characters.
    pub(super) column: Option<usize>,
    /// In words.
    pub(super) message: String,
}

impl UnusedSetting {
    /// With the location, as `file:line:column: message`.
    pub(super) fn sentence(&self) -> String {
        let number = |number: Option<usize>| number.map(|number| number.to_string());
        let place = [self.path.clone(), number(self.line), number(self.column)];
        let place: Vec<String> = place.into_iter().flatten().collect();
        let all = [place.join(":"), self.message.clone()];
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let all: Vec<&str> = all.into_iter().filter(|part| !part.is_empty()).collect();
        printable(&all.join(": "))
    }
}

/// A test.
#[derive(Clone)]
pub(super) struct Case {
    pub(super) name: String,
    pub(super) outcome: Outcome,
}

/// How a test ended. Texts may have several lines.
#[derive(Clone)]
pub(super) enum Outcome {
    Passed,
    /// With an output.
    Said(String),
    Skipped(String),
    Failed(Cause),
    /// What was to be tested could not be.
    Error(Cause),
}

/// Why a test does not pass.
#[derive(Clone)]
pub(super) struct Cause {
    /// In kebab case.
    pub(super) kind: &'static str,
    /// One line.
    pub(super) message: String,
    /// Everything.
    pub(super) text: String,
}

impl Cause {
    /// With the lines of its text; the first is the message.
    pub(super) fn new(kind: &'static str, lines: &[String]) -> Self {
        Self {
            kind,
            message: lines.first().cloned().unwrap_or_default(),
            text: lines.join("\n"),
        }
    }
}

/// How to see a finding.
#[derive(Clone, Default, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub(super) struct Shown {
    /// The path of its close-up.
    pub(super) image: Option<String>,
    /// The command that draws it.
    pub(super) render: Option<String>,
}

/// The number of models and findings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub(super) struct Summary {
    /// Entries in `models`.
    models: usize,
    /// Models that could not be examined.
    failed: usize,
    /// Findings of level `error`.
    errors: usize,
    /// Findings of level `warning`.
    warnings: usize,
    /// Findings of level `hint`.
    hints: usize,
    /// Findings of level `info`.
    infos: usize,
}

impl Summary {
    /// * `models` – whether each could not be examined, and its findings.
    pub(super) fn of<'a>(models: impl Iterator<Item = (bool, &'a [Finding])>) -> Self {
        let mut summary = Self::default();
        for (has_failed, findings) in models {
            summary.models += 1;
            summary.failed += usize::from(has_failed);
            for finding in findings {
                match finding.level {
                    Level::Error => summary.errors += 1,
                    Level::Warning => summary.warnings += 1,
                    Level::Hint => summary.hints += 1,
                    Level::Info => summary.infos += 1,
                }
            }
        }
        summary
    }
}

impl<R, D> Results<'_, R, D> {
    /// Of a run that failed before it examined a model.
    pub(super) fn new(command: &'static str, run: R) -> Self {
        Self {
            command,
            passes: false,
            interrupted: 0,
            folder: None,
            accepted: None,
            unused_settings: Vec::new(),
            declared: Vec::new(),
            run,
            models: Vec::new(),
        }
    }

    /// The path of a model relative to the program's folder, however it was named: code scanning finds it in a repository by that
    /// path.
    pub(super) fn seen(&self, model: &Model<'_, D>) -> PathBuf {
        match self.folder {
            Some(folder) => seen_from(folder, &model.path),
            None => model.path.to_path_buf(),
        }
    }

    /// Counts models and findings.
    pub(super) fn summary(&self) -> Summary {
        let models = self.models.iter();
        Summary::of(models.map(|model| (model.failure.is_some(), &*model.findings)))
    }

    /// The description of a code, and its index.
    pub(super) fn declared(&self, code: Code) -> Option<(usize, &Declared)> {
        let mut declared = self.declared.iter().enumerate();
        declared.find(|(_, declared)| declared.code == code)
    }

    /// The message that the run was interrupted, if it was.
    pub(super) fn unfinished(&self) -> Option<String> {
        let files = amount(self.interrupted, "file");
        (self.interrupted > 0).then(|| format!("interrupted, {files} not checked"))
    }
}

impl<'a, D> Model<'a, D> {
    /// A model without findings.
    pub(super) fn new(path: impl Into<Cow<'a, Path>>) -> Self {
        let path = path.into();
        Self {
            title: shown::path(&path),
            path,
            failure: None,
            findings: Cow::default(),
            fails_from: Level::Error,
            passes: true,
            tests: None,
            others: Vec::new(),
            images: Vec::new(),
            patches: &[],
            details: None,
        }
    }

    /// A model that could not be examined.
    pub(super) fn failed((path, reason): &'a (String, String)) -> Self {
        Self {
            failure: Some(reason),
            passes: false,
            ..Self::new(Path::new(path))
        }
    }

    /// The number of findings of `level`.
    pub(super) fn count(&self, level: Level) -> usize {
        let findings = self.findings.iter();
        findings.filter(|finding| finding.level == level).count()
    }
}

/// Each finding, and the number of earlier ones with the same code and subject.
pub(super) fn numbered(findings: &[Finding]) -> impl Iterator<Item = (&Finding, usize)> {
    let mut counts: BTreeMap<_, usize> = BTreeMap::new();
    findings.iter().map(move |finding| {
        let before = counts.entry((finding.code, subject(&finding.location)));
        let before = before.and_modify(|count| *count += 1).or_default();
        (finding, *before)
    })
}

/// The fingerprint of a finding. It stays the same as long as the code, the file, the names, and the number of earlier findings with
/// the same ones do.
///
/// * `before` – that number.
pub(super) fn fingerprint(path: &Path, code: &str, location: &Location, before: usize) -> String {
    let (path, subject, before) = (uri(path), subject(location), before.to_string());
    let parts = [code, &path, &subject, &before];
    hash(if before == "0" { &parts[..3] } else { &parts })
}

/// FNV-1a over the parts, with separators.
fn hash(parts: &[&str]) -> String {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(PRIME);
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
    format!("{:016x}", bytes.fold(OFFSET, step))
}

/// A finding that no other one of the model explains, and those that it explains, by index.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) cause: usize,
    pub(super) consequences: Vec<usize>,
}

impl Group {
    /// The highest level of its findings.
    fn level(&self, findings: &[Finding]) -> Level {
        let consequences = self.consequences.iter();
        let levels = consequences.map(|index| findings[*index].level);
        levels.fold(findings[self.cause].level, Level::max)
    }
}

/// The index of the finding in the list that explains `finding`.
pub(super) fn explained_by(findings: &[Finding], finding: &Finding) -> Option<usize> {
    finding.cause.as_ref()?;
    findings.iter().position(|cause| cause.explains(finding))
}

/// The findings of a model, each with its consequences. A finding whose cause is not in the list stands alone.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Groups {
    /// With an error or a warning, in the order of the findings.
    pub(super) certain: Vec<Group>,
    /// Without: the hints, then the infos.
    pub(super) worth_a_look: Vec<Group>,
}

impl Groups {
    /// The headings of those worth a look, each with its groups: the hints, and the infos.
    pub(super) fn headed(&self, findings: &[Finding]) -> [(&'static str, &[Group]); 2] {
        let is_hint = |group: &Group| group.level(findings) == Level::Hint;
        let hints = self.worth_a_look.partition_point(is_hint);
        let (hints, infos) = self.worth_a_look.split_at(hints);
        [(WORTH_A_LOOK, hints), (WORTH_KNOWING, infos)]
    }

    /// All of them, in the order in which reports show them.
    pub(super) fn all(&self) -> impl Iterator<Item = &Group> {
        self.certain.iter().chain(&self.worth_a_look)
    }
}

/// The headings of hints and of infos.
const WORTH_A_LOOK: &str = "Worth a look";
const WORTH_KNOWING: &str = "Worth knowing";

/// Groups of one rule and level without consequences are one kind.
pub(super) fn alike<'a>(groups: &'a [Group], findings: &[Finding]) -> Vec<Vec<&'a Group>> {
    let mut kinds: Vec<Vec<&Group>> = Vec::new();
    for group in groups {
        let finding = &findings[group.cause];
        let fits = |first: &Group| {
            let other = &findings[first.cause];
            let is_single = [group, first].iter().all(|one| one.consequences.is_empty());
            is_single && (finding.code, finding.level) == (other.code, other.level)
        };
        match kinds.iter_mut().find(|kind| fits(kind[0])) {
            Some(kind) => kind.push(group),
            None => kinds.push(vec![group]),
        }
    }
    kinds
}

/// Groups the findings of a model by their causes.
pub(super) fn groups(findings: &[Finding]) -> Groups {
    let causes = findings
        .iter()
        .map(|finding| explained_by(findings, finding));
    let causes: Vec<Option<usize>> = causes.collect();
    // The first of a chain. A report from elsewhere may hold a circle, whose findings stand alone.
    let root = |index: usize| {
        let chain = std::iter::successors(Some(index), |index| causes[*index]);
        let last = chain.take(findings.len()).last().unwrap_or(index);
        if causes[last].is_none() { last } else { index }
    };
    let mut consequences = vec![Vec::new(); findings.len()];
    let mut roots = Vec::new();
    for index in 0..findings.len() {
        match root(index) {
            root if root == index => roots.push(index),
            root => consequences[root].push(index),
        }
    }
    let groups = roots.into_iter().map(|cause| Group {
        cause,
        consequences: std::mem::take(&mut consequences[cause]),
    });
    let is_certain = |group: &Group| group.level(findings) >= Level::Warning;
    let (certain, mut worth_a_look): (Vec<Group>, Vec<Group>) = groups.partition(is_certain);
    worth_a_look.sort_by_key(|group| Reverse(group.level(findings)));
    Groups {
        certain,
        worth_a_look,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Cause, Code, Level};
    use crate::rig::Location;

    fn finding(code: &'static str, cause: Option<&'static str>) -> Finding {
        at_level(code, Level::Warning, cause)
    }

    fn at_level(code: &'static str, level: Level, cause: Option<&'static str>) -> Finding {
        let mesh = || Location::mesh("Body");
        let mut finding = Finding::new(Code(code), level, mesh(), "is off");
        finding.cause = cause.map(|code| Cause::Finding {
            code: Code(code),
            location: Box::new(mesh()),
        });
        finding
    }

    #[test]
    fn chains_end_at_one_cause_and_a_missing_cause_hides_nothing() {
        let findings = [
            finding("W119", Some("H314")),
            finding("D602", Some("W119")),
            finding("D604", Some("W104")),
            finding("H314", None),
        ];
        let of = |cause, consequences: &[usize]| Group {
            cause,
            consequences: consequences.to_vec(),
        };
        assert_eq!(groups(&findings).certain, [of(2, &[]), of(3, &[0, 1])]);
    }

    #[test]
    fn a_hint_is_below_all_that_is_certain_unless_it_explains_an_error() {
        let findings = [
            at_level("W112", Level::Info, None),
            at_level("W114", Level::Hint, None),
            at_level("D601", Level::Error, Some("W119")),
            at_level("W119", Level::Hint, None),
            at_level("D602", Level::Hint, Some("W114")),
            finding("W106", None),
        ];
        let causes = |groups: &[Group]| groups.iter().map(|group| group.cause).collect();
        let Groups {
            certain,
            worth_a_look,
        } = groups(&findings);
        let shown: [Vec<usize>; 2] = [causes(&certain), causes(&worth_a_look)];
        assert_eq!(shown, [vec![3, 5], vec![1, 0]]);
    }

    #[test]
    fn findings_that_claim_to_explain_each_other_are_all_shown() {
        let findings = [
            finding("D602", Some("W119")),
            finding("W119", Some("D602")),
            finding("W104", Some("W104")),
            finding("D604", Some("D602")),
        ];
        let shown = groups(&findings);
        assert!(shown.certain.iter().map(|group| group.cause).eq(0..4));
    }
}
