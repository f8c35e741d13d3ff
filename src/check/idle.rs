//! Settings without effect.

use std::fmt::{self, Display};
use std::path::{Path, PathBuf};

use super::config::{Position, Unmatched};
use crate::finding::Code;
use crate::names::hint;
use crate::shown;

/// A part of a configuration that has no effect, which is probably a mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Idle {
    /// A pattern that matches neither a file of the run nor a model below the folder of the configuration.
    Pattern(Unmatched),
    /// A name of a clip or joint that matches nothing in any model that it applies to.
    Name {
        /// The configuration.
        path: PathBuf,
        /// The location of the name.
        position: Position,
        /// `clip` or `joint`.
        what: &'static str,
        /// The name or pattern.
        name: String,
        /// The most similar name in the models, if one is similar enough.
        nearest: Option<String>,
        /// The number of models.
        models: usize,
    },
    /// All selected rules are ignored or off.
    NoRules,
    /// Configured rules that are selected for no file.
    Unselected {
        /// The configuration.
        path: PathBuf,
        /// In the order of the text.
        rules: Vec<Code>,
    },
}

impl Idle {
    /// The configuration at fault, if it is a single one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Pattern(Unmatched { path, .. })
            | Self::Name { path, .. }
            | Self::Unselected { path, .. } => Some(path),
            Self::NoRules => None,
        }
    }

    /// The location in the configuration, if it is a single one.
    #[must_use]
    pub fn position(&self) -> Option<Position> {
        match self {
            Self::Pattern(Unmatched { position, .. }) | Self::Name { position, .. } => {
                Some(*position)
            }
            Self::NoRules | Self::Unselected { .. } => None,
        }
    }

    /// What is wrong, without the location.
    #[must_use]
    pub fn message(&self) -> String {
        match self {
            Self::Pattern(Unmatched { pattern, .. }) => format!("no file matches {pattern}"),
            Self::Name {
                what,
                name,
                nearest,
                models,
                ..
            } => {
                let files = match models {
                    1 => "the file".to_owned(),
                    more => format!("any of the {more} files"),
                };
                let (name, hint) = (shown::escaped(name), hint(nearest.as_deref()));
                format!("no {what} named \"{name}\" in {files} this setting applies to{hint}")
            }
            Self::NoRules => "no rules left to check: all selected rules (--select, or select in skincheck.toml) are ignored \
                 or off; files are only read"
                .to_owned(),
            Self::Unselected { rules, .. } => {
                let rules: Vec<&str> = rules.iter().map(|code| code.0).collect();
                format!(
                    "configured, but not selected: {}; add them to `select`",
                    rules.join(", ")
                )
            }
        }
    }
}

impl Display for Idle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = self.path() {
            write!(f, "{}:", shown::path(path))?;
            if let Some(position) = self.position() {
                write!(f, "{position}:")?;
            }
            f.write_str(" ")?;
        }
        f.write_str(&self.message())
    }
}
