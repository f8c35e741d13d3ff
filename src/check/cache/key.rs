//! The key of a verdict, and the files besides the model's own that it depends on.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde::{Deserialize, Serialize};

use crate::check::task::Task;
use crate::import::{IMPORTERS, Options};
use crate::paths::{real_folder, seen_from, slashed};
use crate::rig::{FileStamp, SourceFile};

/// The version of the keys, which grows when the dependencies of verdicts change.
const SCHEMA: &str = "skincheck/verdict/6";

/// The part of the key that all files of a run share: the program and the import options.
#[derive(Debug, Clone)]
pub(in crate::check) struct Keys {
    program: blake3::Hasher,
    import: Options,
}

/// The key of the verdict on a file, from the bytes that it had at `stamp`.
#[derive(Debug)]
pub(in crate::check) struct Key {
    pub(in crate::check) text: String,
    stamp: Option<FileStamp>,
}

impl Key {
    /// The key of the verdict that only lists the files that the model reads, without checking it.
    pub(in crate::check) fn of_files(&self) -> String {
        let text = format!("files {}", self.text);
        blake3::hash(text.as_bytes()).to_hex().to_string()
    }

    /// Whether the file at `path` has not changed: whatever was read of it meanwhile are the bytes of the key.
    pub(in crate::check) fn holds(&self, path: &Path) -> bool {
        self.stamp == FileStamp::of(path)
    }
}

impl Keys {
    pub(in crate::check) fn of(import: &Options) -> Self {
        let mut program = blake3::Hasher::new();
        let Options {
            importer,
            animation,
            clips,
            variant,
            expressions,
            images,
            // These decide whether a file can be read; `folders` has the last two.
            isolation: _,
            limits: _,
            read_from: _,
            project_file: _,
            // Not for checks.
            decoded: _,
        } = import;
        let readers: Vec<_> = IMPORTERS
            .iter()
            .map(|known| (known.name(), known.version()))
            .collect();
        let text = format!(
            "{SCHEMA} {} {readers:?} {importer:?} {animation:?} {clips:?} {variant:?} {expressions:?} {images}",
            build()
        );
        program.update(text.as_bytes());
        Self {
            program,
            import: import.clone(),
        }
    }

    /// The hash of the import options.
    pub(in crate::check) fn digest(&self) -> String {
        self.program.finalize().to_hex().to_string()
    }

    /// The key of the verdict on `task`; `None` if its file cannot be read.
    pub(in crate::check) fn key(&self, task: &Task) -> Option<Key> {
        let path = Path::new(&task.path);
        let can_be_kept = task.failure.is_none() && path.is_file();
        if !can_be_kept {
            return None;
        }
        let stamp = FileStamp::of(path);
        let mut hasher = self.program.clone();
        // The path is part of messages.
        hasher.update(slashed(path).as_bytes());
        hasher.update(task.verdict_settings().as_bytes());
        let own = real_folder(path.parent().unwrap_or(path));
        for folder in self.import.folders(path) {
            hasher.update(slashed(&seen_from(&own, &folder)).as_bytes());
        }
        let text = of_file(path, hasher).ok()?;
        Some(Key { text, stamp })
    }
}

/// The version of skincheck, and a digest of its sources: builds of one version may judge differently.
pub(in crate::check) fn build() -> String {
    concat!(env!("CARGO_PKG_VERSION"), " ", env!("SKINCHECK_SOURCES")).to_owned()
}

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
        let mut names: Vec<_> = fs::read_dir(path)
            .ok()?
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
fn of_file(path: &Path, mut hasher: blake3::Hasher) -> io::Result<String> {
    hasher.update_reader(File::open(path)?)?;
    Ok(hasher.finalize().to_hex().to_string())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Arc;

    use super::*;
    use crate::finding::Level;

    #[test]
    fn a_key_holds_until_the_file_changes() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let path = folder.path().join("a.glb");
        fs::write(&path, "one").expect("it is writable");
        let task = Task {
            index: 0,
            path: path.clone(),
            failure: None,
            config: None,
            expected: Arc::default(),
            weight: 1,
            level: Level::Warning,
            has_changed: true,
        };
        let keys = Keys::of(&Options::default());
        let first = keys.key(&task).expect("it can be read");
        assert!(first.holds(&path));
        fs::write(&path, "three").expect("it is writable");
        assert!(!first.holds(&path));
        let second = keys.key(&task).expect("it can be read");
        assert_ne!(second.text, first.text);
    }

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
