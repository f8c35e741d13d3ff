//! The files that a verdict depends on besides the model's own.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde::{Deserialize, Serialize};

/// A file or folder, and its content at the time of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::check) struct FileState {
    /// Relative to the folder that the program runs in.
    pub(super) path: String,
    /// The hash of a file's bytes or of a folder's names; `None` if the path does not exist.
    hash: Option<String>,
}

/// The current content of files, each read once per run.
#[derive(Debug, Default)]
pub(in crate::check) struct States {
    known: Mutex<BTreeMap<PathBuf, Option<String>>>,
}

impl States {
    /// The state of each of `paths` now, without duplicates; `None` if one is not Unicode, which a verdict cannot
    /// store.
    pub(in crate::check) fn of(&self, mut paths: Vec<PathBuf>) -> Option<Vec<FileState>> {
        paths.sort();
        paths.dedup();
        let state = |path: PathBuf| {
            let hash = self.hash(&path);
            let path = path.into_os_string().into_string().ok()?;
            Some(FileState { path, hash })
        };
        paths.into_iter().map(state).collect()
    }

    /// Whether the content is unchanged.
    pub(super) fn holds(&self, file: &FileState) -> bool {
        self.hash(Path::new(&file.path)) == file.hash
    }

    fn hash(&self, path: &Path) -> Option<String> {
        let locked = || self.known.lock().expect("nothing panics while it is held");
        if let Some(known) = locked().get(path) {
            return known.clone();
        }
        let hash = hash(path);
        locked().insert(path.to_owned(), hash.clone());
        hash
    }
}

/// Hashes the bytes of a file, or the names in a folder.
fn hash(path: &Path) -> Option<String> {
    let is_here = path.as_os_str().is_empty();
    let path = if is_here { Path::new(".") } else { path };
    let metadata = fs::metadata(path).ok()?;
    if metadata.is_dir() {
        let names = fs::read_dir(path).ok()?;
        let mut names: Vec<_> = names
            .filter_map(|entry| Some(entry.ok()?.file_name()))
            .collect();
        names.sort();
        let mut hasher = blake3::Hasher::new();
        for name in names {
            hasher.update(name.as_encoded_bytes());
            hasher.update(b"/");
        }
        return Some(format!("folder {}", hasher.finalize().to_hex()));
    }
    if !metadata.is_file() {
        return None;
    }
    of_file(path, blake3::Hasher::new()).ok()
}

/// The hash of the data in `hasher`, followed by the bytes of the regular file at `path`.
pub(super) fn of_file(path: &Path, mut hasher: blake3::Hasher) -> io::Result<String> {
    hasher.update_reader(File::open(path)?)?;
    Ok(hasher.finalize().to_hex().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_appears_changes_or_disappears_is_noticed() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let file = folder.path().join("a.bin");
        let now = |path: &Path| States::default().of(vec![path.to_owned()]);
        let (absent, empty) = (now(&file), now(folder.path()));
        fs::write(&file, "one").expect("it is writable");
        let (one, listed) = (now(&file), now(folder.path()));
        assert_ne!(one, absent);
        assert_ne!(listed, empty);
        fs::write(&file, "two").expect("it is writable");
        assert_ne!(now(&file), one);
        assert_eq!(now(folder.path()), listed);
        fs::remove_file(&file).expect("it is there");
        assert_eq!(now(&file), absent);
    }
}
