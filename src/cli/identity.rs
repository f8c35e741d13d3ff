//! Which names are names of the same file.

use std::fs;
use std::path::Path;

/// Two paths with the same one are the same file, by whatever names and links.
#[cfg(unix)]
pub(super) type Identity = (u64, u64);

/// Two paths with the same one are the same file; hard links are not seen through.
#[cfg(not(unix))]
pub(super) type Identity = std::path::PathBuf;

/// Of the file at `path`; `None` if there is none.
#[cfg(unix)]
pub(super) fn identity(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino()))
}

/// Of the file at `path`; `None` if there is none.
#[cfg(not(unix))]
pub(super) fn identity(path: &Path) -> Option<Identity> {
    fs::canonicalize(path).ok()
}
