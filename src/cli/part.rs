//! The part of a run that is done: by the changes it is limited to, and by the shard of this process.

use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args as ClapArgs, ValueHint};

use crate::check::{Changes, Shard, ShardError};
use crate::shown;

/// Which part of a run this is.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Scale")]
pub(super) struct ShardArgs {
    /// Run part M of N, balanced by size, such as 3/16
    ///
    /// auto (or auto/N) reads M and N from the CI environment (GitLab, Kubernetes).
    #[arg(long, value_name = "M/N", value_parser = ShardArg::parse, hide_short_help = true)]
    shard: Option<ShardArg>,
}

/// `3/16`, `auto` or `auto/16`.
#[derive(Debug, Clone, Copy)]
enum ShardArg {
    This(Shard),
    Engine(Option<NonZeroUsize>),
}

impl ShardArg {
    fn parse(text: &str) -> Result<Self, ShardError> {
        if text == "auto" {
            return Ok(Self::Engine(None));
        }
        if let Some(count) = text.strip_prefix("auto/") {
            let count = count.parse().map_err(|_| ShardError::Malformed)?;
            return Ok(Self::Engine(Some(count)));
        }
        text.parse().map(Self::This)
    }
}

impl ShardArgs {
    /// Whether `--shard` is given.
    pub(super) fn is_given(&self) -> bool {
        self.shard.is_some()
    }

    /// The requested part, if any.
    pub(super) fn shard(&self) -> Result<Option<Shard>, ShardError> {
        let shard = self.shard.map(|shard| match shard {
            ShardArg::This(shard) => Ok(shard),
            ShardArg::Engine(count) => Shard::from_engine(count, |name| std::env::var(name).ok()),
        });
        shard.transpose()
    }
}

/// Only what has changed.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Changes")]
pub(super) struct ChangeArgs {
    /// Only models that changed since the last common commit with REF
    ///
    /// These are the models that differ from that commit, or whose configuration, approvals or other files do; uncommitted and untracked
    /// files count.
    #[arg(long, value_name = "REF", conflicts_with = "files_from")]
    since: Option<String>,
    /// Only models that the files in this list of changes affect
    ///
    /// These are the models that are in the list, or whose configuration, approvals or other files are. The list has one name per line,
    /// or separates names by NUL as git diff -z does; they are relative to this folder. - reads standard input.
    #[arg(long, value_name = "LIST", value_hint = ValueHint::FilePath, hide_short_help = true)]
    files_from: Option<PathBuf>,
}

impl ChangeArgs {
    /// The list of changed files, if it is a file.
    pub(super) fn list(&self) -> Option<&Path> {
        self.files_from.as_deref().filter(|path| !is_stdin(path))
    }

    /// Whether the list is standard input.
    pub(super) fn are_on_stdin(&self) -> bool {
        self.files_from.as_deref().is_some_and(is_stdin)
    }

    /// The changed files; `None` if the run is not limited to changes.
    pub(super) fn read(&self) -> anyhow::Result<Option<Changes>> {
        if let Some(reference) = &self.since {
            return Ok(Some(Changes::since(reference)?));
        }
        let Some(path) = &self.files_from else {
            return Ok(None);
        };
        let (name, bytes) = if is_stdin(path) {
            let mut bytes = Vec::new();
            let read = io::stdin().lock().read_to_end(&mut bytes);
            ("standard input".to_owned(), read.map(|_| bytes))
        } else {
            (shown::path(path), std::fs::read(path))
        };
        let bytes = bytes.with_context(|| format!("{name}: the list cannot be read"))?;
        let changes = Changes::listed(&bytes);
        Ok(Some(changes.with_context(|| name)?))
    }
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}
