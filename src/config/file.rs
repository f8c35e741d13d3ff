//! A configuration file, and which files it is for.

use std::io;
use std::path::{Path, PathBuf};

use super::error::ConfigError;
use super::layer::{Layer, Override, Table};
use super::read;
use crate::paths::{below, named, read_text, real};

/// What a configuration is called.
pub const FILE_NAME: &str = "skincheck.toml";

/// One `skincheck.toml`.
#[derive(Debug, Clone)]
pub struct Config {
    pub(super) path: PathBuf,
    /// Patterns of its overrides are relative to this folder: the real one.
    folder: PathBuf,
    pub(super) text: String,
    base: Table,
    pub(super) overrides: Vec<Override>,
}

/// What has the name of a configuration nearest above `file`, in its folder or else in one above it: where that really is.
#[must_use]
pub fn find(file: &Path) -> Option<PathBuf> {
    let file = named(file);
    let mut paths = file.ancestors().skip(1).map(|up| up.join(FILE_NAME));
    let found = paths.find(|path| path.symlink_metadata().is_ok());
    found.map(|path| real(&path))
}

impl Config {
    /// Reads the configuration at `path`.
    ///
    /// # Errors
    ///
    /// [`ConfigError`], with line and column of what is wrong.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        let unreadable = |source| ConfigError::Unreadable {
            path: path.to_owned(),
            source,
        };
        let text = read_text(path).map_err(unreadable)?;
        let real = real(path);
        Self::parse(path, real.parent().unwrap_or(&real), &text)
    }

    /// Reads what [`find`] came upon. Nobody has named it, and nobody waits at the other end if it is a pipe.
    ///
    /// # Errors
    ///
    /// [`ConfigError`], with line and column of what is wrong.
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

    /// Reads the text of a configuration.
    ///
    /// * `path` – for messages.
    /// * `folder` – which its patterns are relative to: the real one.
    ///
    /// # Errors
    ///
    /// [`ConfigError::Wrong`], with line and column.
    pub fn parse(path: &Path, folder: &Path, text: &str) -> Result<Self, ConfigError> {
        let (base, overrides) = read::read(path, text)?;
        Ok(Self {
            path: path.to_owned(),
            folder: folder.to_owned(),
            text: text.to_owned(),
            base,
            overrides,
        })
    }

    /// Where it was read from.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder that it is in: the real one.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What it says about `file`, in the order in which it holds.
    pub fn layers(&self, file: &Path) -> impl Iterator<Item = &Layer> {
        self.tables_for(file).map(|table| &table.layer)
    }

    pub(super) fn tables_for(&self, file: &Path) -> impl Iterator<Item = &Table> {
        let inside = self.inside(file);
        let overrides = self.overrides.iter();
        let fitting = overrides.filter(move |other| other.is_for(&inside));
        std::iter::once(&self.base).chain(fitting.map(|other| &other.table))
    }

    pub(super) fn tables(&self) -> impl Iterator<Item = &Table> {
        let overrides = self.overrides.iter().map(|other| &other.table);
        std::iter::once(&self.base).chain(overrides)
    }

    /// `file` as patterns see it: by its name from where that comes into the folder.
    pub(super) fn inside(&self, file: &Path) -> PathBuf {
        let named = named(file);
        below(&self.folder, &named).unwrap_or(named)
    }
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

    #[cfg(unix)]
    #[test]
    fn a_link_in_a_circle_is_told_in_the_words_of_the_system() {
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
