//! A configuration file and its scope.

use std::io;
use std::path::{Path, PathBuf};

use same_file::is_same_file;
use serde::de::DeserializeOwned;
use toml::Spanned;

use super::error::{ConfigError, Position, explain};
use super::layer::{Layer, NameSetting};
use super::skeleton::{SkeletonError, load_skeleton, skeleton_file};
use super::strings::{Exclusions, Pattern};
use crate::paths::{below, from_here, named, nearest_above, read_text, real, real_folder};
use crate::shown::{self, printable};

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
    /// The configurations that it extends, the nearest first. Theirs are empty.
    extended: Vec<Config>,
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
    /// Reads the configuration at `path`, and those that it extends.
    ///
    /// # Errors
    ///
    /// [`ConfigError`], with the line and column of the error.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        Self::read(path)?.with_extended()
    }

    /// Reads a configuration from text, as if it were in the current folder, and those that it extends.
    ///
    /// # Errors
    ///
    /// [`ConfigError`], with the line and column of the error.
    pub fn of_text(text: &str) -> Result<Self, ConfigError> {
        let folder = real_folder(Path::new("."));
        Self::parse(Path::new("configuration"), &folder, text)?.with_extended()
    }

    /// Reads the configurations that it extends.
    fn with_extended(self) -> Result<Self, ConfigError> {
        let mut files = vec![self];
        while let Some(next) = files[files.len() - 1].extended_file(&files)? {
            files.push(Self::read(&next)?);
        }
        let extended = files.split_off(1);
        let mut config = files.remove(0);
        config.extended = extended;
        Ok(config)
    }

    /// The file that this one extends, by its name for messages.
    ///
    /// * `known` – the files that lead to it, including this one.
    fn extended_file(&self, known: &[Self]) -> Result<Option<PathBuf>, ConfigError> {
        let Some(extend) = &self.layer.extend else {
            return Ok(None);
        };
        let path = from_here(&self.folder.join(extend.get_ref()));
        let shown = shown::path(&path);
        let message = if known
            .iter()
            .any(|one| is_same_file(&one.path, &path).unwrap_or(false))
        {
            format!("a configuration cannot extend itself, but {shown} leads back here")
        } else {
            match path.metadata() {
                Ok(found) if found.is_file() => return Ok(Some(path)),
                Ok(found) if found.is_dir() => {
                    format!("{shown} is a folder; name a file in it, such as {FILE_NAME}")
                }
                Ok(_) => format!("{shown} is not a regular file"),
                Err(error) => format!("{shown} cannot be read: {error}"),
            }
        };
        Err(ConfigError::Wrong {
            path: self.path.clone(),
            position: Position::of(&self.text, extend.span().start),
            message,
        })
    }

    fn read(path: &Path) -> Result<Self, ConfigError> {
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
        let mut layer: Layer = from_toml(path, text)?;
        misplaced(&layer).map_or(Ok(()), |(at, what)| Err(wrong(at, what.to_owned())))?;
        read_skeleton(&mut layer, folder, wrong)?;
        for layer in &mut layer.overrides {
            read_skeleton(layer.get_mut(), folder, wrong)?;
        }
        Ok(Self {
            path: path.to_owned(),
            folder: folder.to_owned(),
            text: text.to_owned(),
            exclusions: Exclusions::new(&layer.exclude),
            layer,
            extended: Vec::new(),
        })
    }

    /// The path that it was read from.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The files of the skeletons that it names, and of those of the configurations that it extends.
    pub fn skeletons(&self) -> impl Iterator<Item = PathBuf> {
        let configs = std::iter::once(self).chain(&self.extended);
        configs.flat_map(|config| {
            let layers = std::iter::once(&config.layer).chain(config.overrides());
            let named = layers.filter_map(|layer| layer.skeleton.as_ref());
            named.filter_map(|named| skeleton_file(named.get_ref(), &config.folder))
        })
    }

    /// Its folder, without links.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Its path, and those of the configurations that it extends.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        let files = std::iter::once(self).chain(&self.extended);
        files.map(|config| config.path.as_path())
    }

    /// The layers that apply to `file`: for each configuration, the one that extends the others last, its own layer, then the
    /// matching overrides.
    pub fn layers(&self, file: &Path) -> impl Iterator<Item = &Layer> {
        let extended = self.extended.iter().rev();
        let files = extended.chain(std::iter::once(self));
        files.flat_map(|config| config.own_layers(file))
    }

    fn own_layers(&self, file: &Path) -> impl Iterator<Item = &Layer> + use<'_> {
        let inside = self.inside(file);
        let is_for = move |layer: &&Layer| {
            let mut patterns = layer.files.iter();
            patterns.any(|pattern| pattern.get_ref().matches(&inside))
        };
        std::iter::once(&self.layer).chain(self.overrides().filter(is_for))
    }

    fn overrides(&self) -> impl Iterator<Item = &Layer> {
        self.layer.overrides.iter().map(Spanned::get_ref)
    }

    /// The names of clips and joints that this file sets for `model`, apart from those that a later table replaces.
    pub(in crate::check) fn names(&self, model: &Path) -> Vec<(NameSetting, &Spanned<String>)> {
        let layers: Vec<&Layer> = self.own_layers(model).collect();
        let settings = NameSetting::ALL.into_iter().flat_map(|setting| {
            let mut layers = layers.iter().rev();
            let last = layers.find_map(|layer| setting.said(layer));
            let names = last.unwrap_or_default().iter();
            names.map(move |name| (setting, name))
        });
        settings.collect()
    }

    /// The location of a byte.
    pub(crate) fn position(&self, at: usize) -> Position {
        Position::of(&self.text, at)
    }

    /// Reads the tables of this file that belong to others than `check`, not those of configurations that it extends.
    ///
    /// # Errors
    ///
    /// [`ConfigError::Wrong`], with line and column.
    pub(crate) fn tables<T: DeserializeOwned>(&self) -> Result<T, ConfigError> {
        from_toml(&self.path, &self.text)
    }

    /// Whether it excludes `file` from folders and patterns.
    #[must_use]
    pub fn excludes(&self, file: &Path) -> bool {
        let mut files = std::iter::once(self).chain(&self.extended);
        let decided = files.find_map(|config| config.exclusions.excludes(&config.inside(file)));
        decided == Some(true)
    }

    /// Combinations of layers that may apply to a file: those for all files alone, and with each of the overrides.
    pub fn stacks(&self) -> impl Iterator<Item = Vec<&Layer>> {
        let files: Vec<&Self> = self.extended.iter().rev().chain([self]).collect();
        let bases: Vec<&Layer> = files.iter().map(|config| &config.layer).collect();
        let mut stacks = vec![bases.clone()];
        for (index, config) in files.into_iter().enumerate() {
            stacks.extend(config.overrides().map(|layer| {
                let mut stack = bases.clone();
                stack.insert(index + 1, layer);
                stack
            }));
        }
        stacks.into_iter()
    }

    /// The patterns of its overrides that match none of `files`.
    pub fn unmatched<'a>(&self, files: impl IntoIterator<Item = &'a Path>) -> Vec<Unmatched> {
        let mut idle: Vec<&Spanned<Pattern>> =
            self.overrides().flat_map(|layer| &layer.files).collect();
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

/// * `path` – for messages.
fn from_toml<T: DeserializeOwned>(path: &Path, text: &str) -> Result<T, ConfigError> {
    toml::from_str(text).map_err(|error| ConfigError::Wrong {
        path: path.to_owned(),
        position: Position::of(text, error.span().map_or(0, |span| span.start)),
        message: explain(error.message()),
    })
}

/// Reads the contract of the skeleton that `layer` names.
///
/// * `folder` – what its path is relative to.
/// * `wrong` – the error at a byte of the configuration.
fn read_skeleton(
    layer: &mut Layer,
    folder: &Path,
    wrong: impl Fn(usize, String) -> ConfigError,
) -> Result<(), ConfigError> {
    let Some(named) = &layer.skeleton else {
        return Ok(());
    };
    let contract = load_skeleton(named.get_ref(), folder).map_err(|error| match error {
        SkeletonError::Wrong {
            path,
            position,
            message,
        } => ConfigError::Wrong {
            path,
            position,
            message,
        },
        error => wrong(named.span().start, error.to_string()),
    })?;
    layer.contract = Some(contract);
    Ok(())
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
        if layer.get_ref().extend.is_some() {
            let message = "`extend` is for the whole configuration; move it above the first [[overrides]]";
            return Some((layer.span().start, message));
        }
        if !layer.get_ref().exclude.is_empty() {
            let message = "`exclude` is for the whole configuration; move it above the first [[overrides]]";
            return Some((layer.span().start, message));
        }
        if layer.get_ref().test.is_some() || layer.get_ref().approved.is_some() {
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
    use crate::finding::Level;

    #[test]
    fn overrides_hold_for_their_files_alone() {
        let text = "deny-warnings = true\n\
            [[overrides]]\nfiles = [\"props/**\", \"*.obj\"]\ndeny-warnings = false\n";
        let config = Config::parse(Path::new("c.toml"), Path::new("/a"), text)
            .expect("the configuration is right");
        let denies = |file: &str| Resolved::of(config.layers(Path::new(file))).deny_warnings;
        assert!(denies("/a/hero.glb"));
        assert!(!denies("/a/props/box.glb"));
        assert!(!denies("/a/props/deep/box.glb"));
        assert!(!denies("/a/deep/box.obj"));
        assert!(denies("/b/props/box.glb"));
    }

    #[test]
    fn a_text_is_read_like_a_file_of_the_current_folder() {
        let config = Config::of_text("preset = \"mocap\"\nlevel = \"error\"")
            .expect("the configuration is right");
        let file = config.folder().join("hero.glb");
        let resolved = Resolved::of(config.layers(&file));
        assert_eq!(
            (resolved.preset, resolved.level),
            (Some("mocap"), Some(Level::Error))
        );
        let error = Config::of_text("level = \"info\"\nlevle = \"error\"").unwrap_err();
        assert!(error.to_string().contains(":2:1"), "{error}");
        let error = Config::of_text("extend = \"nowhere.toml\"").unwrap_err();
        assert!(error.to_string().contains("nowhere.toml"), "{error}");
    }

    #[test]
    fn a_pattern_that_no_file_matches_is_known_with_its_location() {
        let text = "[[overrides]]\nfiles = [\"prop/**\", \"*.glb\"]\nlevel = \"info\"\n";
        let config = Config::parse(Path::new("c.toml"), Path::new("/a"), text)
            .expect("the configuration is right");
        let unmatched = |files: &[&str]| -> Vec<String> {
            let found = config.unmatched(files.iter().map(Path::new));
            found.iter().map(ToString::to_string).collect()
        };
        let idle = "c.toml:2:10: no file matches \"prop/**\"";
        assert_eq!(unmatched(&["/a/props/wheel.glb"]), [idle]);
        assert!(unmatched(&["/a/b.glb", "/a/prop/b.glb"]).is_empty());
    }

    #[test]
    fn a_configuration_extends_another_whose_paths_are_relative_to_itself() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let folder = crate::paths::real_folder(folder.path());
        for (name, text) in [
            (
                "studio/base.toml",
                "deny-warnings = true\nlevel = \"error\"\nexclude = [\"wip/\", \"old.glb\"]\n\
                 [[overrides]]\nfiles = [\"*.obj\", \"kit/**\"]\nlevel = \"info\"\nmoments = \"all\"\n",
            ),
            (
                "game/skincheck.toml",
                "extend = \"../studio/base.toml\"\nexclude = [\"!old.glb\"]\nlevel = \"warning\"\n",
            ),
        ] {
            let path = folder.join(name);
            let parent = path.parent().expect("it has one");
            fs::create_dir_all(parent).expect("it is writable");
            fs::write(path, text).expect("it is writable");
        }
        let config = Config::load(&folder.join("game/skincheck.toml"))
            .unwrap_or_else(|error| panic!("{error}"));
        let at = |name: &str| Resolved::of(config.layers(&folder.join(name)));
        let hero = at("game/hero.glb");
        assert!(hero.deny_warnings);
        assert_eq!(hero.level, Some(crate::finding::Level::Warning));
        let all = crate::lint::SampleTimes::All;
        for (model, is_overridden) in [
            ("game/a.obj", true),
            ("game/kit/a.glb", false),
            ("studio/kit/a.glb", true),
        ] {
            let resolved = at(model);
            assert_eq!(
                resolved.settings.sample_times == all,
                is_overridden,
                "{model}"
            );
            assert_eq!(resolved.level, hero.level, "{model}");
        }
        assert!(config.excludes(&folder.join("game/wip/a.glb")));
        assert!(!config.excludes(&folder.join("game/old.glb")));
        assert_eq!(config.paths().count(), 2);
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
        let config = Config::parse(Path::new("c.toml"), &at("project"), "")
            .expect("the configuration is right");
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
