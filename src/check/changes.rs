//! Changed files, by a list or as git states them, and the models that they affect.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::process::{Command, Stdio};

use super::config::{Config, FILE_NAME};
use super::shards::digest;
use crate::paths::{named, real, real_folder};
use crate::shown::{escaped, unicode};

/// A set of changed files. A model is checked only if it, its configuration, or a file that it reads is one of them.
///
/// Paths are compared without regard to case, because a file system may ignore it: two files whose names differ only in
/// case both count as changed.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// Files, and folders whose content has changed as a whole.
    files: BTreeSet<String>,
    /// The new and deleted ones among them, by their names without extension.
    by_stem: BTreeMap<String, BTreeSet<String>>,
    /// The folders of those among them that may be, or have been, folders or links themselves.
    around_folders: BTreeSet<String>,
    /// What is known: files elsewhere may have changed. `None` if everything is.
    within: Option<PathBuf>,
}

impl Changes {
    /// The files that differ from the last common commit of `reference` and the current one in the repository of the
    /// current folder, whether that is committed or not, and files that git neither knows nor ignores.
    ///
    /// # Errors
    ///
    /// [`GitError`].
    pub fn since(reference: &str) -> Result<Self, GitError> {
        let (top, changed) = changed(reference)?;
        let mut changes = Self::default();
        for (path, is_new_or_gone) in changed {
            changes.add(&top.join(path), is_new_or_gone);
        }
        changes.within = Some(real_folder(&top));
        Ok(changes)
    }

    /// The files that `list` names, relative to the current folder: separated by NUL if it contains one, else one per line.
    ///
    /// # Errors
    ///
    /// [`ListError`].
    pub fn listed(list: &[u8]) -> Result<Self, ListError> {
        let mut changes = Self::default();
        for path in listed_paths(list)? {
            changes.add(&path, true);
        }
        Ok(changes)
    }

    fn add(&mut self, path: &Path, is_new_or_gone: bool) {
        let path = real(path);
        let key = key(&path);
        if is_new_or_gone {
            let alike = self.by_stem.entry(stem(&path)).or_default();
            alike.insert(key.clone());
            let metadata = path.symlink_metadata();
            if !metadata.is_ok_and(|metadata| metadata.is_file()) {
                let folder = path.parent().unwrap_or(&path);
                self.around_folders.insert(self::key(folder));
            }
        }
        self.files.insert(key);
    }

    /// Whether a model has changed itself, or a configuration that applies to it or that did, or a skeleton that one
    /// names.
    ///
    /// * `is_nearest` – whether its configuration is the nearest one above it.
    pub(crate) fn include(&self, model: &Path, config: Option<&Config>, is_nearest: bool) -> bool {
        if self.has(model) {
            return true;
        }
        let mut configs = config.iter().flat_map(|config| config.paths());
        let mut skeletons = config.iter().flat_map(|config| config.skeletons());
        if configs.any(|config| self.has(config)) || skeletons.any(|skeleton| self.has(&skeleton)) {
            return true;
        }
        let model = named(model);
        let above = model.ancestors().skip(1);
        // A nearer configuration may have been deleted.
        let nearest = config.map(Config::folder);
        let mut nearer = above.take_while(|folder| Some(real_folder(folder).as_path()) != nearest);
        is_nearest && nearer.any(|folder| self.lists(&real(&folder.join(FILE_NAME))))
    }

    /// Whether one of `files`, which a model has read, looked for or listed, has changed, or a new or deleted file could stand
    /// in for one: it has the same name but for case and extension, and is in a listed folder or below.
    pub(crate) fn affect(&self, files: impl Iterator<Item = PathBuf>) -> bool {
        let files: Vec<PathBuf> = files.collect();
        let stems: BTreeSet<String> = files.iter().map(|file| stem(file)).collect();
        let stand_ins: Vec<&BTreeSet<String>> = stems
            .iter()
            .filter_map(|stem| self.by_stem.get(stem))
            .collect();
        files.iter().any(|file| {
            let folder = key(&real_folder(file));
            self.has(file)
                || self.around_folders.contains(&folder)
                || stand_ins.iter().any(|paths| has_below(paths, &folder))
        })
    }

    /// Whether `folder`, or a file in it, has changed.
    pub(crate) fn include_folder(&self, folder: &Path) -> bool {
        self.has(folder) || has_below(&self.files, &key(&real_folder(folder)))
    }

    /// Whether `path` has changed, by its own name or by that of the file that it leads to, or a link on the way.
    fn has(&self, path: &Path) -> bool {
        let names = [Some(real(path)), path.canonicalize().ok()];
        self.lists(&named(path))
            || names.iter().flatten().any(|name| {
                let is_known = self
                    .within
                    .as_ref()
                    .is_none_or(|within| name.starts_with(within));
                !is_known || self.lists(name)
            })
    }

    fn lists(&self, path: &Path) -> bool {
        let mut paths = path.ancestors();
        !self.files.is_empty() && paths.any(|path| self.files.contains(&key(path)))
    }

    /// A digest of the set, the same in every checkout.
    pub(super) fn digest(&self) -> String {
        let here = key(&real_folder(Path::new(".")));
        digest(
            self.files
                .iter()
                .map(|path| path.strip_prefix(&here).unwrap_or(path).to_owned()),
        )
    }
}

fn key(path: &Path) -> String {
    unicode(path).to_lowercase()
}

/// The name without its extension.
fn stem(path: &Path) -> String {
    key(Path::new(path.file_stem().unwrap_or_default()))
}

/// Whether one of `paths` is below `folder`.
fn has_below(paths: &BTreeSet<String>, folder: &str) -> bool {
    let separated = folder.ends_with(MAIN_SEPARATOR);
    let inside = if separated {
        folder.to_owned()
    } else {
        format!("{folder}{MAIN_SEPARATOR}")
    };
    let mut later = paths.range(inside.clone()..);
    later.next().is_some_and(|path| path.starts_with(&inside))
}

/// Why a list of files cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ListError {
    /// A name is quoted, as git prints names that are not ASCII.
    #[error(
        "line {line}: the name is quoted; write names separated by NUL, such as with git diff -z"
    )]
    Quoted {
        /// From 1.
        line: usize,
    },
    /// A name is not Unicode, which this system requires.
    #[error("entry {number}: the name is not Unicode")]
    NotUnicode {
        /// From 1.
        number: usize,
    },
}

/// The paths in `list`, separated by NUL if it contains one, else one per line. Empty ones are skipped.
fn listed_paths(list: &[u8]) -> Result<Vec<PathBuf>, ListError> {
    let is_separated_by_nul = list.contains(&0);
    let separator = if is_separated_by_nul { 0 } else { b'\n' };
    let mut listed_paths = Vec::new();
    for (number, mut name) in (1..).zip(list.split(|byte| *byte == separator)) {
        if !is_separated_by_nul {
            name = name.strip_suffix(b"\r").unwrap_or(name);
            if name.len() > 1 && name.starts_with(b"\"") && name.ends_with(b"\"") {
                return Err(ListError::Quoted { line: number });
            }
        }
        if !name.is_empty() {
            listed_paths.push(path(name).ok_or(ListError::NotUnicode { number })?);
        }
    }
    Ok(listed_paths)
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "as on other systems")]
pub(super) fn path(name: &[u8]) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    Some(std::ffi::OsStr::from_bytes(name).into())
}

#[cfg(not(unix))]
pub(super) fn path(name: &[u8]) -> Option<PathBuf> {
    Some(std::str::from_utf8(name).ok()?.into())
}

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
    let top = git(here, &["rev-parse", "--show-toplevel"])?
        .map_err(|reason| GitError::NoRepository { reason })?;
    let top = top.strip_suffix(b"\n").unwrap_or(&top);
    let top = path(top).unwrap_or_else(|| here.to_owned());
    let base = base(&top, reference)?;
    let run = |command: &'static str, arguments: &[&str]| {
        let all: Vec<&str> = [command].iter().chain(arguments).copied().collect();
        git(&top, &all)?.map_err(|reason| GitError::Failed { command, reason })
    };
    let options: Vec<&str> = "--name-status -z --no-renames --no-ext-diff --ignore-submodules=none"
        .split(' ')
        .chain([base.as_str(), "--"])
        .collect();
    let differing = run("diff", &options)?;
    let untracked = run("ls-files", &["--others", "--exclude-standard", "-z"])?;
    let mut changed = Vec::new();
    let mut words = differing.split(|byte| *byte == 0);
    while let (Some(status), Some(name)) = (words.next(), words.next()) {
        changed.extend(path(name).map(|name| (name, matches!(status, b"A" | b"D"))));
    }
    let names = untracked
        .split(|byte| *byte == 0)
        .filter(|name| !name.is_empty())
        .filter_map(path);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(list: &str) -> Changes {
        Changes::listed(list.as_bytes()).expect("the list is right")
    }

    #[test]
    fn a_file_is_changed_by_any_name_and_with_its_folder() {
        let set = changes("Cargo.toml\nsrc/import/\n");
        for (path, expected) in [
            ("Cargo.toml", true),
            ("./src/../cargo.TOML", true),
            ("src/import/mod.rs", true),
            ("src/lib.rs", false),
            ("Cargo.lock", false),
        ] {
            assert_eq!(set.has(Path::new(path)), expected, "{path}");
        }
        assert!(!changes("").has(Path::new("Cargo.toml")));
    }

    #[test]
    fn a_missing_file_may_come_by_another_name_to_a_folder_that_was_listed() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let path = |name: &str| folder.path().join(name);
        let looked_for = ["model/Cloth.png", "model"].map(path);
        for (name, exists, expected) in [
            ("model/notes.txt", true, false),
            ("model/cloth.JPG", true, true),
            ("model/cloth.JPG", false, true),
            ("model/textures/cloth.png", true, true),
            ("model/textures/cloth.png", false, true),
            ("models/cloth.png", true, false),
            ("other/cloth.png", true, false),
            // It may have been a folder.
            ("model/textures", false, true),
            ("model", true, true),
        ] {
            let new = path(name);
            if exists {
                std::fs::create_dir_all(new.parent().expect("it has one")).expect("it is writable");
                if !new.exists() {
                    std::fs::write(&new, "").expect("it is writable");
                }
            }
            let mut set = Changes::default();
            set.add(&new, true);
            let affects = |set: &Changes| set.affect(looked_for.clone().into_iter());
            assert_eq!(affects(&set), expected, "{name}");
            if exists && new.is_file() {
                std::fs::remove_file(&new).expect("it is there");
            }
        }
        let mut set = Changes::default();
        set.add(&path("model/cloth.jpg"), false);
        assert!(!set.affect(looked_for.into_iter()), "it was there before");
    }

    #[test]
    fn a_folder_is_included_with_any_file_in_it() {
        let set = changes("golden/hero/numbers.json");
        for (folder, expected) in [
            ("golden/hero", true),
            ("golden", true),
            (".", true),
            ("golden/her", false),
        ] {
            assert_eq!(set.include_folder(Path::new(folder)), expected, "{folder}");
        }
        assert!(!changes("").include_folder(Path::new(".")));
    }

    #[test]
    fn names_end_at_lines_or_at_nul() {
        let lines = listed_paths(b"a.glb\r\n\nb c.png\n").expect("it is right");
        assert_eq!(lines, [PathBuf::from("a.glb"), "b c.png".into()]);
        let named = listed_paths(b"a\nb.glb\0\"c\"\0").expect("it is right");
        assert_eq!(named, [PathBuf::from("a\nb.glb"), "\"c\"".into()]);
    }

    #[test]
    fn quoted_names_are_refused() {
        let list = b"a.glb\n\"gr\\303\\266\\303\\237e.png\"\n";
        let quoted = listed_paths(list).expect_err("it is wrong").to_string();
        assert!(quoted.starts_with("line 2: the name is quoted"), "{quoted}");
    }
}
