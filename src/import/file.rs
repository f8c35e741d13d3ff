//! Files that are read whole.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::ImporterError;
use crate::paths::open_regular;

/// The bytes of the file at `path`.
///
/// # Errors
///
/// [`ImporterError::Parse`] if it cannot be read, and [`ImporterError::Unsupported`] if it has more than `most` bytes.
pub(super) fn read(path: &Path, most: u64) -> Result<Vec<u8>, ImporterError> {
    read_opened(open_regular(path).map_err(unreadable)?, most)
}

/// As [`read`].
pub(super) fn read_opened(file: File, most: u64) -> Result<Vec<u8>, ImporterError> {
    let mut bytes = Vec::new();
    let mut file = file.take(most + 1);
    file.read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > most {
        let what = format!("a file of {} GiB or more", (most + 1) >> 30);
        return Err(ImporterError::Unsupported { what });
    }
    Ok(bytes)
}

#[expect(clippy::needless_pass_by_value, reason = "as `map_err` passes it")]
fn unreadable(error: io::Error) -> ImporterError {
    match error.kind() {
        io::ErrorKind::OutOfMemory => ImporterError::OutOfMemory,
        _ => ImporterError::parse(format!("it cannot be read: {error}")),
    }
}
