//! The results of a shard: a file of JSON lines that is only appended to, so that a shard that is killed loses only the
//! models it was checking.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Serialize};

use super::super::cache::Verdict;
use crate::finding::Level;
use crate::paths::read_large;
use crate::shown::{self, escaped};

/// The name of the format; its number grows with breaking changes.
pub(in crate::check) const SCHEMA: &str = "skincheck/results/4";

/// The first line, which identifies the run and the shard.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::check) struct Header {
    pub(in crate::check) schema: String,
    /// The version of skincheck.
    pub(in crate::check) skincheck: String,
    /// A digest of the settings of every file of the run, and of the import options.
    pub(in crate::check) configuration: String,
    /// The number of files of the run.
    pub(in crate::check) files: usize,
    /// The digest of all [models](split_of) of the run.
    pub(in crate::check) split: String,
    /// From 1.
    pub(in crate::check) shard: usize,
    pub(in crate::check) shards: usize,
    /// The shard's files, by their indices in the whole run.
    pub(in crate::check) models: BTreeMap<usize, Model>,
}

/// One file of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::check) struct Model {
    pub(in crate::check) path: String,
    pub(in crate::check) weight: u64,
}

/// The digest of all models of a run, which decide its split.
pub(in crate::check) fn split_of(models: &BTreeMap<usize, Model>) -> String {
    let models = models.iter();
    digest(models.map(|(index, Model { path, weight })| format!("{index} {weight} {path}")))
}

pub(in crate::check) fn digest(texts: impl Iterator<Item = String>) -> String {
    let mut hasher = blake3::Hasher::new();
    for text in texts {
        hasher.update(text.as_bytes());
        hasher.update(b"\n");
    }
    hasher.finalize().to_hex().to_string()
}

/// Any other line: the result for a file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::check) struct Line {
    /// The index of the file in the whole run.
    pub(in crate::check) index: usize,
    /// Whether some rules were not requested for this file.
    pub(in crate::check) could_cross: bool,
    /// The most important level of the checked rules, if it is not shown.
    pub(in crate::check) hidden: Option<Level>,
    /// Whether the changes to check do not affect the file, so that it was not checked.
    pub(in crate::check) is_unaffected: bool,
    pub(in crate::check) verdict: Verdict,
}

/// Why results cannot be stored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResultsError {
    /// The file or folder cannot be written.
    #[error("{}: results cannot be written", shown::path(path))]
    Unwritable {
        /// The file or its folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The folder holds results of another run.
    #[error(
        "{}: the results come from another run, which differs in {what}; remove them or name another folder",
        shown::path(path)
    )]
    Other {
        /// The file.
        path: PathBuf,
        /// The difference, such as `the configuration`.
        what: &'static str,
    },
    /// The folder holds something else under the shard's name, or damaged results.
    #[error(
        "{}: cannot continue these results; remove them or name another folder",
        shown::path(path)
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The place.
        source: BadResults,
    },
}

/// Why a file is not the results of a shard.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BadResults {
    /// A line does not hold the result of a model.
    #[error("line {line} is damaged")]
    Line {
        /// From 1.
        line: usize,
        /// The cause.
        source: serde_json::Error,
    },
    /// Another version of skincheck wrote them.
    #[error(
        "another version of skincheck wrote them: expected the schema {SCHEMA}, found \"{}\"",
        escaped(found)
    )]
    Schema {
        /// The schema in the file.
        found: String,
    },
}

/// The open file of a shard.
#[derive(Debug)]
pub(in crate::check) struct Results {
    path: PathBuf,
    file: File,
    /// The results of an earlier process for the files of the shard.
    earlier: BTreeMap<usize, Line>,
}

impl Results {
    /// Opens or creates the file of a shard in `folder`.
    pub(in crate::check) fn open(folder: &Path, header: &Header) -> Result<Self, ResultsError> {
        let shard = header.shard;
        let path = folder.join(format!("shard-{shard}-of-{}.jsonl", header.shards));
        let unwritable = |source| ResultsError::Unwritable {
            path: path.clone(),
            source,
        };
        fs::create_dir_all(folder).map_err(unwritable)?;
        let bytes = match read_large(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(unwritable(error)),
        };
        let mut options = OpenOptions::new();
        let mut file = options
            .append(true)
            .create(true)
            .open(&path)
            .map_err(unwritable)?;
        let damaged = |source| ResultsError::Damaged {
            path: path.clone(),
            source,
        };
        let earlier = if let Some((known, lines)) = parse(&bytes).map_err(damaged)? {
            if let Some(what) = known.difference(header) {
                return Err(ResultsError::Other { path, what });
            }
            if !bytes.ends_with(b"\n") {
                file.write_all(b"\n").map_err(unwritable)?;
            }
            lines
        } else {
            file.set_len(0).map_err(unwritable)?;
            let text = serde_json::to_string(header).expect("its keys are numbers or strings");
            file.write_all((text + "\n").as_bytes())
                .map_err(unwritable)?;
            BTreeMap::new()
        };
        Ok(Self {
            path,
            file,
            earlier,
        })
    }

    /// The earlier result for a file.
    pub(in crate::check) fn earlier(&self, index: usize) -> Option<&Verdict> {
        self.earlier.get(&index).map(|line| &line.verdict)
    }

    /// Appends the result for a file, in one write.
    pub(in crate::check) fn add(&mut self, line: &Line) -> Result<(), ResultsError> {
        let text = serde_json::to_string(line).expect("no key is anything but a string") + "\n";
        let written = self.file.write_all(text.as_bytes());
        written.map_err(|source| ResultsError::Unwritable {
            path: self.path.clone(),
            source,
        })
    }
}

/// The part of a header that every version has.
#[derive(Deserialize)]
struct Versioned {
    schema: String,
}

/// The header and the complete lines of a shard, by file.
pub(super) type Parsed = (Header, BTreeMap<usize, Line>);

/// The header and the complete lines; of several lines for one file, the last counts. `None` if there is no complete
/// header. A line that was cut off when its process ended is skipped, so that its file counts as not checked.
///
/// # Errors
///
/// [`BadResults`]: a line was not cut off, and [`Results`] does not write such a line for a model of the header.
pub(super) fn parse(bytes: &[u8]) -> Result<Option<Parsed>, BadResults> {
    let mut texts = bytes.split(|byte| *byte == b'\n');
    let first = texts.next().unwrap_or_default();
    if let Ok(Versioned { schema: found }) = serde_json::from_slice(first)
        && found != SCHEMA
        && found.starts_with(SCHEMA.trim_end_matches(|digit: char| digit.is_ascii_digit()))
    {
        return Err(BadResults::Schema { found });
    }
    let Some(header) = line_of(1, first, Header::is_consistent)? else {
        return Ok(None);
    };
    let mut lines = BTreeMap::new();
    for (number, text) in (2..).zip(texts) {
        if let Some(line) = line_of(number, text, |line| header.promises(line))? {
            lines.insert(line.index, line);
        }
    }
    Ok(Some((header, lines)))
}

/// `None` if the line was cut off.
fn line_of<T: DeserializeOwned>(
    line: usize,
    text: &[u8],
    is_right: impl Fn(&T) -> Result<(), &'static str>,
) -> Result<Option<T>, BadResults> {
    let read = serde_json::from_slice(text).and_then(|read| {
        is_right(&read).map_err(serde_json::Error::custom)?;
        Ok(read)
    });
    match read {
        Ok(read) => Ok(Some(read)),
        Err(error) if error.is_eof() => Ok(None),
        Err(source) => Err(BadResults::Line { line, source }),
    }
}

impl Header {
    fn is_consistent(&self) -> Result<(), &'static str> {
        if self.schema != SCHEMA {
            return Err("not the results of skincheck check --results");
        }
        if !(1..=self.shards).contains(&self.shard) {
            return Err("the shard is not one of the shards");
        }
        Ok(())
    }

    /// Whether `line` is on one of the shard's models.
    fn promises(&self, line: &Line) -> Result<(), &'static str> {
        let promised = self.models.get(&line.index);
        if promised.is_none_or(|model| line.verdict.report.path != Path::new(&model.path)) {
            return Err("the first line does not list this model");
        }
        Ok(())
    }

    /// How it differs from the header of another shard of the same run, if it does.
    pub(super) fn difference(&self, other: &Self) -> Option<&'static str> {
        let mut differences = [
            (
                self.schema != other.schema || self.skincheck != other.skincheck,
                "the version of skincheck",
            ),
            (self.shards != other.shards, "the number of shards"),
            (
                self.files != other.files,
                "the number of models, so one was added or removed in between",
            ),
            (self.split != other.split, "the models or their sizes"),
            (
                self.configuration != other.configuration,
                "the configuration",
            ),
        ]
        .into_iter();
        differences.find_map(|(differs, what)| differs.then_some(what))
    }
}
