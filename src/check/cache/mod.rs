//! Verdicts that are kept, so that a file is not checked again until something that its verdict depends on changes.
//!
//! A verdict is found by the [key](key::Keys) of its file: the bytes, the path, the effective configuration and the program.
//! It holds only while every other file that the importer has read, looked for or listed is [as it was](state::States).
//! Files that cannot be read and cross-checks, which depend on the machine's driver, are checked every time.

mod folder;
mod key;
mod state;
mod timings;
mod verdict;

pub use folder::{Cache, CacheStats};
pub(super) use key::{Keys, build};
pub(super) use state::States;
pub(super) use verdict::Verdict;
