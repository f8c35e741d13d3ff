//! The folder of the cache.
//!
//! Many processes may use one folder at once: a file appears whole or not at all, is never changed, and counts as
//! missing if it is damaged.

use std::collections::BTreeSet;
use std::fs::{self, DirEntry, File};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use etcetera::base_strategy::{BaseStrategy, choose_native_strategy};

use super::verdict::Verdict;
use crate::frame::write_unsynced;

/// The size limit of all verdicts, in bytes: enough for a hundred thousand models.
const MOST_BYTES: u64 = 1 << 30;

/// The number of subfolders, which are named after the first two digits of keys.
const SUBFOLDERS: u64 = 256;

/// The time stamp of a used verdict is renewed once a day.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Tells programs that make backups to skip the verdicts.
///
/// # Reference
///
/// Cache Directory Tagging Specification, version 0.6: the name of the file, and the line that it begins with.
const TAG: (&str, &str) = (
    "CACHEDIR.TAG",
    "Signature: 8a477f597d28d172789f06886806bc55\n# Verdicts of skincheck check; they may be deleted.\n",
);

/// The folder of the cache.
#[derive(Debug)]
pub struct Cache {
    folder: PathBuf,
    /// Subfolders that have been written to.
    grown: Mutex<BTreeSet<PathBuf>>,
    /// The first failure to write, after which nothing is written any more.
    failure: Mutex<Option<String>>,
}

impl Cache {
    /// The cache in `folder`, which is created when something is written.
    #[must_use]
    pub fn at(folder: PathBuf) -> Self {
        Self {
            folder,
            grown: Mutex::default(),
            failure: Mutex::default(),
        }
    }

    /// The user's cache: `skincheck` below `$XDG_CACHE_HOME` or `~/.cache`, `~/Library/Caches`, or `%LOCALAPPDATA%`.
    /// `None` without a home folder.
    #[must_use]
    pub fn user_folder() -> Option<PathBuf> {
        let base = choose_native_strategy().ok()?.cache_dir();
        // An empty `HOME` may become a relative path.
        base.is_absolute().then(|| base.join("skincheck"))
    }

    /// Why verdicts of this run were not cached, if so.
    #[must_use]
    pub fn failure(&self) -> Option<String> {
        let failure = self.failure.lock();
        failure.unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(in crate::check) fn get(&self, key: &str) -> Option<Verdict> {
        let path = self.path(key);
        let bytes = read_plain(&path)?;
        keep_young(&path);
        Verdict::parse(&bytes)
    }

    pub(in crate::check) fn put(&self, verdict: &Verdict) {
        let path = self.path(&verdict.key);
        self.write(&path, &verdict.to_bytes());
        let folder = path.parent().unwrap_or(&path).to_owned();
        let mut grown = self.grown.lock().expect("nothing panics while it is held");
        grown.insert(folder);
    }

    /// Writes a file, unless writing has failed before. A full disk, or a folder without permission, does not end a
    /// run.
    fn write(&self, path: &Path, bytes: &[u8]) {
        if self.failure().is_some() {
            return;
        }
        let folder = path.parent().unwrap_or(path);
        if path.symlink_metadata().is_ok_and(|entry| !entry.is_file()) {
            // A link would be followed, and a pipe waits. If this fails, so does writing.
            let _ = fs::remove_file(path);
        }
        let made = fs::create_dir_all(folder).map_err(|error| error.to_string());
        self.tag();
        let written = made.and_then(|()| {
            write_unsynced(path, bytes).map_err(|error| crate::shown::causes(&error))
        });
        if let Err(error) = written {
            let mut failure = self
                .failure
                .lock()
                .expect("nothing panics while it is held");
            *failure = Some(error);
        }
    }

    fn tag(&self) {
        let (name, text) = TAG;
        let path = self.verdicts().join(name);
        if path.symlink_metadata().is_err() {
            // If this fails, backups only contain the verdicts.
            let _ = write_unsynced(&path, text.as_bytes());
        }
    }

    /// Removes the least recently used verdicts of subfolders that have exceeded their share.
    pub(in crate::check) fn trim(&self) {
        let grown = self.grown.lock().expect("nothing panics while it is held");
        grown
            .iter()
            .for_each(|folder| trim(folder, MOST_BYTES / SUBFOLDERS));
    }

    fn verdicts(&self) -> PathBuf {
        self.folder.join("verdicts")
    }

    fn path(&self, key: &str) -> PathBuf {
        let (subfolder, name) = key.split_at(key.len().min(2));
        self.verdicts().join(subfolder).join(name)
    }
}

/// The bytes of a verdict; `None` for a link, a pipe, a device, or a file too large for one.
fn read_plain(path: &Path) -> Option<Vec<u8>> {
    let entry = path.symlink_metadata().ok()?;
    let is_plain = entry.is_file() && entry.len() <= MOST_BYTES / SUBFOLDERS;
    is_plain.then(|| fs::read(path).ok()).flatten()
}

fn keep_young(path: &Path) {
    let modified = path.metadata().and_then(|metadata| metadata.modified());
    let is_old = modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > DAY));
    if is_old && let Ok(file) = File::options().append(true).open(path) {
        // If this fails, the verdict only seems older than it is.
        let _ = file.set_modified(SystemTime::now());
    }
}

fn trim(folder: &Path, most_bytes: u64) {
    let mut entries: Vec<_> = entries(folder)
        .filter_map(|entry| {
            let metadata = entry.metadata().ok()?;
            Some((metadata.modified().ok()?, entry.path(), metadata.len()))
        })
        .collect();
    entries.sort();
    let mut bytes: u64 = entries.iter().map(|(_, _, bytes)| bytes).sum();
    for (_, path, size) in entries {
        if bytes <= most_bytes {
            break;
        }
        // Another process may have removed it.
        let _ = fs::remove_file(path);
        bytes -= size;
    }
}

fn entries(folder: &Path) -> impl Iterator<Item = DirEntry> + use<> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(Result::ok)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backups_skip_the_verdicts_and_nothing_next_to_them() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let cache = Cache::at(folder.path().to_owned());
        cache.write(&cache.path("key"), b"verdict");
        let tag = folder.path().join("verdicts/CACHEDIR.TAG");
        let text = fs::read_to_string(tag).expect("it is there");
        assert!(text.starts_with("Signature: 8a477f597d28d172789f06886806bc55\n"));
        assert!(!folder.path().join("CACHEDIR.TAG").exists());
        assert!(cache.path("key").exists());
    }

    #[cfg(unix)]
    #[test]
    fn links_and_pipes_are_replaced_by_verdicts() {
        use crate::check::FileReport;

        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let cache = Cache::at(folder.path().join("cache"));
        let verdict = |key: &str| Verdict {
            key: key.to_owned(),
            files: Vec::new(),
            report: FileReport::default(),
        };
        let elsewhere = folder.path().join("elsewhere");
        fs::write(&elsewhere, "other").expect("it is writable");
        let (link, pipe) = (cache.path("link"), cache.path("pipe"));
        for path in [&link, &pipe] {
            let parent = path.parent().expect("it has one");
            fs::create_dir_all(parent).expect("it is writable");
        }
        std::os::unix::fs::symlink(&elsewhere, &link).expect("it is writable");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.is_ok_and(|status| status.success()));
        for key in ["link", "pipe"] {
            assert!(cache.get(key).is_none(), "{key}");
            cache.put(&verdict(key));
            assert!(cache.get(key).is_some(), "{key}");
        }
        assert_eq!(cache.failure(), None);
        let kept = fs::read(&elsewhere).expect("it is there");
        assert_eq!(kept, b"other");
    }

    #[test]
    fn the_longest_unused_verdicts_make_room() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let at = |name: &str| folder.path().join(name);
        for (name, age) in [("new", 0), ("old", 200), ("older", 300)] {
            fs::write(at(name), [0; 10]).expect("it is writable");
            let file = File::options()
                .append(true)
                .open(at(name))
                .expect("it is there");
            let time = SystemTime::now() - Duration::from_secs(age);
            file.set_modified(time).expect("it is the user's own");
        }
        trim(folder.path(), 25);
        assert!(at("new").exists() && at("old").exists() && !at("older").exists());
        trim(folder.path(), 30);
        assert!(at("old").exists());
    }
}
