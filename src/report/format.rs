//! What a format is.

use crate::check::Report;

/// How a report is to be shown, where its format leaves a choice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct View {
    /// In colour, by escape sequences.
    pub color: bool,
    /// With what could not be checked, file by file.
    pub verbose: bool,
    /// Says that accepted findings that are gone were removed from the baseline, not how to do that.
    pub pruned: bool,
}

/// A way to write a report.
///
/// To add one: a file beside this one, and a line in [`FORMATS`](super::FORMATS).
pub trait Format: Sync {
    /// Lower case, such as `sarif`.
    fn name(&self) -> &'static str;

    /// Who reads it; one fragment.
    fn about(&self) -> &'static str;

    /// The whole report. The same for the same report, always; ends in a line break, unless it is empty.
    fn write(&self, report: &Report, view: View) -> String;
}
