//! Finds the files that arguments name.

use std::collections::{BTreeSet, VecDeque};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex};

use ignore::WalkBuilder;

use super::config::{Config, Pattern, PatternError};
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

/// Options of a search.
#[derive(Debug, Clone, Copy)]
pub(super) struct Search {
    /// Whether to skip files that `.gitignore` and similar files exclude.
    pub(super) respects_ignore_files: bool,
    /// Whether files named on the command line can be excluded, too.
    pub(super) excludes_named: bool,
    /// The files to look for.
    pub(super) wanted: fn(&Path) -> bool,
}

/// The files below `folder` that `wanted` accepts, sorted by path. Hidden files and files that `.gitignore` and similar
/// files exclude are skipped; links are followed, and each real folder is visited once.
///
/// # Errors
///
/// [`WalkError`]: a folder cannot be walked.
pub fn files_below(folder: &Path, wanted: fn(&Path) -> bool) -> Result<Vec<PathBuf>, WalkError> {
    let search = Search {
        respects_ignore_files: true,
        excludes_named: false,
        wanted,
    };
    let files = search.models_below(folder).into_iter();
    let file = |Found { path, failure }| match failure {
        Some(reason) => Err(WalkError { path, reason }),
        None => Ok(path),
    };
    files.map(file).collect()
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
) -> Result<Vec<Found>, E> {
    let mut found = Vec::new();
    for argument in arguments {
        let (models, missing) = if argument.is_dir() {
            let models = by_their_own_names(search.models_below(argument), argument);
            (models, "no models found in this folder")
        } else if let Some(pattern) = pattern(argument) {
            (search.matching(pattern)?, "no models match this pattern")
        } else {
            if !search.excludes_named || !is_excluded(argument)? {
                found.push(argument.clone().into());
            }
            continue;
        };
        let before = models.len();
        let mut kept = Vec::new();
        for mut model in models {
            if model.failure.is_none() && is_excluded(&model.path)? {
                continue;
            }
            if argument.as_os_str() == "." && model.path != *argument {
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
    Ok(found)
}

/// The models below the folder of `config` that it does not exclude, sorted by path, relative to the current folder.
///
/// # Errors
///
/// [`WalkError`]: a folder cannot be walked.
pub fn models_of(config: &Config) -> Result<Vec<PathBuf>, WalkError> {
    let search = Search {
        respects_ignore_files: true,
        excludes_named: true,
        wanted: is_model,
    };
    let folder = seen_from(&real_folder(Path::new(".")), config.folder());
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        &folder
    };
    let mut models = Vec::new();
    for Found { path, failure } in by_their_own_names(search.models_below(folder), folder) {
        let path = plain(&path);
        if config.excludes(&path) {
            continue;
        }
        if let Some(reason) = failure {
            return Err(WalkError { path, reason });
        }
        models.push(path);
    }
    Ok(models)
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
    let own = found.iter().filter(|found| is_own(&found.path));
    let own: BTreeSet<PathBuf> = own.map(|found| target(&found.path)).collect();
    found.retain(|found| is_own(&found.path) || !own.contains(&target(&found.path)));
    found
}

/// The targets of links, where they exist.
fn target(path: &Path) -> PathBuf {
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
    /// skipped. Links are followed, and each real folder is visited once: by its own name if that is below `folder`,
    /// otherwise by the first link to it.
    pub(super) fn models_below(self, folder: &Path) -> Vec<Found> {
        Walk::new(self).below(folder, usize::MAX)
    }

    /// The same, at most `depth` levels below `folder`, and by each name that a folder has, since a pattern may match
    /// only one of them.
    fn models_by_all_names(self, folder: &Path, depth: usize) -> Vec<Found> {
        let walk = Walk {
            by_all_names: true,
            ..Walk::new(self)
        };
        walk.below(folder, depth)
    }

    fn matching(self, pattern: &str) -> Result<Vec<Found>, BadPattern> {
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
        let mut models = if start.is_dir() {
            self.models_by_all_names(start, depth(pattern, &folder))
        } else {
            Vec::new()
        };
        models.retain_mut(|found| match found.failure {
            Some(_) => {
                if folder.as_os_str().is_empty() && found.path != start {
                    found.path = plain(&found.path);
                }
                may_match_below(&found.path, pattern)
            }
            None => keep(&mut found.path, &parsed),
        });
        Ok(by_their_own_names(models, &folder))
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
    let parts = pattern.components().map(|part| text(&part));
    let parts = parts.take_while(|part| !part.contains("**") && Pattern::new(part).is_ok());
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
    visited: Visited,
    /// Folders still to be visited, with their depth.
    links: VecDeque<(PathBuf, usize)>,
    found: Vec<Found>,
}

/// The real folders that have been visited, with the names used; shared with the filter of a walk.
type Visited = Arc<Mutex<BTreeSet<(PathBuf, OsString)>>>;

/// Whether the folder at `path` has not been visited yet; marks it as visited.
fn is_new(visited: &Visited, path: &Path, by_all_names: bool) -> bool {
    let name = path.file_name().filter(|_| by_all_names);
    let name = name.unwrap_or_default().to_owned();
    let mut visited = visited.lock().expect("nothing panics while it is held");
    visited.insert((real_folder(path), name))
}

impl Walk {
    fn new(search: Search) -> Self {
        Self {
            search,
            by_all_names: false,
            visited: Visited::default(),
            links: VecDeque::new(),
            found: Vec::new(),
        }
    }

    fn below(mut self, folder: &Path, depth: usize) -> Vec<Found> {
        self.links.push_back((folder.to_owned(), depth));
        // In the order of discovery, so that a folder's own name comes before the links to it.
        while let Some((start, depth)) = self.links.pop_front() {
            self.visit(&start, depth);
        }
        self.found.sort_by(|a, b| a.path.cmp(&b.path));
        self.found
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
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    let path = path_of(&error).unwrap_or(start);
                    let found = not_looked_at(path, error.io_error(), self.search.wanted);
                    self.found.extend(found);
                    continue;
                }
            };
            let path = entry.path();
            match path.metadata() {
                Ok(metadata) if metadata.is_dir() => {
                    if entry.path_is_symlink() && entry.depth() > 0 {
                        let left = depth - entry.depth();
                        self.links.push_back((path.to_owned(), left));
                    }
                }
                Ok(metadata) if metadata.is_file() && (self.search.wanted)(path) => {
                    self.found.push(path.to_owned().into());
                }
                Ok(_) => {}
                Err(error) => {
                    let found = not_looked_at(path, Some(&error), self.search.wanted);
                    self.found.extend(found);
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
        let found = not_looked_at(Path::new("assets/locked"), Some(&denied), is_model);
        let found = found.expect("it is told of");
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
