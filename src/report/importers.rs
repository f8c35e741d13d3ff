//! The report of `crosscheck --importers`, which reads a file with two importers.

mod json;
mod text;

use crate::crosscheck::importers::ImporterReport;

pub use json::write as to_json;
pub use text::of_model;

/// A model and its result.
#[derive(Debug)]
pub struct Compared {
    /// The path as given.
    pub model: String,
    /// The result.
    pub report: ImporterReport,
}
