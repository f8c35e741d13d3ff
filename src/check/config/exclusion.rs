//! Excludes models of a folder.

use std::path::{Component, Path};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use serde::de::DeserializeSeed;
use serde::{Deserialize, Deserializer};
use thiserror::Error;

use super::word::Word;
use crate::shown::escaped;

/// A pattern of files to exclude, as in a `.gitignore`: `wip/` matches a folder anywhere, `/wip` only at the top,
/// `*.obj` a file anywhere, and `!` cancels an earlier exclusion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exclusion(String);

/// The error of an invalid [`Exclusion`].
#[derive(Debug, Clone, Error)]
#[error("the pattern \"{}\" is wrong: {reason}", escaped(pattern))]
pub struct ExclusionError {
    pattern: String,
    reason: String,
}

impl Exclusion {
    /// Reads a pattern.
    ///
    /// # Errors
    ///
    /// [`ExclusionError`]: a brace is not closed.
    pub fn parse(text: &str) -> Result<Self, ExclusionError> {
        let mut builder = GitignoreBuilder::new("");
        let added = builder.add_line(None, text).map(|_| ());
        added.map_err(|error| {
            let reason = match error {
                ignore::Error::Glob { err, .. } => err,
                other => other.to_string(),
            };
            let pattern = text.to_owned();
            ExclusionError { pattern, reason }
        })?;
        Ok(Self(text.to_owned()))
    }
}

impl<'de> Deserialize<'de> for Exclusion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = Word {
            expected: "a pattern such as \"wip/\"",
            parse: Self::parse,
        };
        word.deserialize(deserializer)
    }
}

/// The exclusion patterns of one source; the last one that matches decides.
#[derive(Debug, Clone)]
pub struct Exclusions(Gitignore);

impl Exclusions {
    /// Combines `patterns`, in order.
    ///
    /// # Panics
    ///
    /// Never: an [`Exclusion`] is a valid pattern.
    #[must_use]
    pub fn new<'a>(patterns: impl IntoIterator<Item = &'a Exclusion>) -> Self {
        let mut builder = GitignoreBuilder::new("");
        for Exclusion(pattern) in patterns {
            builder
                .add_line(None, pattern)
                .expect("the pattern has been added to another one before");
        }
        Self(builder.build().unwrap_or_else(|_| Gitignore::empty()))
    }

    /// Whether a file is excluded or an exclusion is cancelled; `None` if no pattern matches.
    ///
    /// * `file` – relative to the folder of the patterns.
    #[must_use]
    pub fn excludes(&self, file: &Path) -> Option<bool> {
        let is_step =
            |part: &Component<'_>| !matches!(part, Component::RootDir | Component::Prefix(_));
        let relative: std::path::PathBuf = file.components().filter(is_step).collect();
        match self.0.matched_path_or_any_parents(relative, false) {
            Match::None => None,
            Match::Ignore(_) => Some(true),
            Match::Whitelist(_) => Some(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excluded(patterns: &[&str], file: &str) -> Option<bool> {
        let patterns = patterns.iter().map(|text| Exclusion::parse(text));
        let patterns: Vec<Exclusion> = patterns.map(|one| one.expect("it is right")).collect();
        Exclusions::new(&patterns).excludes(Path::new(file))
    }

    #[test]
    fn patterns_mean_what_they_mean_in_a_gitignore() {
        for (patterns, file, expected) in [
            (&["wip"][..], "wip/a.glb", Some(true)),
            (&["wip/"], "props/wip/deep/a.glb", Some(true)),
            (&["/wip"], "props/wip/a.glb", None),
            (&["props/*.obj"], "props/a.obj", Some(true)),
            (&["props/*.obj"], "props/deep/a.obj", None),
            (&["*.obj"], "../other/a.obj", Some(true)),
            (&["*.obj"], "/other/a.obj", Some(true)),
            (&["*.obj", "!hero.obj"], "props/hero.obj", Some(false)),
            (&["!hero.obj", "*.obj"], "props/hero.obj", Some(true)),
        ] {
            assert_eq!(excluded(patterns, file), expected, "{patterns:?} {file}");
        }
    }

    #[test]
    fn a_pattern_that_is_left_open_is_an_error() {
        let error = Exclusion::parse("a{b").expect_err("the brace is open");
        let message = error.to_string();
        assert!(
            message.starts_with("the pattern \"a{b\" is wrong: "),
            "{message}"
        );
    }
}
