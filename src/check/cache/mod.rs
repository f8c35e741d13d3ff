//! Cached verdicts: a file is re-checked only when one of its inputs changes.
//!
//! The [key](key::Keys) of a verdict covers the file's bytes, the path, the effective configuration and the program.
//! The verdict is valid only while every other file that the importer has read, looked for or listed is as it
//! was, and is stored only if none of them, nor the file itself, has changed while it was being
//! checked. Files that cannot be read are checked every time.

mod folder;
mod key;
mod verdict;

pub use folder::Cache;
pub(super) use key::{Key, Keys, States, build};
pub(super) use verdict::Verdict;
