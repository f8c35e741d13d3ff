//! Files that are read whole.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::ImporterError;

/// The bytes of the file at `path`.
///
/// # Errors
///
/// [`ImporterError::Parse`] if it cannot be read, and [`ImporterError::Unsupported`] if it has more than `most` bytes.
pub(super) fn read(path: &Path, most: u64) -> Result<Vec<u8>, ImporterError> {
    let unreadable =
        |error: std::io::Error| ImporterError::parse(format!("it cannot be read: {error}"));
    let file = File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    let mut file = file.take(most + 1);
    file.read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > most {
        let what = format!("a file of {} GiB or more", (most + 1) >> 30);
        return Err(ImporterError::Unsupported { what });
    }
    Ok(bytes)
}
