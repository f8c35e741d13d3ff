//! A configuration file and its scope.

use std::io;
use std::path::{Path, PathBuf};

use toml::Spanned;

use super::error::{ConfigError, Position, explain};
use super::exclusion::Exclusions;
use super::layer::Layer;
use super::pattern::Pattern;
use super::tested::Test;
use crate::paths::{below, named, nearest_above, read_text, real};
use crate::shown::printable;

/// The file name of a configuration.
pub const FILE_NAME: &str = "skincheck.toml";

/// One `skincheck.toml`.
#[derive(Debug, Clone)]
pub struct Config {
    path: PathBuf,
    /// The folder that patterns are relative to, without links.
    folder: PathBuf,
    text: String,
    layer: Layer,
    exclusions: Exclusions,
}

/// A pattern of files that matches none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}:{position}: no file matches {pattern}", path.display())]
pub struct Unmatched {
    /// The configuration.
    pub path: PathBuf,
    /// The location of the pattern.
    pub position: Position,
    /// The pattern as written, with its quotes.
    pub pattern: String,
}

/// The nearest configuration in the folder of `file` or above, with links resolved.
#[must_use]
pub fn find(file: &Path) -> Option<PathBuf> {
    nearest_above(file, FILE_NAME)
}

impl Config {
    /// Reads the configuration at `path`.
    ///
    /// # Errors
    ///
    /// [`ConfigError`], with the line and column of the error.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        let unreadable = |source| ConfigError::Unreadable {
            path: path.to_owned(),
            source,
        };
        let text = read_text(path).map_err(unreadable)?;
        let real = real(path);
        Self::parse(path, real.parent().unwrap_or(&real), &text)
    }

    /// Reads the configuration that [`find`] found. It must be a regular file, because reading a pipe could block for
    /// ever.
    ///
    /// # Errors
    ///
    /// [`ConfigError`], with the line and column of the error.
    pub fn load_found(path: &Path) -> Result<Self, ConfigError> {
        if path.is_file() {
            return Self::load(path);
        }
        let what = match path.metadata() {
            Ok(found) if found.is_dir() => "a folder",
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                let (path, source) = (path.to_owned(), error);
                return Err(ConfigError::Unreadable { path, source });
            }
            Err(_) if path.is_symlink() => "a link to nowhere",
            _ => "no file",
        };
        let path = path.to_owned();
        Err(ConfigError::NoFile { path, what })
    }

    /// Parses the text of a configuration.
    ///
    /// * `path` – for messages.
    /// * `folder` – the folder that its patterns are relative to, without links.
    ///
    /// # Errors
    ///
    /// [`ConfigError::Wrong`], with line and column.
    pub fn parse(path: &Path, folder: &Path, text: &str) -> Result<Self, ConfigError> {
        let wrong = |at: usize, message: String| ConfigError::Wrong {
            path: path.to_owned(),
            position: Position::of(text, at),
            message,
        };
        let layer: Layer = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            wrong(at, explain(error.message()))
        })?;
        misplaced(&layer).map_or(Ok(()), |(at, what)| Err(wrong(at, what.to_owned())))?;
        Ok(Self {
            path: path.to_owned(),
            folder: folder.to_owned(),
            text: text.to_owned(),
            exclusions: Exclusions::new(&layer.exclude),
            layer,
        })
    }

    /// The path that it was read from.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its folder, without links.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The layers that apply to `file`: its own, then the matching overrides.
    pub fn layers(&self, file: &Path) -> impl Iterator<Item = &Layer> {
        let inside = self.inside(file);
        let is_for = move |layer: &&Layer| {
            let mut patterns = layer.files.iter();
            patterns.any(|pattern| pattern.get_ref().matches(&inside))
        };
        let overrides = self.layer.overrides.iter().map(Spanned::get_ref);
        std::iter::once(&self.layer).chain(overrides.filter(is_for))
    }

    /// The `[[test]]` tables, with the lines on which they begin.
    pub fn tests(&self) -> impl Iterator<Item = (Position, &Test)> {
        let tests = self.layer.tests.iter();
        tests.map(|test| (Position::of(&self.text, test.span().start), test.get_ref()))
    }

    /// The folder of approvals; if unset, they are next to each model.
    #[must_use]
    pub fn approved(&self) -> Option<PathBuf> {
        let own = self.layer.approved.as_ref();
        own.map(|folder| self.folder.join(folder))
    }

    /// Whether it excludes `file` from folders and patterns.
    #[must_use]
    pub fn excludes(&self, file: &Path) -> bool {
        self.exclusions.excludes(&self.inside(file)) == Some(true)
    }

    /// All combinations of layers that may apply to a file: its own alone, and with each of the overrides.
    pub fn stacks(&self) -> impl Iterator<Item = Vec<&Layer>> {
        let base = &self.layer;
        let overrides = base.overrides.iter().map(Spanned::get_ref);
        std::iter::once(vec![base]).chain(overrides.map(move |layer| vec![base, layer]))
    }

    /// The patterns of its overrides that match none of `files`.
    pub fn unmatched<'a>(&self, files: impl IntoIterator<Item = &'a Path>) -> Vec<Unmatched> {
        let overrides = self.layer.overrides.iter().map(Spanned::get_ref);
        let mut idle: Vec<&Spanned<Pattern>> = overrides.flat_map(|layer| &layer.files).collect();
        for file in files {
            if idle.is_empty() {
                break;
            }
            let inside = self.inside(file);
            idle.retain(|pattern| !pattern.get_ref().matches(&inside));
        }
        // In the order of the text, so that one pass finds all locations.
        let (mut counted, mut position) = (0, Position::of(&self.text, 0));
        let unmatched = idle.into_iter().map(|pattern| {
            let start = pattern.span().start;
            position = position.past(&self.text[counted..start]);
            counted = start;
            Unmatched {
                path: self.path.clone(),
                position,
                pattern: printable(&self.text[pattern.span()]),
            }
        });
        unmatched.collect()
    }

    /// The name of `file` in patterns: its path relative to the folder of the configuration.
    #[must_use]
    pub fn inside(&self, file: &Path) -> PathBuf {
        let named = named(file);
        below(&self.folder, &named).unwrap_or(named)
    }
}

/// A misplaced setting and its byte: `files` outside an override, an override in another, or an override without
/// `files`.
fn misplaced(base: &Layer) -> Option<(usize, &'static str)> {
    if let Some(pattern) = base.files.first() {
        let message = "`files` says which files an override is for; move it into [[overrides]]";
        return Some((pattern.span().start, message));
    }
    base.overrides.iter().find_map(|layer| {
        if let Some(inner) = layer.get_ref().overrides.first() {
            let message = "an override cannot hold another one; begin it with [[overrides]]";
            return Some((inner.span().start, message));
        }
        if !layer.get_ref().exclude.is_empty() {
            let message = "`exclude` is for the whole configuration; move it above the first [[overrides]]";
            return Some((layer.span().start, message));
        }
        if !layer.get_ref().tests.is_empty() || layer.get_ref().approved.is_some() {
            let message = "`test` and `approved` are for the whole configuration; move them above the first [[overrides]]";
            return Some((layer.span().start, message));
        }
        let message = "missing key `files`: the files that the override is for, such as files = [\"props/**\"]";
        let is_for_none = layer.get_ref().files.is_empty();
        is_for_none.then(|| (layer.span().start, message))
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::Resolved;
    use super::*;

    #[test]
    fn overrides_hold_for_their_files_alone() {
        let text = "deny-warnings = true\n\
            [[overrides]]\nfiles = [\"props/**\", \"*.obj\"]\ndeny-warnings = false\n";
        let config = Config::parse(Path::new("c.toml"), Path::new("/a"), text);
        let config = config.expect("the configuration is right");
        let denies = |file: &str| Resolved::of(config.layers(Path::new(file))).deny_warnings;
        assert!(denies("/a/hero.glb"));
        assert!(!denies("/a/props/box.glb"));
        assert!(!denies("/a/props/deep/box.glb"));
        assert!(!denies("/a/deep/box.obj"));
        assert!(denies("/b/props/box.glb"));
    }

    #[test]
    fn a_pattern_that_no_file_matches_is_known_with_its_location() {
        let text = "[[overrides]]\nfiles = [\"prop/**\", \"*.glb\"]\nlevel = \"info\"\n";
        let config = Config::parse(Path::new("c.toml"), Path::new("/a"), text);
        let config = config.expect("the configuration is right");
        let unmatched = |files: &[&str]| -> Vec<String> {
            let found = config.unmatched(files.iter().map(Path::new));
            found.iter().map(ToString::to_string).collect()
        };
        let idle = "c.toml:2:10: no file matches \"prop/**\"";
        assert_eq!(unmatched(&["/a/props/wheel.glb"]), [idle]);
        assert!(unmatched(&["/a/b.glb", "/a/prop/b.glb"]).is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_a_circle_is_reported_in_the_words_of_the_system() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let path = folder.path().join(FILE_NAME);
        std::os::unix::fs::symlink(FILE_NAME, &path).expect("so can a link in it");
        let error = Config::load_found(&path).expect_err("it leads to nothing");
        assert!(matches!(error, ConfigError::Unreadable { .. }), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn overrides_hold_whatever_link_leads_to_their_folder() {
        use std::os::unix::fs::symlink;
        let there = tempfile::tempdir().expect("a temporary folder can be made");
        let there = crate::paths::real_folder(there.path());
        let at = |name: &str| there.join(name);
        for folder in ["project/models", "share"] {
            fs::create_dir_all(at(folder)).expect("so can folders in it");
        }
        let link = |to: &str, name: &str| symlink(at(to), at(name)).expect("and links");
        link("share", "project/shared");
        link("project", "way");
        link("project/models", "link");
        let config = Config::parse(Path::new("c.toml"), &at("project"), "");
        let config = config.expect("the configuration is right");
        for (file, expected) in [
            ("project/shared/a.glb", "shared/a.glb"),
            ("way/shared/a.glb", "shared/a.glb"),
            ("link/a.glb", "models/a.glb"),
        ] {
            assert_eq!(config.inside(&at(file)), Path::new(expected), "{file}");
        }
        assert_eq!(config.inside(&at("share/a.glb")), at("share/a.glb"));
    }

    #[test]
    fn the_nearest_configuration_above_a_file_is_its_own() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let inner = folder.path().join("inner");
        fs::create_dir(&inner).expect("so can one in it");
        let (outer, file) = (folder.path().join(FILE_NAME), inner.join("hero.glb"));
        let around = inner.join("../around.glb");
        fs::write(&outer, "").expect("it is writable");
        assert_eq!(find(&file), Some(real(&outer)));
        assert_eq!(find(&around), Some(real(&outer)));
        let own = inner.join(FILE_NAME);
        fs::write(&own, "").expect("it is writable");
        assert_eq!(find(&file), Some(real(&own)));
        assert_eq!(find(&around), Some(real(&outer)));
    }
}
