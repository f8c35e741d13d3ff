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

/// The combined findings of all shards.
#[derive(Debug)]
pub struct Merged {
    /// The report, as of one run over all files.
    pub report: Report,
    arguments: String,
    micros: BTreeMap<String, u64>,
}

/// Why results cannot be merged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// A file or folder cannot be read.
    #[error("{}: the results cannot be read", shown::path(path))]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A folder has no results.
    #[error("{}: no results (*.jsonl) in this folder", shown::path(path))]
    Empty {
        /// The folder.
        path: PathBuf,
    },
    /// A file does not contain results.
    #[error("{}: not the results of skincheck check --results", shown::path(path))]
    NoResults {
        /// The file.
        path: PathBuf,
    },
    /// The results belong to different runs.
    #[error(
        "{} and {} come from different runs, which differ in {what}{values}",
        shown::path(first),
        shown::path(second)
    )]
    Different {
        /// A file.
        first: PathBuf,
        /// The other file.
        second: PathBuf,
        /// The difference, such as `the configuration`.
        what: &'static str,
        /// Both versions of skincheck, if they differ.
        values: String,
    },
    /// Two files hold the same shard.
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
        /// The other file.
        second: PathBuf,
    },
    /// Two shards hold the same model.
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
        /// The other file.
        second: PathBuf,
    },
    /// Shards are missing.
    #[error("of {count} shards, these are missing: {}", missing.iter().map(usize::to_string).collect::<Vec<_>>().join(", "))]
    MissingShards {
        /// The number of shards.
        count: usize,
        /// Their numbers, from 1.
        missing: Vec<usize>,
    },
    /// A shard did not check all of its files.
    #[error(
        "{}: {} of {models} models are missing: {}; run the shard again, it continues where it stopped",
        shown::path(path),
        missing.len(),
        listed(missing)
    )]
    MissingModels {
        /// The file of the shard.
        path: PathBuf,
        /// The number of files that it has to check.
        models: usize,
        /// The paths of the missing ones.
        missing: Vec<String>,
    },
}

/// The most models that an error names.
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

/// Merges the results of all shards of a run into one report.
///
/// * `paths` – the shards' files, or folders of `*.jsonl`.
///
/// # Errors
///
/// [`MergeError`]: results are missing, duplicate, or of different runs.
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

    /// Stores the times of the run, which the next split uses.
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

/// Checks that all shards are different and belong to one run.
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

/// Checks that all shards are present and complete.
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
