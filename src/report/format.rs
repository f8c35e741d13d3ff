//! The formats of reports.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};

/// Options of a report.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "one per option")]
pub struct View {
    /// Uses colour escape sequences.
    pub color: bool,
    /// Lists rules that could not be checked, file by file.
    pub verbose: bool,
    /// Lists what rules measured, file by file.
    pub measures: bool,
    /// States that resolved findings were removed from the baseline, instead of how to remove them.
    pub pruned: bool,
}

/// What passes.
pub(super) const GOOD: Style = AnsiColor::Green.on_default();

/// What fails.
pub(super) const BAD: Style = AnsiColor::Red.on_default().bold();

/// What is read last.
pub(super) const FAINT: Style = Style::new().dimmed();

impl View {
    /// `text` in a style, if there is colour.
    pub(super) fn styled(self, style: Style, text: impl Display) -> String {
        if self.color {
            format!("{style}{text}{style:#}")
        } else {
            text.to_string()
        }
    }

    /// What passes.
    pub(super) fn good(self, text: impl Display) -> String {
        self.styled(GOOD, text)
    }

    /// What fails.
    pub(super) fn bad(self, text: impl Display) -> String {
        self.styled(BAD, text)
    }

    /// A heading.
    pub(super) fn bold(self, text: impl Display) -> String {
        self.styled(Style::new().bold(), text)
    }

    /// What is read last.
    pub(super) fn faint(self, text: impl Display) -> String {
        self.styled(FAINT, text)
    }
}

/// A format of reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Text,
    /// One document, whatever the command.
    Json,
    /// SARIF 2.1.0.
    Sarif,
    /// JUnit XML.
    JUnit,
    /// Annotations of GitHub Actions.
    GitHub,
    /// GitLab's Code Quality report.
    GitLab,
    /// A summary for GitHub's jobs and comments.
    Markdown,
    /// One page.
    Html,
}

impl Format {
    /// Every format, in the order of the documentation; the first is the default.
    pub const ALL: [Self; 8] = [
        Self::Text,
        Self::Json,
        Self::Sarif,
        Self::JUnit,
        Self::GitHub,
        Self::GitLab,
        Self::Markdown,
        Self::Html,
    ];

    /// The format named `name`.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The name in lower case, such as `sarif`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Sarif => "sarif",
            Self::JUnit => "junit",
            Self::GitHub => "github",
            Self::GitLab => "gitlab",
            Self::Markdown => "markdown",
            Self::Html => "html",
        }
    }

    /// The readers it is for; one fragment.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Text => "human-readable",
            Self::Json => "machine-readable, with a versioned schema",
            Self::Sarif => "SARIF 2.1.0, for code scanning",
            Self::JUnit => "JUnit XML, for the viewers of most CI systems",
            Self::GitHub => "annotations of GitHub Actions",
            Self::GitLab => "a Code Quality report of GitLab",
            Self::Markdown => "a summary in Markdown, for GitHub's job summary",
            Self::Html => "one page for browsers, with an overview, images and filters",
        }
    }
}
