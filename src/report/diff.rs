//! The report of `diff`.

mod folders;
mod html;
mod json;
mod junit;
mod sarif;
mod text;

use serde::Serialize;

use crate::diff::{Kind, Report};

pub use folders::{to_json as folders_to_json, to_junit as folders_to_junit};
pub use folders::{to_sarif as folders_to_sarif, to_text as folders_to_text};
pub use html::{ImageError, PageImages, write as to_html};
pub use json::write as to_json;
pub use junit::write as to_junit;
pub use sarif::write as to_sarif;
pub use text::write as to_text;

/// Two models and their differences.
#[derive(Debug)]
pub struct Compared {
    /// The paths as given: before and after.
    pub paths: [String; 2],
    /// The differences.
    pub report: Report,
}

/// Two folders and the differences of their models.
#[derive(Debug)]
pub struct Folders {
    /// The paths as given: before and after.
    pub paths: [String; 2],
    /// Sorted by path.
    pub models: Vec<Pair>,
    /// The number of pairs that were not compared because the run was interrupted.
    pub left: usize,
}

/// The result for a model of two folders.
#[derive(Debug)]
pub enum Pair {
    /// The model is in both folders and was compared.
    Compared(Compared),
    /// The model is in one folder only.
    Alone {
        /// Its path.
        path: String,
        /// [`Kind::ModelMissing`] or [`Kind::ModelAdded`].
        kind: Kind,
    },
    /// The model is in both folders and could not be compared.
    Failed {
        /// The paths: before and after.
        paths: [String; 2],
        /// The error message.
        reason: String,
    },
}

/// The number of models by result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct FoldersSummary {
    /// Pairs without a difference.
    pub same: usize,
    /// Pairs with a difference.
    pub different: usize,
    /// Models without a counterpart after.
    pub missing: usize,
    /// Models without a counterpart before.
    pub added: usize,
    /// Pairs that could not be compared.
    pub failed: usize,
    /// Pairs that were not compared because the run was interrupted.
    pub left: usize,
}

impl Folders {
    /// Counts the models by result.
    #[must_use]
    pub fn summary(&self) -> FoldersSummary {
        let mut summary = FoldersSummary {
            left: self.left,
            ..FoldersSummary::default()
        };
        for pair in &self.models {
            *match pair {
                Pair::Compared(compared) if compared.report.is_same() => &mut summary.same,
                Pair::Compared(_) => &mut summary.different,
                Pair::Alone { kind, .. } if *kind == Kind::ModelAdded => &mut summary.added,
                Pair::Alone { .. } => &mut summary.missing,
                Pair::Failed { .. } => &mut summary.failed,
            } += 1;
        }
        summary
    }
}
