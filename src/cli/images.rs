//! PNG files that skincheck writes and recognizes.

use std::path::{Path, PathBuf};

use anyhow::ensure;
use skincheck::frame::png;
use skincheck::shown;

use super::output::Target;

/// The keyword of the text chunk that names the program that made an image (PNG specification §11.3.3.2).
const SOFTWARE: &str = "Software";

/// The text chunk that names skincheck.
pub(super) fn signature() -> (String, String) {
    let software = format!("skincheck {}", env!("CARGO_PKG_VERSION"));
    (SOFTWARE.to_owned(), software)
}

/// Whether a file holds an image written by skincheck.
pub(super) fn is_ours(bytes: &[u8]) -> bool {
    let by_us = |(key, text): &(String, String)| key == SOFTWARE && text.starts_with("skincheck");
    png::texts_of(bytes).is_ok_and(|texts| texts.iter().any(by_us))
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
