//! Finds the files that arguments name.

use std::collections::{BTreeSet, VecDeque};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ignore::WalkBuilder;

use super::config::{Config, Pattern, PatternError};
use crate::deadline::{Deadline, Unfinished};
use crate::import::importers_for;
use crate::paths::{real, real_folder, seen_from};
use crate::shown;

/// A folder could not be walked.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", shown::path(path))]
pub struct WalkError {
    /// The folder: the requested one, or one below it.
    pub path: PathBuf,
    /// The system's error.
    pub reason: String,
}

/// Animation files that are read together with a model.
const COMPANIONS: [&str; 1] = ["md5anim"];

/// An invalid pattern of files.
#[derive(Debug, thiserror::Error)]
#[error("{}", shown::printable(pattern))]
pub struct BadPattern {
    /// The pattern.
    pub pattern: String,
    /// The cause.
    pub source: PatternError,
}

/// A file or folder that an argument names.
pub(super) struct Found {
    pub(super) path: PathBuf,
    /// Why it could not be read; it is most likely a folder.
    pub(super) failure: Option<String>,
}

impl From<PathBuf> for Found {
    fn from(path: PathBuf) -> Self {
        let failure = None;
        Self { path, failure }
    }
}

impl Found {
    fn failed(path: impl Into<PathBuf>, failure: impl Into<String>) -> Self {
        let (path, failure) = (path.into(), Some(failure.into()));
        Self { path, failure }
    }
}

/// What a search has found.
#[derive(Default)]
pub(super) struct Walked {
    /// Sorted by path.
    pub(super) found: Vec<Found>,
    /// As in [`Below`].
    pub(super) links: Vec<PathBuf>,
}

/// The files below a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Below {
    /// Sorted by path.
    pub files: Vec<PathBuf>,
    /// Links to folders elsewhere, which are not followed.
    pub links: Vec<PathBuf>,
}

/// The most files and folders below one folder: more than the largest projects have.
const MOST_ENTRIES: usize = 1 << 22;

/// Options of a search.
#[derive(Debug, Clone, Copy)]
pub(super) struct Search {
    /// Whether to skip files that `.gitignore` and similar files exclude.
    pub(super) respects_ignore_files: bool,
    /// Whether files named on the command line can be excluded, too.
    pub(super) excludes_named: bool,
    /// The files to look for.
    pub(super) wanted: fn(&Path) -> bool,
    /// How long the search of one folder may take, if that is limited.
    pub(super) limit: Option<Duration>,
}

/// The files below `folder` that `wanted` accepts, sorted by path. Hidden files and files that `.gitignore` and similar
/// files exclude are skipped. Links to folders below `folder` are followed, and each real folder is visited once.
///
/// * `limit` – how long that may take.
///
/// # Errors
///
/// [`WalkError`]: a folder cannot be walked.
pub fn files_below(
    folder: &Path,
    wanted: fn(&Path) -> bool,
    limit: Duration,
) -> Result<Below, WalkError> {
    let search = Search {
        respects_ignore_files: true,
        excludes_named: false,
        wanted,
        limit: Some(limit),
    };
    let Walked { found, links } = search.models_below(folder);
    let file = |Found { path, failure }| match failure {
        Some(reason) => Err(WalkError { path, reason }),
        None => Ok(path),
    };
    let files = found.into_iter().map(file).collect::<Result<_, _>>()?;
    Ok(Below { files, links })
}

/// The models that `arguments` name, in their order and without duplicates; those in a folder are sorted by name. An
/// argument without a model becomes one that could not be read.
///
/// Files that the user names are taken as they are. Below folders and by patterns, files must have an extension that an
/// importer reads, and `is_excluded` must not exclude them.
///
/// # Errors
///
/// [`BadPattern`], and the errors of `is_excluded`.
pub(super) fn models<E: From<BadPattern>>(
    arguments: &[PathBuf],
    search: Search,
    mut is_excluded: impl FnMut(&Path) -> Result<bool, E>,
) -> Result<Walked, E> {
    let (mut found, mut links) = (Vec::new(), Vec::new());
    for argument in arguments {
        // `./assets` is `assets`, with the same verdicts.
        let plain_argument = plain(argument);
        let is_here = argument == Path::new(".");
        let argument = if is_here { argument } else { &plain_argument };
        let (walked, missing) = if argument.is_dir() {
            let mut walked = search.models_below(argument);
            walked.found = by_their_own_names(walked.found, argument);
            (walked, "no models found in this folder")
        } else if let Some(pattern) = pattern(argument) {
            (search.matching(pattern)?, "no models match this pattern")
        } else {
            if !search.excludes_named || !is_excluded(argument)? {
                found.push(argument.clone().into());
            }
            continue;
        };
        links.extend(walked.links);
        let before = walked.found.len();
        let mut kept = Vec::new();
        for mut model in walked.found {
            if model.failure.is_none() && is_excluded(&model.path)? {
                continue;
            }
            if is_here && model.path != *argument {
                model.path = plain(&model.path);
            }
            kept.push(model);
        }
        if kept.is_empty() {
            let failure = match before {
                0 => missing.to_owned(),
                1 => "the only model that matches it is excluded".to_owned(),
                all => format!("all {all} models that match it are excluded"),
            };
            kept = vec![Found::failed(argument, failure)];
        }
        found.append(&mut kept);
    }
    let mut found = without_links(found, |path| !path.is_symlink());
    let mut known = BTreeSet::new();
    found.retain(|found| known.insert(real(&found.path)));
    Ok(Walked { found, links })
}

/// The models below the folder of `config` that it does not exclude, relative to the current folder.
///
/// * `limit` – how long the search may take, if that is limited.
///
/// # Errors
///
/// [`WalkError`]: a folder cannot be walked.
pub fn models_of(config: &Config, limit: Option<Duration>) -> Result<Below, WalkError> {
    let search = Search {
        respects_ignore_files: true,
        excludes_named: true,
        wanted: is_model,
        limit,
    };
    let folder = seen_from(&real_folder(Path::new(".")), config.folder());
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        &folder
    };
    let mut files = Vec::new();
    let Walked { found, links } = search.models_below(folder);
    for Found { path, failure } in by_their_own_names(found, folder) {
        let path = plain(&path);
        if config.excludes(&path) {
            continue;
        }
        if let Some(reason) = failure {
            return Err(WalkError { path, reason });
        }
        files.push(path);
    }
    Ok(Below { files, links })
}

/// Removes the files that a link leads to if another path below `folder` leads there, too.
fn by_their_own_names(found: Vec<Found>, folder: &Path) -> Vec<Found> {
    let start = real_folder(&Path::new(".").join(folder));
    without_links(found, |path| {
        let below = path.strip_prefix(folder);
        below.is_ok_and(|below| start.join(below) == target(path))
    })
}

/// Removes links whose target is also in the list.
fn without_links(mut found: Vec<Found>, is_own: impl Fn(&Path) -> bool) -> Vec<Found> {
    let own: BTreeSet<PathBuf> = found
        .iter()
        .filter(|found| is_own(&found.path))
        .map(|found| target(&found.path))
        .collect();
    found.retain(|found| is_own(&found.path) || !own.contains(&target(&found.path)));
    found
}

/// The targets of links, where they exist.
pub(super) fn target(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| real(path))
}

/// The path without a leading `./`.
fn plain(path: &Path) -> PathBuf {
    path.strip_prefix(".").unwrap_or(path).to_owned()
}

/// Whether a path is not a file and may be a pattern.
fn pattern(argument: &Path) -> Option<&str> {
    let text = argument
        .to_str()
        .filter(|text| text.contains(['*', '?', '[', '{']))?;
    (!argument.exists()).then_some(text)
}

impl Search {
    /// All models below `folder`, sorted by path, with those that could not be examined. Hidden files and folders are
    /// skipped. Links to folders below `folder` are followed, and each real folder is visited once: by its own name if it
    /// is not hidden, otherwise by the first link to it.
    pub(super) fn models_below(self, folder: &Path) -> Walked {
        self.walk(folder, usize::MAX, false)
    }

    /// The same, at most `depth` levels below `folder`, and by each name that a folder has, since a pattern may match
    /// only one of them.
    fn models_by_all_names(self, folder: &Path, depth: usize) -> Walked {
        self.walk(folder, depth, true)
    }

    /// Walks in a thread of its own: a folder of a network or a pipe in place of a `.gitignore` may never answer.
    fn walk(self, folder: &Path, depth: usize, by_all_names: bool) -> Walked {
        let deadline = self.limit.map_or(Deadline::NEVER, Deadline::after);
        let walk = Walk {
            search: self,
            by_all_names,
            top: real_folder(folder),
            deadline,
            entries_left: MOST_ENTRIES,
            visited: Visited::default(),
            queued: VecDeque::new(),
            walked: Walked::default(),
        };
        let start = folder.to_owned();
        let walked = deadline.run(move || walk.below(&start, depth));
        walked.unwrap_or_else(|unfinished| {
            let reason = match unfinished {
                Unfinished::TimedOut(timed_out) => format!(
                    "this folder cannot be searched within {} s; name folders below it, or raise --timeout",
                    timed_out.limit.as_secs_f64()
                ),
                other => other.to_string(),
            };
            let named = if folder.as_os_str().is_empty() {
                Path::new(".")
            } else {
                folder
            };
            Walked {
                found: vec![Found::failed(named, reason)],
                links: Vec::new(),
            }
        })
    }

    fn matching(self, pattern: &str) -> Result<Walked, BadPattern> {
        let parsed = Pattern::new(pattern).map_err(|source| BadPattern {
            pattern: pattern.to_owned(),
            source,
        })?;
        let folder = literal_folder(Path::new(pattern));
        let start = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            &folder
        };
        let mut walked = if start.is_dir() {
            self.models_by_all_names(start, depth(pattern, &folder))
        } else {
            Walked::default()
        };
        walked.found.retain_mut(|found| match found.failure {
            Some(_) => {
                if folder.as_os_str().is_empty() && found.path != start {
                    found.path = plain(&found.path);
                }
                may_match_below(&found.path, pattern)
            }
            None => keep(&mut found.path, &parsed),
        });
        walked.links.retain(|link| may_match_below(link, pattern));
        walked.found = by_their_own_names(walked.found, &folder);
        Ok(walked)
    }
}

/// How deep below its literal `folder` a pattern can match.
fn depth(pattern: &str, folder: &Path) -> usize {
    if pattern.contains("**") {
        return usize::MAX;
    }
    let parts = |path: &Path| path.components().count();
    parts(Path::new(pattern)) - parts(folder)
}

/// Whether anything at or below `path` could match. From a component that is no pattern by itself (`{a` of `{a/b,c}`)
/// or matches any number of folders (`**`), everything could.
fn may_match_below(path: &Path, pattern: &str) -> bool {
    let (path, pattern) = (plain(path), plain(Path::new(pattern)));
    let text = |part: &Component<'_>| part.as_os_str().to_string_lossy().into_owned();
    let parts = pattern
        .components()
        .map(|part| text(&part))
        .take_while(|part| !part.contains("**") && Pattern::new(part).is_ok());
    parts.zip(path.components()).all(|(part, name)| {
        let matches = |pattern: Pattern| pattern.matches(Path::new(&text(&name)));
        part == text(&name) || Pattern::new(&part).map_or(true, matches)
    })
}

/// Whether the pattern matches; a leading `./` that the pattern lacks is ignored.
fn keep(path: &mut PathBuf, pattern: &Pattern) -> bool {
    if pattern.matches(path) {
        return true;
    }
    let Ok(short) = path.strip_prefix(".") else {
        return false;
    };
    let matches = pattern.matches(short);
    *path = short.to_owned();
    matches
}

/// The components of a pattern before the first one with a wildcard.
fn literal_folder(pattern: &Path) -> PathBuf {
    let parts = pattern.components();
    let literal = |part: &Component<'_>| {
        let text = part.as_os_str().to_string_lossy();
        !text.contains(['*', '?', '[', '{'])
    };
    parts.take_while(literal).collect()
}

struct Walk {
    search: Search,
    /// Whether a folder is visited once for each name that it has through links.
    by_all_names: bool,
    /// The folder that is searched, with its links resolved.
    top: PathBuf,
    deadline: Deadline,
    /// How many more files and folders may be looked at.
    entries_left: usize,
    visited: Visited,
    /// Folders still to be visited, with their depth.
    queued: VecDeque<(PathBuf, usize)>,
    walked: Walked,
}

/// The real folders that have been visited, with the names used; shared with the filter of a walk.
type Visited = Arc<Mutex<BTreeSet<(PathBuf, OsString)>>>;

/// Whether the folder at `path` has not been visited yet; marks it as visited.
fn is_new(visited: &Visited, path: &Path, by_all_names: bool) -> bool {
    let name = path
        .file_name()
        .filter(|_| by_all_names)
        .unwrap_or_default()
        .to_owned();
    let mut visited = visited.lock().expect("nothing panics while it is held");
    visited.insert((real_folder(path), name))
}

impl Walk {
    fn below(mut self, folder: &Path, depth: usize) -> Walked {
        self.queued.push_back((folder.to_owned(), depth));
        // In the order of discovery, so that a folder's own name comes before the links to it.
        while let Some((start, depth)) = self.queued.pop_front() {
            self.visit(&start, depth);
        }
        self.walked.found.sort_by(|a, b| a.path.cmp(&b.path));
        self.walked
    }

    /// Queues the folder that the link at `path` leads to, if it is below the one that is searched.
    fn follow(&mut self, path: &Path, depth: usize) {
        if real_folder(path).starts_with(&self.top) {
            self.queued.push_back((path.to_owned(), depth));
        } else {
            self.walked.links.push(path.to_owned());
        }
    }

    /// Visits everything below `start` by its own name; links to folders are queued.
    fn visit(&mut self, start: &Path, depth: usize) {
        if !is_new(&self.visited, start, self.by_all_names) {
            return;
        }
        let (visited, by_all_names) = (Arc::clone(&self.visited), self.by_all_names);
        let mut walk = WalkBuilder::new(start);
        walk.standard_filters(self.search.respects_ignore_files)
            .hidden(true)
            .max_depth((depth < usize::MAX).then_some(depth))
            .sort_by_file_name(OsStr::cmp)
            .filter_entry(move |entry| {
                let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
                !is_folder || is_new(&visited, entry.path(), by_all_names)
            });
        for entry in walk.build() {
            // When time is up, nobody waits for the result.
            if self.deadline.has_passed() || self.entries_left == 0 {
                break;
            }
            self.entries_left -= 1;
            if self.entries_left == 0 {
                let reason = format!(
                    "more than {MOST_ENTRIES} files and folders below this folder; name folders below it"
                );
                self.walked.found.push(Found::failed(start, reason));
            }
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    let path = path_of(&error).unwrap_or(start);
                    let found = not_looked_at(path, error.io_error(), self.search.wanted);
                    self.walked.found.extend(found);
                    continue;
                }
            };
            let path = entry.path();
            match path.metadata() {
                Ok(metadata) if metadata.is_dir() => {
                    if entry.path_is_symlink() && entry.depth() > 0 {
                        self.follow(path, depth - entry.depth());
                    }
                }
                Ok(metadata) if metadata.is_file() && (self.search.wanted)(path) => {
                    self.walked.found.push(path.to_owned().into());
                }
                Ok(_) => {}
                Err(error) => {
                    let found = not_looked_at(path, Some(&error), self.search.wanted);
                    self.walked.found.extend(found);
                }
            }
        }
    }
}

/// The path of an error of a walk.
fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            path_of(err)
        }
        _ => None,
    }
}

/// The error to report. A model reports its own error when it is read, and a dangling link is ignored.
fn not_looked_at(
    path: &Path,
    error: Option<&io::Error>,
    wanted: fn(&Path) -> bool,
) -> Option<Found> {
    if wanted(path) {
        return Some(path.to_owned().into());
    }
    let reason = error.map(|error| format!(": {error}")).unwrap_or_default();
    let failure = || format!("this cannot be searched{reason}");
    (!path.is_symlink()).then(|| Found::failed(path, failure()))
}

/// Whether an importer reads files with this name on their own, not only together with a model.
#[must_use]
pub fn is_model(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let companion = COMPANIONS
        .iter()
        .any(|end| extension.eq_ignore_ascii_case(end));
    !companion && importers_for(path).next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_cannot_be_read_is_reported_with_the_reason() {
        let denied = io::Error::from(io::ErrorKind::PermissionDenied);
        let found = not_looked_at(Path::new("assets/locked"), Some(&denied), is_model)
            .expect("it is reported");
        assert_eq!(found.path, Path::new("assets/locked"));
        assert_eq!(
            found.failure.as_deref(),
            Some("this cannot be searched: permission denied")
        );
    }

    #[test]
    fn a_pattern_is_searched_as_deep_as_it_can_match() {
        for (pattern, expected) in [
            ("*.glb", 1),
            ("./*.glb", 1),
            ("a/b/*.glb", 1),
            ("a/*/c.glb", 2),
            ("{a/b,c}/*.glb", 3),
            ("a/**/*.glb", usize::MAX),
        ] {
            let folder = literal_folder(Path::new(pattern));
            assert_eq!(depth(pattern, &folder), expected, "{pattern}");
        }
    }

    #[test]
    fn a_folder_without_matches_is_not_missed() {
        for (path, pattern, expected) in [
            ("assets/locked", "assets/*/*.glb", true),
            ("./locked", "**/*.glb", true),
            ("./locked", "assets*/*.glb", false),
            ("lost/a", "{assets/a,lost/a}/*.glb", true),
            ("a[1]/b", "a[1]/*/c.glb", true),
        ] {
            assert_eq!(
                may_match_below(Path::new(path), pattern),
                expected,
                "{pattern}"
            );
        }
    }
}
