//! Strings of a configuration: words, patterns of file names, and those that exclude models of a folder.

use std::fmt::{self, Display};
use std::path::{Component, Path, is_separator};

use fast_glob::{glob_match, validate};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use serde::de::{DeserializeSeed, Visitor};
use serde::{Deserialize, Deserializer};
use thiserror::Error;

use crate::shown::escaped;

/// Parses a string. The error of `parse` is located at the string, also within a list.
pub(super) struct Word<F> {
    /// With its article, such as `a rule`.
    pub(super) expected: &'static str,
    pub(super) parse: F,
}

impl<'de, T, E: Display, F: FnOnce(&str) -> Result<T, E>> DeserializeSeed<'de> for Word<F> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<T, E: Display, F: FnOnce(&str) -> Result<T, E>> Visitor<'_> for Word<F> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_str<D: serde::de::Error>(self, text: &str) -> Result<T, D> {
        (self.parse)(text).map_err(D::custom)
    }
}

/// Parses one of the words `known`, and returns its value.
///
/// * `what` – what the words name, for the message.
pub(super) fn one_of<'de, D: Deserializer<'de>, T>(
    deserializer: D,
    what: &'static str,
    known: impl IntoIterator<Item = (&'static str, T)>,
) -> Result<T, D::Error> {
    let parse = |text: &str| choose(text, what, known);
    let expected = "a string";
    Word { expected, parse }.deserialize(deserializer)
}

/// The value of `text` among the words `known`; the error lists them.
pub(super) fn choose<T>(
    text: &str,
    what: &str,
    known: impl IntoIterator<Item = (&'static str, T)>,
) -> Result<T, String> {
    let mut words = Vec::new();
    for (word, value) in known {
        if word == text {
            return Ok(value);
        }
        words.push(format!("`{word}`"));
    }
    let expected = words.join(", ");
    Err(format!(
        "unknown {what} `{text}`, expected one of {expected}"
    ))
}

/// A pattern of paths: `*` and `?` within a name, `**` across folders, `[a-z]` and `{one,other}`; `\` escapes the next
/// character, except where it separates folders.
#[derive(Debug, Clone)]
pub struct Pattern(String);

/// The error of an invalid [`Pattern`]: an unclosed bracket or brace, a backslash at the end, or too many alternatives.
#[derive(Debug, Clone, Error)]
#[error("invalid pattern: {0}")]
pub struct PatternError(#[from] fast_glob::Error);

impl Pattern {
    /// Parses a pattern.
    ///
    /// # Errors
    ///
    /// [`PatternError`], with the byte of `text` at fault.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        let text = if is_separator('\\') {
            text.replace('\\', "/")
        } else {
            text.to_owned()
        };
        // The parser would read a leading `!` as a negation, but names may begin with it.
        let literal = if text.starts_with('!') { "\\" } else { "" };
        validate(&text)?;
        Ok(Self(literal.to_owned() + &text))
    }

    /// Like [`Pattern::new`], but a pattern without a slash matches files of that name in any folder.
    ///
    /// # Errors
    ///
    /// Same as [`Pattern::new`].
    pub fn in_any_folder(text: &str) -> Result<Self, PatternError> {
        let pattern = Self::new(text)?;
        if text.contains('/') {
            return Ok(pattern);
        }
        Self::new(&format!("**/{text}"))
    }

    /// Whether the pattern matches all of `path`.
    #[must_use]
    pub fn matches(&self, path: &Path) -> bool {
        glob_match(&self.0, path.as_os_str().as_encoded_bytes())
    }
}

impl<'de> Deserialize<'de> for Pattern {
    /// Whether the pattern has no slash and so matches files of that name in any folder.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = Word {
            expected: "a pattern such as \"props/**\"",
            parse: Self::in_any_folder,
        };
        word.deserialize(deserializer)
    }
}

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

    fn matches(pattern: &str, path: &str) -> bool {
        let pattern = Pattern::new(pattern).expect("the pattern is right");
        pattern.matches(Path::new(path))
    }

    #[test]
    fn a_star_stays_within_a_name_and_two_cross_folders() {
        for (pattern, path, expected) in [
            ("*.glb", "a.glb", true),
            ("*.glb", "b/a.glb", false),
            ("b/*.glb", "b/a.glb", true),
            ("b/*.glb", "b/c/a.glb", false),
            ("**/*.glb", "a.glb", true),
            ("**/*.glb", "b/c/a.glb", true),
            ("**/*.glb", "/b/c/a.glb", true),
            ("b/**", "b/c/a.glb", true),
            ("b/**", "bb/a.glb", false),
            ("b/**/a.glb", "b/a.glb", true),
            ("b/**/a.glb", "b/c/d/a.glb", true),
            ("b/**/a.glb", "b/c/ba.glb", false),
            ("**/b/**/a*", "x/b/y/z/ab.glb", true),
            ("../b/*.glb", "../b/a.glb", true),
        ] {
            assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn letters_can_be_left_open() {
        for (pattern, path, expected) in [
            ("a?.glb", "ab.glb", true),
            ("a?.glb", "a.glb", false),
            ("a?b", "a/b", false),
            ("[ab]1.glb", "b1.glb", true),
            ("[a-c]1.glb", "d1.glb", false),
            ("[!a-c]1.glb", "d1.glb", true),
            ("*.{glb,gltf}", "a.gltf", true),
            ("*.{glb,gltf}", "a.fbx", false),
            ("{a,b/**}/x.{fbx,glb}", "b/c/d/x.glb", true),
            ("größe*.glb", "größe_2.glb", true),
        ] {
            assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn an_exclamation_mark_is_a_letter() {
        assert!(matches("!old/*.glb", "!old/a.glb"));
        assert!(!matches("!old/*.glb", "new/a.glb"));
    }

    #[cfg(unix)]
    #[test]
    fn a_backslash_takes_the_next_letter_as_it_is() {
        assert!(matches(r"a\[1\].glb", "a[1].glb"));
        assert!(!matches(r"\*.glb", "a.glb"));
    }

    #[test]
    fn an_unclosed_bracket_is_an_error() {
        for (pattern, message) in [
            ("a[", "unclosed character class at byte 1"),
            ("a{b", "unclosed brace expansion at byte 1"),
        ] {
            let error = Pattern::new(pattern).expect_err(pattern).to_string();
            assert!(error.contains(message), "{error}");
        }
    }

    fn excluded(patterns: &[&str], file: &str) -> Option<bool> {
        let patterns: Vec<Exclusion> = patterns
            .iter()
            .map(|text| Exclusion::parse(text))
            .map(|one| one.expect("it is right"))
            .collect();
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
