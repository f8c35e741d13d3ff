//! The files that a model depends on.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// A file or folder that the importer of a model has read, looked for or listed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SourceFile {
    /// Its path, in whatever encoding.
    #[serde(with = "encoded")]
    pub path: PathBuf,
    /// Its state before it was read; `None` if it did not exist.
    pub stamp: Option<FileStamp>,
}

impl SourceFile {
    /// The file at `path`, which is about to be read.
    #[must_use]
    pub fn at(path: PathBuf) -> Self {
        let stamp = FileStamp::of(&path);
        Self { path, stamp }
    }

    /// The file at `path` relative to `folder`, which is about to be read.
    #[must_use]
    pub fn below(folder: &Path, path: PathBuf) -> Self {
        let stamp = FileStamp::of(&folder.join(&path));
        Self { path, stamp }
    }
}

/// What the file system knows about a file without reading it. It changes whenever the content changes, within the
/// resolution of the file system's clock, and whenever another file takes its place, however old.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileStamp {
    bytes: u64,
    /// The device and the number of the file on it; zero where the system has none.
    identity: (u64, u64),
    /// The time of the last change of the content, in seconds and nanoseconds.
    modified: (i64, i64),
    /// The time of the last change of the content or the name, which programs cannot set; zero where the system has none.
    changed: (i64, i64),
}

impl FileStamp {
    /// The current one of the file or folder at `path`, through links; `None` if it does not exist.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        let is_here = path.as_os_str().is_empty();
        let path = if is_here { Path::new(".") } else { path };
        Some(Self::from_metadata(&fs::metadata(path).ok()?))
    }

    #[cfg(unix)]
    fn from_metadata(metadata: &fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self {
            bytes: metadata.size(),
            identity: (metadata.dev(), metadata.ino()),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    #[cfg(not(unix))]
    fn from_metadata(metadata: &fs::Metadata) -> Self {
        let since = metadata
            .modified()
            .ok()
            .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok())
            .unwrap_or_default();
        Self {
            bytes: metadata.len(),
            identity: (0, 0),
            modified: (
                since.as_secs().cast_signed(),
                i64::from(since.subsec_nanos()),
            ),
            changed: (0, 0),
        }
    }
}

/// Stores a path that may not be Unicode.
mod encoded {
    use std::path::{Path, PathBuf};

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[cfg(unix)]
    pub(super) fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
        std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()).serialize(serializer)
    }

    #[cfg(unix)]
    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<PathBuf, D::Error> {
        let bytes = Vec::<u8>::deserialize(deserializer)?;
        Ok(PathBuf::from(
            <std::ffi::OsString as std::os::unix::ffi::OsStringExt>::from_vec(bytes),
        ))
    }

    #[cfg(not(unix))]
    pub(super) fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
        path.serialize(serializer)
    }

    #[cfg(not(unix))]
    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<PathBuf, D::Error> {
        PathBuf::deserialize(deserializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_changes_with_the_content_and_with_the_file() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let (file, other) = (folder.path().join("a.bin"), folder.path().join("b.bin"));
        assert_eq!(FileStamp::of(&file), None);
        fs::write(&file, "one").expect("it is writable");
        let first = FileStamp::of(&file);
        assert_eq!(FileStamp::of(&file), first);
        fs::write(&file, "three").expect("it is writable");
        let second = FileStamp::of(&file);
        assert_ne!(second, first);
        // A file of the same size and time takes its place.
        fs::write(&other, "seven").expect("it is writable");
        let modified = fs::metadata(&file).and_then(|metadata| metadata.modified());
        fs::File::options()
            .write(true)
            .open(&other)
            .and_then(|opened| opened.set_modified(modified?))
            .expect("its time can be set");
        fs::rename(&other, &file).expect("it is there");
        if cfg!(unix) {
            assert_ne!(FileStamp::of(&file), second);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_path_that_is_not_unicode_survives() {
        use std::os::unix::ffi::OsStrExt;
        let file = SourceFile::at(std::ffi::OsStr::from_bytes(b"caf\xe9.mtl").into());
        let bytes = postcard::to_stdvec(&file).expect("it can be written");
        assert_eq!(postcard::from_bytes(&bytes), Ok(file));
    }
}
