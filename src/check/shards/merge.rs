//! One report from the results of all shards.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::super::report::Report;
use super::results::{BadResults, Header, Line, parse, split_of};
use crate::paths::{read_large, real_folder};
use crate::shown::{self, printable, unicode};

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
    /// A line of a file is not what `--results` writes.
    #[error(
        "{}: these results cannot be used; remove the file and run the shard again",
        shown::path(path)
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The place.
        source: BadResults,
    },
    /// The shards together are not the run that their headers name.
    #[error(
        "{}: the models of the shards are not those of the run; run all shards again",
        shown::path(path)
    )]
    NoRun {
        /// The file of the first shard.
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
    #[error("{}", doubled(*shard, first, second))]
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
    #[error("missing shards: {} (of {count})", listed(first, *missing))]
    MissingShards {
        /// The number of shards.
        count: usize,
        /// The number of missing ones.
        missing: usize,
        /// The numbers of the first of them, from 1.
        first: Vec<String>,
    },
    /// A shard did not check all of its files.
    #[error(
        "{}: {} of {models} models are missing: {}; run the shard again, it continues where it stopped",
        shown::path(path),
        missing.len(),
        listed(missing, missing.len())
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

/// The message for a shard whose results are in `first` and in `second`.
fn doubled(shard: usize, first: &Path, second: &Path) -> String {
    let [first, second] = [first, second].map(shown::path);
    if first == second {
        format!("{first}: these results are named twice")
    } else {
        format!("duplicate shard {shard}: {first} and {second}")
    }
}

/// * `count` – the number of all, of which `names` may hold only the first.
fn listed(names: &[String], count: usize) -> String {
    let named: Vec<String> = names
        .iter()
        .take(MOST_NAMED)
        .map(|name| printable(name))
        .collect();
    let more = match count.saturating_sub(MOST_NAMED) {
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
pub fn merge(paths: &[PathBuf]) -> Result<Report, MergeError> {
    let mut parts = Vec::new();
    for path in files(paths)? {
        parts.push(Part::read(path)?);
    }
    let Some(first) = parts.first() else {
        let path = PathBuf::from(".");
        return Err(MergeError::Empty { path });
    };
    let (split, path) = (first.header.split.clone(), first.path.clone());
    compare(&parts)?;
    missing(&parts, first.header.shards)?;
    let models = parts.iter().flat_map(|part| part.header.models.clone());
    let is_run = split_of(&models.collect()) == split;
    let mut all: BTreeMap<usize, (PathBuf, Line)> = BTreeMap::new();
    for part in parts {
        for (index, line) in part.lines {
            if let Some((first, line)) = all.get(&index) {
                return Err(MergeError::DoubledModel {
                    model: unicode(&line.verdict.report.path),
                    first: first.clone(),
                    second: part.path,
                });
            }
            all.insert(index, (part.path.clone(), line));
        }
    }
    if !is_run {
        return Err(MergeError::NoRun { path });
    }
    Ok(report(all.into_values().map(|(_, line)| line).collect()))
}

fn report(lines: Vec<Line>) -> Report {
    let (unaffected, lines): (Vec<Line>, Vec<Line>) =
        lines.into_iter().partition(|line| line.is_unaffected);
    let hidden: Option<Vec<_>> = lines.iter().map(|line| line.hidden).collect();
    let mut report = Report {
        folder: real_folder(Path::new(".")),
        unaffected: unaffected.len(),
        hidden: hidden.and_then(|levels| levels.into_iter().max()),
        ..Report::default()
    };
    for line in lines {
        let file = line.verdict.report;
        report.left_out |= line.could_cross && file.failure.is_none();
        report.files.push(file);
    }
    report
}

impl Part {
    fn read(path: PathBuf) -> Result<Self, MergeError> {
        let bytes = match read_large(&path) {
            Ok(bytes) => bytes,
            Err(source) => return Err(MergeError::Unreadable { path, source }),
        };
        match parse(&bytes) {
            Ok(Some((header, lines))) => Ok(Self {
                path,
                header,
                lines,
            }),
            Ok(None) => Err(MergeError::NoResults { path }),
            Err(source) => Err(MergeError::Damaged { path, source }),
        }
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

/// Checks that all shards are present and complete. They are different, and none is above `count`.
fn missing(parts: &[Part], count: usize) -> Result<(), MergeError> {
    let missing = count - parts.len();
    if missing > 0 {
        let is_there = |shard: &usize| parts.iter().any(|part| part.header.shard == *shard);
        let first = (1..=count)
            .filter(|shard| !is_there(shard))
            .take(missing.min(MOST_NAMED));
        return Err(MergeError::MissingShards {
            count,
            missing,
            first: first.map(|shard| shard.to_string()).collect(),
        });
    }
    for part in parts {
        let models = &part.header.models;
        let missing: Vec<String> = models
            .iter()
            .filter(|(index, _)| !part.lines.contains_key(index))
            .map(|(_, model)| model.path.clone())
            .collect();
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
