//! The report of `diff`.

mod json;
mod junit;
mod text;

use crate::diff::Report;

pub use json::write as to_json;
pub use junit::write as to_junit;
pub use text::write as to_text;

/// Two models and how they differ.
#[derive(Debug)]
pub struct Compared {
    /// The paths as the user gave them: before and after.
    pub paths: [String; 2],
    /// How they differ.
    pub report: Report,
}
