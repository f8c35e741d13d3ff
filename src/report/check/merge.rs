//! One report from the JSON reports of all shards of a run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::super::results::Summary;
use super::Details;
use super::shard::ShardJson;
use crate::check::record::{self, RecordError};
use crate::check::{FileReport, Report, RunPart};
use crate::finding::{Cause, Code, Finding, Level};
use crate::paths::real_folder;
use crate::rig::Location;
use crate::shown;

/// Why reports cannot be merged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// A file is not a report.
    #[error("{}", shown::path(path))]
    NoReport {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: RecordError,
    },
    /// A report cannot be merged with any other.
    #[error("{}: {reason}", shown::path(path))]
    Refused {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: Refusal,
    },
    /// Two reports belong to different runs.
    #[error("{} and {} come from different runs, which differ in {what}", shown::path(&paths[0]), shown::path(&paths[1]))]
    Different {
        /// The files.
        paths: [PathBuf; 2],
        /// The difference, such as `the configuration`.
        what: &'static str,
    },
    /// Two reports are of the same shard.
    #[error("duplicate shard {shard}: {} and {}", shown::path(&paths[0]), shown::path(&paths[1]))]
    Doubled {
        /// From 1.
        shard: usize,
        /// The files.
        paths: [PathBuf; 2],
    },
    /// Shards are missing; their numbers in words.
    #[error("missing shards: {0}")]
    Missing(String),
    /// The shards together have other models than the run.
    #[error("the models of the shards are not those of the run; run all shards again")]
    NoRun,
}

/// Why a report cannot be merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// It is not that of a shard.
    #[error("the report of a whole run; only those of check --shard can be merged")]
    NoShard,
    /// It lacks the findings that a baseline accepts.
    #[error(
        "a baseline was applied to this shard; run it without, and name the baseline for the merged report"
    )]
    WithBaseline,
    /// The run was interrupted before it had checked this number of models.
    #[error("the run was interrupted, and {0} of its models are missing; run the shard again")]
    Interrupted(usize),
    /// A model has a code that no rule has.
    #[error(
        "unknown rule {code} in models[{model}], expected a rule that skincheck rules lists; run the shard again"
    )]
    UnknownRule {
        /// The index of the model.
        model: usize,
        /// The code.
        code: Code,
    },
    /// It contradicts itself.
    #[error("the report is damaged: it contradicts itself; run the shard again")]
    Damaged,
}

/// The most shards that an error names.
const MOST_NAMED: usize = 10;

/// The fields of a report that others are computed from, or compared with.
#[derive(Deserialize)]
struct Record {
    passes: bool,
    interrupted: usize,
    summary: Summary,
    accepted: Option<IgnoredAny>,
    unaffected: usize,
    shard: Option<ShardJson>,
    models: Vec<ModelRecord>,
}

#[derive(Deserialize)]
struct ModelRecord {
    path: PathBuf,
    failure: Option<String>,
    findings: Vec<FindingRecord>,
    #[serde(flatten)]
    details: Details,
}

#[derive(Deserialize)]
struct FindingRecord {
    #[serde(flatten)]
    finding: Finding,
    follows_from: Option<Code>,
    explained_by: Option<usize>,
}

impl From<ModelRecord> for FileReport {
    /// Its settings are those of the shard.
    fn from(model: ModelRecord) -> Self {
        let locations: Vec<Location> = model
            .findings
            .iter()
            .map(|record| record.finding.location.clone())
            .collect();
        let findings = model.findings.into_iter().map(|record| Finding {
            cause: record.finding.cause.map(|cause| {
                let Some(code) = record.follows_from else {
                    return cause;
                };
                match record.explained_by.and_then(|index| locations.get(index)) {
                    Some(location) => Cause::Finding {
                        code,
                        location: Box::new(location.clone()),
                    },
                    None => Cause::Unlisted {
                        code,
                        words: cause.to_string(),
                    },
                }
            }),
            ..record.finding
        });
        let details = model.details;
        Self {
            path: model.path,
            importer: details.importer,
            notes: details.notes,
            config: details.config.map(PathBuf::from),
            preset: details.preset,
            engine: details.engine,
            conversions: details.conversions,
            failure: model.failure,
            findings: findings.collect(),
            unchecked: details.unchecked,
            thinned: details.thinned,
            coverage: details.coverage,
            measures: details.measures,
            ..Self::default()
        }
    }
}

/// Merges the JSON reports of all shards of a run into its report.
///
/// # Errors
///
/// [`MergeError`]: reports are damaged, missing, duplicate, or of different runs.
pub fn merge(paths: &[PathBuf]) -> Result<Report, MergeError> {
    let mut shards: BTreeMap<usize, (&Path, Report, RunPart)> = BTreeMap::new();
    for path in paths {
        let (report, part) = read(path)?;
        if let Some((first, _, known)) = shards.values().next() {
            ensure_same_run((first, known), (path, &part))?;
        }
        let shard = part.shard.number();
        if let Some((first, ..)) = shards.insert(shard, (path, report, part)) {
            let paths = [first.to_owned(), path.clone()];
            return Err(MergeError::Doubled { shard, paths });
        }
    }
    let (mut files, mut hidden) = (BTreeMap::new(), Vec::new());
    let (mut found, mut models, mut count) = (0, 0, 0);
    let mut report = Report {
        folder: real_folder(Path::new(".")),
        ..Report::default()
    };
    let numbers: Vec<usize> = shards.keys().copied().collect();
    for (_, shard, part) in shards.into_values() {
        (models, count) = (part.run.models, part.shard.count.get());
        report.unaffected += shard.unaffected;
        if shard.files.len() + shard.unaffected > 0 {
            hidden.push(shard.hidden);
        }
        found += shard.files.len();
        files.extend(part.indices.into_iter().zip(shard.files));
    }
    if numbers.len() < count {
        return Err(MergeError::Missing(missing(&numbers, count)));
    }
    if files.len() != found || found.checked_add(report.unaffected) != Some(models) {
        return Err(MergeError::NoRun);
    }
    report.files = files.into_values().collect();
    let hidden: Option<Vec<Level>> = hidden.into_iter().collect();
    report.hidden = hidden.and_then(|levels| levels.into_iter().max());
    Ok(report)
}

/// The report of a shard.
fn read(path: &Path) -> Result<(Report, RunPart), MergeError> {
    let record = record::read(path).map_err(|source| MergeError::NoReport {
        path: path.to_owned(),
        source,
    })?;
    restored(record).map_err(|reason| MergeError::Refused {
        path: path.to_owned(),
        reason,
    })
}

fn restored(record: Record) -> Result<(Report, RunPart), Refusal> {
    let shard = record.shard.ok_or(Refusal::NoShard)?;
    if record.accepted.is_some() {
        return Err(Refusal::WithBaseline);
    }
    if record.interrupted > 0 {
        return Err(Refusal::Interrupted(record.interrupted));
    }
    let mut report = Report {
        files: record.models.into_iter().map(FileReport::from).collect(),
        unaffected: record.unaffected,
        ..Report::default()
    };
    let part = shard.complete(&mut report).ok_or(Refusal::Damaged)?;
    let mut unknown = report
        .files
        .iter()
        .map(FileReport::unknown_rule)
        .enumerate();
    if let Some((model, code)) = unknown.find_map(|(model, code)| Some((model, code?))) {
        return Err(Refusal::UnknownRule { model, code });
    }
    let files = report.files.iter();
    let summary = Summary::of(files.map(|file| (file.failure.is_some(), &*file.findings)));
    let is_consistent = summary == record.summary && report.passes() == record.passes;
    is_consistent
        .then_some((report, part))
        .ok_or(Refusal::Damaged)
}

/// Checks that two shards, each with its file, belong to one run.
fn ensure_same_run(
    (first, known): (&Path, &RunPart),
    (second, part): (&Path, &RunPart),
) -> Result<(), MergeError> {
    let other_count = (known.shard.count != part.shard.count).then_some("the number of shards");
    let Some(what) = known.run.difference(&part.run).or(other_count) else {
        return Ok(());
    };
    let paths = [first.to_owned(), second.to_owned()];
    Err(MergeError::Different { paths, what })
}

/// In words, such as `2, 5 (of 8)`.
///
/// * `present` – the numbers of other shards.
fn missing(present: &[usize], count: usize) -> String {
    let absent = (1..=count).filter(|number| !present.contains(number));
    let first: Vec<String> = absent
        .take(MOST_NAMED.min(count - present.len()))
        .map(|number| number.to_string())
        .collect();
    let more = match count - present.len() - first.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more} (of {count})", first.join(", "))
}
