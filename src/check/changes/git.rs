//! What has changed in a git repository.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::list::path;
use crate::shown::escaped;

/// Why git cannot tell what has changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GitError {
    /// The program cannot be started.
    #[error("cannot start git, which finds the changed files; install it, or use --files-from")]
    NoGit(#[source] io::Error),
    /// The current folder is not in the working tree of a repository.
    #[error("git finds no working tree in this folder: {reason}")]
    NoRepository {
        /// In git's words.
        reason: String,
    },
    /// There is no such commit.
    #[error("git knows no commit \"{}\"{}", escaped(reference), shallow(*is_shallow))]
    UnknownCommit {
        /// The name.
        reference: String,
        /// Whether the repository lacks older commits.
        is_shallow: bool,
    },
    /// The commit and the current one have no common ancestor.
    #[error(
        "the current commit and \"{}\" have no common ancestor{}",
        escaped(reference),
        shallow(*is_shallow)
    )]
    Unrelated {
        /// The name.
        reference: String,
        /// Whether the repository lacks older commits.
        is_shallow: bool,
    },
    /// A command fails.
    #[error("git {command} fails: {reason}")]
    Failed {
        /// The command.
        command: &'static str,
        /// In git's words.
        reason: String,
    },
}

fn shallow(is_shallow: bool) -> &'static str {
    if is_shallow {
        "; the clone is shallow, so fetch the history first (git fetch --unshallow; for actions/checkout, fetch-depth: 0)"
    } else {
        ""
    }
}

/// A changed file relative to the top of the repository, and whether it is new or gone.
type Changed = (PathBuf, bool);

/// The top of the current repository, and what has changed in it since the last common commit with `reference`.
///
/// # Reference
///
/// git-diff(1), "RAW OUTPUT FORMAT"; git-ls-files(1). With `-z`, names are as they are.
pub(super) fn changed(reference: &str) -> Result<(PathBuf, Vec<Changed>), GitError> {
    let here = Path::new(".");
    let top = git(here, &["rev-parse", "--show-toplevel"])?;
    let top = top.map_err(|reason| GitError::NoRepository { reason })?;
    let top = top.strip_suffix(b"\n").unwrap_or(&top);
    let top = path(top).unwrap_or_else(|| here.to_owned());
    let base = base(&top, reference)?;
    let run = |command: &'static str, arguments: &[&str]| {
        let all: Vec<&str> = [command].iter().chain(arguments).copied().collect();
        git(&top, &all)?.map_err(|reason| GitError::Failed { command, reason })
    };
    let options = "--name-status -z --no-renames --no-ext-diff --ignore-submodules=none";
    let options: Vec<&str> = options.split(' ').chain([base.as_str(), "--"]).collect();
    let differing = run("diff", &options)?;
    let untracked = run("ls-files", &["--others", "--exclude-standard", "-z"])?;
    let mut changed = Vec::new();
    let mut words = differing.split(|byte| *byte == 0);
    while let (Some(status), Some(name)) = (words.next(), words.next()) {
        changed.extend(path(name).map(|name| (name, matches!(status, b"A" | b"D"))));
    }
    let names = untracked.split(|byte| *byte == 0);
    let names = names.filter(|name| !name.is_empty()).filter_map(path);
    changed.extend(names.map(|name| (name, true)));
    Ok((top, changed))
}

/// The last common commit of `reference` and the current one.
fn base(top: &Path, reference: &str) -> Result<String, GitError> {
    let is_shallow = || {
        let answer = git(top, &["rev-parse", "--is-shallow-repository"]);
        matches!(answer, Ok(Ok(text)) if text.starts_with(b"true"))
    };
    let owned = || reference.to_owned();
    let commit = format!("{reference}^{{commit}}");
    // A name that begins with a dash would be an option.
    let known = if reference.starts_with('-') {
        None
    } else {
        git(top, &["rev-parse", "--verify", "--quiet", &commit])?.ok()
    };
    let text = |answer: Vec<u8>| String::from_utf8_lossy(&answer).trim().to_owned();
    let commit = known.map(text).ok_or_else(|| GitError::UnknownCommit {
        reference: owned(),
        is_shallow: is_shallow(),
    })?;
    let base = git(top, &["merge-base", "HEAD", &commit])?;
    base.map(text).map_err(|_| GitError::Unrelated {
        reference: owned(),
        is_shallow: is_shallow(),
    })
}

/// The output of git in `folder`, or the first line of its message if it fails.
fn git(folder: &Path, arguments: &[&str]) -> Result<Result<Vec<u8>, String>, GitError> {
    let mut command = Command::new("git");
    command
        .args(["-c", "diff.relative=false"])
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        // Only reads: the index is not refreshed on disk.
        .env("GIT_OPTIONAL_LOCKS", "0");
    let output = command.output().map_err(GitError::NoGit)?;
    if output.status.success() {
        return Ok(Ok(output.stdout));
    }
    let message = String::from_utf8_lossy(&output.stderr);
    let line = message.lines().next().unwrap_or("no message");
    let line = line.strip_prefix("fatal: ").unwrap_or(line);
    Ok(Err(line.to_owned()))
}
