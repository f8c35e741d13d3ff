//! Changed files, and the models that they affect.

mod git;
mod list;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::config::{Config, FILE_NAME};
use super::shards::digest;
use crate::paths::{named, real, real_folder};
use crate::shown::unicode;

pub use git::GitError;
pub use list::ListError;

/// A set of changed files. A model is checked only if it, its configuration, or a file that it reads is one of them.
///
/// Paths are compared without regard to case, because a file system may ignore it: two files whose names differ only in
/// case both count as changed.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// Files, and folders whose content has changed as a whole.
    files: BTreeSet<String>,
    /// Folders in which files have appeared or disappeared.
    folders: BTreeSet<String>,
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
        let (top, changed) = git::changed(reference)?;
        let mut changes = Self::default();
        for (path, is_new_or_gone) in changed {
            changes.add(&top.join(path), is_new_or_gone);
        }
        changes.within = Some(real_folder(&top));
        Ok(changes)
    }

    /// The files that `list` names, relative to the current folder: one per line, or separated by NUL.
    ///
    /// # Errors
    ///
    /// [`ListError`].
    pub fn listed(list: &[u8], is_separated_by_nul: bool) -> Result<Self, ListError> {
        let mut changes = Self::default();
        for path in list::paths(list, is_separated_by_nul)? {
            changes.add(&path, true);
        }
        Ok(changes)
    }

    fn add(&mut self, path: &Path, is_new_or_gone: bool) {
        let path = real(path);
        if let Some(folder) = path.parent().filter(|_| is_new_or_gone) {
            self.folders.insert(key(folder));
        }
        self.files.insert(key(&path));
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

    /// Whether one of `files`, which a model has read, looked for or listed, has changed.
    pub(crate) fn affect(&self, mut files: impl Iterator<Item = PathBuf>) -> bool {
        files.any(|file| self.has(&file) || self.folders.contains(&key(&real_folder(&file))))
    }

    /// Whether `path` has changed, by its own name or by that of the file that it leads to.
    fn has(&self, path: &Path) -> bool {
        let names = [Some(real(path)), path.canonicalize().ok()];
        names.iter().flatten().any(|name| {
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
        let all = self.files.iter().chain(&self.folders);
        digest(all.map(|path| path.strip_prefix(&here).unwrap_or(path).to_owned()))
    }
}

fn key(path: &Path) -> String {
    unicode(path).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(list: &str) -> Changes {
        Changes::listed(list.as_bytes(), false).expect("the list is right")
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
    fn a_listed_folder_is_affected_by_files_that_come_and_go_in_it() {
        let affect = |set: &Changes, path: &str| set.affect(std::iter::once(path.into()));
        let mut set = changes("src/gone.png\n");
        assert!(affect(&set, "src") && affect(&set, "src/gone.png"));
        assert!(!affect(&set, "src/import") && !affect(&set, "."));
        set = Changes::default();
        set.add(Path::new("src/lib.rs"), false);
        assert!(!affect(&set, "src") && affect(&set, "src/lib.rs"));
    }
}
