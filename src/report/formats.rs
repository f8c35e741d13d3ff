//! The list of output formats.

use super::format::Format;
use super::{github, html, json, junit, sarif, text};

/// Every format, in the order of the documentation; the first is the default.
pub static FORMATS: &[&dyn Format] = &[
    &text::Text,
    &json::Json,
    &sarif::Sarif,
    &junit::JUnit,
    &github::GitHub,
    &html::Html,
];

/// The format named `name`.
#[must_use]
pub fn find_format(name: &str) -> Option<&'static dyn Format> {
    FORMATS.iter().copied().find(|format| format.name() == name)
}
