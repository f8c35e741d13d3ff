//! The report of `diff`.

mod html;
mod json;
mod junit;
mod sarif;
mod text;

use crate::diff::Report;

pub(super) use html::sentence;
pub use html::{PictureError, Pictures, write as to_html};
pub use json::write as to_json;
pub use junit::write as to_junit;
pub use sarif::write as to_sarif;
pub use text::write as to_text;

/// Two models and how they differ.
#[derive(Debug)]
pub struct Compared {
    /// The paths as the user gave them: before and after.
    pub paths: [String; 2],
    /// How they differ.
    pub report: Report,
}
