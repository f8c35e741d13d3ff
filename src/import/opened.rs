//! The files that are opened while models are read: what no output may be written over.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

thread_local! {
    /// Of the import that runs in this thread, if one does.
    static OPENED: RefCell<Option<BTreeSet<PathBuf>>> = const { RefCell::new(None) };
}

/// Runs an `import`; returns its result, and the files that it said it has opened.
pub(super) fn collect<T>(import: impl FnOnce() -> T) -> (T, Vec<PathBuf>) {
    OPENED.set(Some(BTreeSet::new()));
    let result = import();
    let files = OPENED.take().unwrap_or_default();
    (result, files.into_iter().collect())
}

/// For importers: the file at `path` is opened beside the model itself.
pub(super) fn note(path: &Path) {
    OPENED.with_borrow_mut(|files| {
        if let Some(files) = files {
            files.insert(path.to_owned());
        }
    });
}

/// A path as it crosses the pipe between two processes: Unicode or not.
pub(super) fn to_wire(path: &Path) -> Vec<u8> {
    path.as_os_str().as_encoded_bytes().to_vec()
}

/// The reverse of [`to_wire`].
pub(super) fn from_wire(bytes: Vec<u8>) -> PathBuf {
    #[cfg(unix)]
    let path: OsString = std::os::unix::ffi::OsStringExt::from_vec(bytes);
    #[cfg(not(unix))]
    let path = OsString::from(String::from_utf8_lossy(&bytes).into_owned());
    path.into()
}

/// All files that were opened for the models that are read with some [`Options`](super::Options) and their clones: the
/// models, clips and pictures, and the buffers, materials and skeletons that these name.
///
/// Of a model whose importer crashes or runs out of time, its own file alone.
#[derive(Debug, Clone, Default)]
pub struct OpenedFiles(Arc<Mutex<BTreeSet<PathBuf>>>);

impl OpenedFiles {
    /// In order, each once.
    #[must_use]
    pub fn paths(&self) -> Vec<PathBuf> {
        let files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        files.iter().cloned().collect()
    }

    pub(super) fn extend(&self, paths: impl IntoIterator<Item = PathBuf>) {
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        files.extend(paths);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_files_of_the_import_itself_are_collected() {
        note(Path::new("before"));
        let (result, files) = collect(|| {
            note(Path::new("b.bin"));
            note(Path::new("a.bin"));
            note(Path::new("b.bin"));
            7
        });
        note(Path::new("after"));
        assert_eq!((result, files), (7, vec!["a.bin".into(), "b.bin".into()]));
        assert_eq!(collect(|| ()).1, Vec::<PathBuf>::new());
    }

    #[cfg(unix)]
    #[test]
    fn a_path_that_is_not_unicode_crosses_the_pipe() {
        let path = from_wire(vec![b'a', 0xff]);
        assert_eq!(from_wire(to_wire(&path)), path);
        assert_eq!(to_wire(&path), [b'a', 0xff]);
    }
}
