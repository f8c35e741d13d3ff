//! The report of `crosscheck --importers`: two importers on the same file.

mod json;
mod text;

use crate::crosscheck::importers::ImporterReport;

pub use json::write as to_json;
pub use text::of_model;

/// A model and what came of it.
#[derive(Debug)]
pub struct Compared {
    /// The path as the user gave it.
    pub model: String,
    /// How the importers compare.
    pub report: ImporterReport,
}
