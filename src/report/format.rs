//! The trait of an output format.

use crate::check::Report;

/// Options of a report.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct View {
    /// Uses colour escape sequences.
    pub color: bool,
    /// Lists rules that could not be checked, file by file.
    pub verbose: bool,
    /// Says that findings that are gone were removed from the baseline, instead of how to remove them.
    pub pruned: bool,
}

/// An output format of reports.
///
/// To add one, write a file beside this one and add a line to [`FORMATS`](super::FORMATS).
pub trait Format: Sync {
    /// The name in lower case, such as `sarif`.
    fn name(&self) -> &'static str;

    /// The readers it is for; one fragment.
    fn about(&self) -> &'static str;

    /// Renders the whole report. The same report always gives the same text. It ends in a line break unless it is
    /// empty.
    fn write(&self, report: &Report, view: View) -> String;
}
