//! Patterns of file names.

use std::path::{Path, is_separator};

use fast_glob::{glob_match, validate};
use serde::de::DeserializeSeed;
use serde::{Deserialize, Deserializer};
use thiserror::Error;

use super::word::Word;

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
}
