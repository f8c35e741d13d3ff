//! The results of a shard: a file of JSON lines that is only appended to, so that a shard that is killed loses only the
//! models it was checking.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::super::cache::Verdict;
use crate::lint::Level;
use crate::paths::read_large_text;
use crate::shown;

/// The name of the format; its number grows with breaking changes.
pub(super) const SCHEMA: &str = "skincheck/results/1";

/// The first line, which identifies the run and the shard.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::check) struct Header {
    pub(in crate::check) schema: String,
    /// The version of skincheck.
    pub(in crate::check) skincheck: String,
    /// A digest of the settings of every file of the run, and of the import options.
    pub(in crate::check) configuration: String,
    /// A digest of the files of the run and their weights.
    pub(in crate::check) split: String,
    /// A digest of the arguments that name the files.
    pub(in crate::check) arguments: String,
    /// From 1.
    pub(in crate::check) shard: usize,
    pub(in crate::check) shards: usize,
    /// The indices of the shard's files in the whole run.
    pub(in crate::check) models: BTreeMap<usize, String>,
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
        let text = match read_large_text(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(unwritable(error)),
        };
        let mut options = OpenOptions::new();
        let mut file = options
            .append(true)
            .create(true)
            .open(&path)
            .map_err(unwritable)?;
        let begun = text.split_once('\n').and_then(|(first, rest)| {
            let header: Header = serde_json::from_str(first).ok()?;
            Some((header, rest))
        });
        let earlier = if let Some((known, rest)) = begun {
            if let Some(what) = known.difference(header) {
                return Err(ResultsError::Other { path, what });
            }
            if !rest.is_empty() && !rest.ends_with('\n') {
                file.write_all(b"\n").map_err(unwritable)?;
            }
            lines(rest).collect()
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

/// The complete lines, by file; of several for one file, the last. A line that was cut off when its process ended is
/// skipped, so its file counts as not checked.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, Line)> {
    let lines = text.lines();
    lines.filter_map(|line| {
        let line: Line = serde_json::from_str(line).ok()?;
        Some((line.index, line))
    })
}

impl Default for Header {
    fn default() -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            skincheck: String::new(),
            configuration: String::new(),
            split: String::new(),
            arguments: String::new(),
            shard: 1,
            shards: 1,
            models: BTreeMap::new(),
        }
    }
}

impl Header {
    /// How it differs from the header of another shard of the same run, if it does.
    pub(super) fn difference(&self, other: &Self) -> Option<&'static str> {
        let differences = [
            (
                self.schema != other.schema || self.skincheck != other.skincheck,
                "the version of skincheck",
            ),
            (
                self.configuration != other.configuration,
                "the configuration",
            ),
            (self.shards != other.shards, "the number of shards"),
            (self.split != other.split, "the files or their weights"),
        ];
        let mut differences = differences.into_iter();
        differences.find_map(|(differs, what)| differs.then_some(what))
    }
}
