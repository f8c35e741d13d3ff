//! The key of a verdict.

use std::path::Path;
use std::time::UNIX_EPOCH;

use super::super::task::Task;
use super::state::of_file;
use crate::import::{IMPORTERS, Options};
use crate::paths::{real_folder, seen_from, slashed};
use crate::rig::FileStamp;

/// The version of the keys, which grows when the dependencies of verdicts change.
const SCHEMA: &str = "skincheck/verdict/5";

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
        } = import;
        let readers = IMPORTERS
            .iter()
            .map(|known| (known.name(), known.version()));
        let readers: Vec<_> = readers.collect();
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

    /// The key of the verdict on `task`; `None` if its file cannot be read, or it must be checked every time.
    pub(in crate::check) fn key(&self, task: &Task) -> Option<Key> {
        let path = Path::new(&task.path);
        let can_be_kept = task.failure.is_none() && !task.crosses() && path.is_file();
        if !can_be_kept {
            return None;
        }
        let stamp = FileStamp::of(path);
        let mut hasher = self.program.clone();
        // The path is part of messages.
        hasher.update(slashed(path).as_bytes());
        hasher.update(task.configuration().as_bytes());
        let own = real_folder(path.parent().unwrap_or(path));
        for folder in self.import.folders(path) {
            hasher.update(slashed(&seen_from(&own, &folder)).as_bytes());
        }
        let text = of_file(path, hasher).ok()?;
        Some(Key { text, stamp })
    }
}

/// The version of skincheck. For a development build, also a hash of the program file, which changes with every build.
pub(in crate::check) fn build() -> String {
    let version = env!("CARGO_PKG_VERSION");
    if !cfg!(debug_assertions) {
        return version.to_owned();
    }
    let program = std::env::current_exe().and_then(std::fs::metadata).ok();
    let identity = program.and_then(|program| {
        let modified = program.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some((program.len(), modified))
    });
    format!("{version} {identity:?}")
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
}
