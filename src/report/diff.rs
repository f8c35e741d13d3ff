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
pub(super) use html::sentence;
pub use html::{ImageError, PageImages, write as to_html};
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

/// Two folders and how their models differ.
#[derive(Debug)]
pub struct Folders {
    /// The paths as the user gave them: before and after.
    pub paths: [String; 2],
    /// In the order of their paths.
    pub models: Vec<Pair>,
    /// How many pairs were not compared because the run was interrupted.
    pub left: usize,
}

/// The result for a model of two folders.
#[derive(Debug)]
pub enum Pair {
    /// It is in both, and was compared.
    Compared(Compared),
    /// It is in one of them.
    Alone {
        /// Its path.
        path: String,
        /// [`Kind::ModelMissing`] or [`Kind::ModelAdded`].
        kind: Kind,
    },
    /// It is in both, and could not be compared.
    Failed {
        /// The paths: before and after.
        paths: [String; 2],
        /// In words.
        reason: String,
    },
}

/// How many models of two folders came out how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct FoldersSummary {
    /// Pairs without a difference.
    pub same: usize,
    /// Pairs with one.
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
    /// How many models came out how.
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
