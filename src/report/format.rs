//! What a format is, and which there are.

use super::{github, json, junit, sarif, text};
use crate::check::Report;

/// How a report is to be shown, where its format leaves a choice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct View {
    /// In colour, by escape sequences.
    pub color: bool,
    /// With what could not be checked, file by file.
    pub verbose: bool,
    /// Told that accepted findings that are gone were taken out of the baseline, not how to do that.
    pub pruned: bool,
}

/// A way to write a report.
///
/// To add one: a file beside this one, and a line in [`FORMATS`].
pub trait Format: Sync {
    /// Lower case, such as `sarif`.
    fn name(&self) -> &'static str;

    /// Who reads it; one fragment.
    fn about(&self) -> &'static str;

    /// The whole report. The same for the same report, always; ends in a line break, unless it is empty.
    fn write(&self, report: &Report, view: View) -> String;
}

/// Every format, in the order of the documentation; the first is the default.
pub static FORMATS: &[&dyn Format] = &[
    &text::Text,
    &json::Json,
    &sarif::Sarif,
    &junit::JUnit,
    &github::GitHub,
];

/// The format called `name`.
#[must_use]
pub fn find_format(name: &str) -> Option<&'static dyn Format> {
    FORMATS.iter().copied().find(|format| format.name() == name)
}
