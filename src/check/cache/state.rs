//! The files that a verdict depends on besides the model's own.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde::{Deserialize, Serialize};

use crate::rig::{FileStamp, SourceFile};

/// A file or folder, and its content at the time of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::check) struct FileState {
    /// Relative to the folder that the program runs in.
    pub(super) path: String,
    /// The hash of a file's bytes or of a folder's names; `None` if the path does not exist.
    hash: Option<String>,
}

/// The current content of files, each read once per run unless it changes.
#[derive(Debug, Default)]
pub(in crate::check) struct States {
    known: Mutex<BTreeMap<PathBuf, Hashed>>,
}

#[derive(Debug, Clone)]
struct Hashed {
    /// From before the content was read.
    stamp: Option<FileStamp>,
    hash: Option<String>,
}

impl States {
    /// The state of each of `files`, without duplicates, as the importer has read them. `None` if one has changed since
    /// the importer read it, or is not Unicode, which a verdict cannot store.
    pub(in crate::check) fn of(&self, mut files: Vec<SourceFile>) -> Option<Vec<FileState>> {
        files.sort();
        files.dedup();
        let state = |SourceFile { path, stamp }: SourceFile| {
            let hash = self.hash(&path);
            if FileStamp::of(&path) != stamp {
                return None;
            }
            let path = path.into_os_string().into_string().ok()?;
            Some(FileState { path, hash })
        };
        files.into_iter().map(state).collect()
    }

    /// Whether the content is unchanged.
    pub(super) fn holds(&self, file: &FileState) -> bool {
        self.hash(Path::new(&file.path)) == file.hash
    }

    fn hash(&self, path: &Path) -> Option<String> {
        let locked = || self.known.lock().expect("nothing panics while it is held");
        let stamp = FileStamp::of(path);
        if let Some(known) = locked().get(path)
            && known.stamp == stamp
        {
            return known.hash.clone();
        }
        let hash = hash(path);
        let hashed = Hashed {
            stamp,
            hash: hash.clone(),
        };
        locked().insert(path.to_owned(), hashed);
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
        let now = |path: &Path| {
            let states = States::default().of(vec![SourceFile::at(path.to_owned())]);
            states.expect("nothing changes meanwhile")
        };
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

    #[test]
    fn a_file_that_changes_after_it_was_read_has_no_state() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let file = folder.path().join("a.bin");
        let states = States::default();
        for content in ["one", "three", ""] {
            let read = SourceFile::at(file.clone());
            assert!(states.of(vec![read.clone()]).is_some());
            fs::write(&file, content).expect("it is writable");
            assert_eq!(states.of(vec![read]), None, "{content}");
        }
        let read = SourceFile::at(file.clone());
        fs::remove_file(&file).expect("it is there");
        assert_eq!(states.of(vec![read]), None);
    }
}
