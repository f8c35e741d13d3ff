//! Images that skincheck writes and recognizes.

use std::path::{Path, PathBuf};

use anyhow::ensure;

use super::output::Target;
use crate::frame::png;
use crate::report::curve;
use crate::shown;

/// The text chunk that names skincheck.
pub(super) fn signature() -> (String, String) {
    let software = format!("skincheck {}", env!("CARGO_PKG_VERSION"));
    (png::SOFTWARE.to_owned(), software)
}

/// Whether a file holds an image written by skincheck.
pub(super) fn is_ours(bytes: &[u8]) -> bool {
    if bytes.starts_with(curve::SIGNATURE.as_bytes()) {
        return true;
    }
    png::head(bytes).is_ok_and(|head| png::names_skincheck(&head.text))
}

/// Refuses to overwrite an input or a file of another program.
pub(super) fn check_output(path: &Path, inputs: &[PathBuf]) -> anyhow::Result<()> {
    Target::from(path).check_inputs(inputs)?;
    let is_foreign = std::fs::read(path).is_ok_and(|bytes| !is_ours(&bytes));
    ensure!(
        !is_foreign,
        "{} exists and was not written by skincheck; choose another folder",
        shown::path(path)
    );
    Ok(())
}
