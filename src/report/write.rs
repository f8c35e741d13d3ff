//! Chooses the writer of a format.

use serde::Serialize;

use super::format::{Format, View};
use super::results::Results;
use super::{github, gitlab, json, junit, markdown, sarif};

impl<R: Serialize, D: Serialize> Results<'_, R, D> {
    /// Renders the results.
    ///
    /// * `text`, `html` – render them for people, for which each command has its own way.
    pub(super) fn write(
        &self,
        (format, view): (Format, View),
        text: impl FnOnce() -> String,
        html: impl FnOnce() -> String,
    ) -> String {
        match format {
            Format::Text => text(),
            Format::Json => json::write(self),
            Format::Sarif => sarif::write(self),
            Format::JUnit => junit::write(self, view),
            Format::GitHub => github::write(self),
            Format::GitLab => gitlab::write(self),
            Format::Markdown => markdown::write(self),
            Format::Html => html(),
        }
    }
}
