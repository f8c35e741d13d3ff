//! One report from the results of all shards.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::super::cache::Cache;
use super::super::report::{FileReport, Report};
use super::results::{Header, Line, SCHEMA, lines};
use crate::paths::{read_large_text, real_folder};
use crate::shown::{self, printable};

/// The findings of all shards.
#[derive(Debug)]
pub struct Merged {
    /// As one run over all files reports it.
    pub report: Report,
    arguments: String,
    micros: BTreeMap<String, u64>,
}

/// Why there is no report from these results.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// The system refuses.
    #[error("{}: the results cannot be read", shown::path(path))]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// In the system's words.
        source: io::Error,
    },
    /// A folder without results.
    #[error("{}: no results (*.jsonl) in this folder", shown::path(path))]
    Empty {
        /// The folder.
        path: PathBuf,
    },
    /// Something else than results.
    #[error("{}: not the results of skincheck check --results", shown::path(path))]
    NoResults {
        /// The file.
        path: PathBuf,
    },
    /// Results of different runs.
    #[error(
        "{} and {} come from different runs, which differ in {what}{values}",
        shown::path(first),
        shown::path(second)
    )]
    Different {
        /// A file.
        first: PathBuf,
        /// Another one.
        second: PathBuf,
        /// Such as `the configuration`.
        what: &'static str,
        /// The two versions.
        values: String,
    },
    /// A shard that is there twice.
    #[error(
        "shard {shard} is there twice: {} and {}",
        shown::path(first),
        shown::path(second)
    )]
    Doubled {
        /// From 1.
        shard: usize,
        /// A file.
        first: PathBuf,
        /// Another one.
        second: PathBuf,
    },
    /// A model in two shards.
    #[error(
        "{} is in two shards: {} and {}",
        printable(model),
        shown::path(first),
        shown::path(second)
    )]
    DoubledModel {
        /// Its path.
        model: String,
        /// A file.
        first: PathBuf,
        /// Another one.
        second: PathBuf,
    },
    /// Shards that are not there.
    #[error("of {count} shards, these are missing: {}", missing.iter().map(usize::to_string).collect::<Vec<_>>().join(", "))]
    MissingShards {
        /// How many there are.
        count: usize,
        /// From 1.
        missing: Vec<usize>,
    },
    /// Files that a shard has not got to.
    #[error(
        "{}: {} of {models} models are missing: {}; run the shard again, it continues where it stopped",
        shown::path(path),
        missing.len(),
        listed(missing)
    )]
    MissingModels {
        /// The file of the shard.
        path: PathBuf,
        /// How many it has to check.
        models: usize,
        /// Their paths.
        missing: Vec<String>,
    },
}

/// Most models that an error names.
const MOST_NAMED: usize = 10;

fn listed(models: &[String]) -> String {
    let named = models.iter().take(MOST_NAMED).map(|model| printable(model));
    let named: Vec<String> = named.collect();
    let more = match models.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    named.join(", ") + &more
}

/// The results of one shard.
struct Part {
    path: PathBuf,
    header: Header,
    lines: BTreeMap<usize, Line>,
}

/// One report from the results of all shards of a run.
///
/// * `paths` – their files, or folders of `*.jsonl`.
///
/// # Errors
///
/// [`MergeError`]: something is missing, is there twice, or is of another run.
pub fn merge(paths: &[PathBuf]) -> Result<Merged, MergeError> {
    let mut parts = Vec::new();
    for path in files(paths)? {
        parts.push(Part::read(path)?);
    }
    let Some(first) = parts.first() else {
        let path = PathBuf::from(".");
        return Err(MergeError::Empty { path });
    };
    let (arguments, count) = (first.header.arguments.clone(), first.header.shards);
    compare(&parts)?;
    missing(&parts, count)?;
    let mut all: BTreeMap<usize, (PathBuf, Line)> = BTreeMap::new();
    for part in parts {
        for (index, line) in part.lines {
            if let Some((first, line)) = all.get(&index) {
                return Err(MergeError::DoubledModel {
                    model: line.verdict.report.path.clone(),
                    first: first.clone(),
                    second: part.path,
                });
            }
            all.insert(index, (part.path.clone(), line));
        }
    }
    let mut merged = Merged {
        report: Report {
            folder: real_folder(Path::new(".")),
            ..Report::default()
        },
        arguments,
        micros: BTreeMap::new(),
    };
    let hidden = all.values().map(|(_, line)| line.hidden);
    let hidden: Option<Vec<_>> = hidden.collect();
    merged.report.hidden = hidden.and_then(|levels| levels.into_iter().max());
    for (path, line) in all.into_values() {
        merged.add(path, line)?;
    }
    Ok(merged)
}

impl Merged {
    fn add(&mut self, path: PathBuf, line: Line) -> Result<(), MergeError> {
        let record = line.verdict.report;
        self.micros.insert(record.path.clone(), line.verdict.micros);
        let file: FileReport = record.report().ok_or(MergeError::NoResults { path })?;
        self.report.left_out |= line.could_cross && file.failure.is_none();
        self.report.files.push(file);
        Ok(())
    }

    /// Keeps the times of the run, by which the next one is split.
    pub fn keep_timings(&self, cache: &Cache) {
        cache.keep_timings(&self.arguments, &self.micros);
    }
}

impl Part {
    fn read(path: PathBuf) -> Result<Self, MergeError> {
        let text = match read_large_text(&path) {
            Ok(text) => text,
            Err(source) => return Err(MergeError::Unreadable { path, source }),
        };
        let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
        let header = serde_json::from_str(first).ok();
        let header = header.filter(|header: &Header| header.schema == SCHEMA);
        let Some(header) = header else {
            return Err(MergeError::NoResults { path });
        };
        let lines = lines(rest).collect();
        Ok(Self {
            path,
            header,
            lines,
        })
    }
}

fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, MergeError> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let entries = fs::read_dir(path).map_err(|source| MergeError::Unreadable {
            path: path.clone(),
            source,
        })?;
        let inside = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let results = |file: &PathBuf| file.extension().is_some_and(|end| end == "jsonl");
        let mut inside: Vec<PathBuf> = inside.filter(results).collect();
        inside.sort();
        if inside.is_empty() {
            return Err(MergeError::Empty { path: path.clone() });
        }
        files.append(&mut inside);
    }
    Ok(files)
}

/// Whether all are different shards of the same run.
fn compare(parts: &[Part]) -> Result<(), MergeError> {
    let mut known: BTreeMap<usize, &Path> = BTreeMap::new();
    for part in parts {
        let first = &parts[0];
        if let Some(what) = first.header.difference(&part.header) {
            let versions = (&first.header.skincheck, &part.header.skincheck);
            let values = if versions.0 == versions.1 {
                String::new()
            } else {
                printable(&format!(" ({} and {})", versions.0, versions.1))
            };
            return Err(MergeError::Different {
                first: first.path.clone(),
                second: part.path.clone(),
                what,
                values,
            });
        }
        let shard = part.header.shard;
        if let Some(first) = known.insert(shard, &part.path) {
            return Err(MergeError::Doubled {
                shard,
                first: first.to_owned(),
                second: part.path.clone(),
            });
        }
    }
    Ok(())
}

/// Whether every shard is there, with each of its models.
fn missing(parts: &[Part], count: usize) -> Result<(), MergeError> {
    let is_there = |shard: &usize| parts.iter().any(|part| part.header.shard == *shard);
    let missing: Vec<usize> = (1..=count).filter(|shard| !is_there(shard)).collect();
    if !missing.is_empty() {
        return Err(MergeError::MissingShards { count, missing });
    }
    for part in parts {
        let models = &part.header.models;
        let missing = models
            .iter()
            .filter(|(index, _)| !part.lines.contains_key(index));
        let missing: Vec<String> = missing.map(|(_, model)| model.clone()).collect();
        if !missing.is_empty() {
            return Err(MergeError::MissingModels {
                path: part.path.clone(),
                models: models.len(),
                missing,
            });
        }
    }
    Ok(())
}
