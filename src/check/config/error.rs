//! Errors of reading a configuration.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::names::{hint, nearest};
use crate::shown::printable;

/// The reason why a configuration cannot be used. Every message names the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// It cannot be read.
    #[error("{}: the configuration cannot be read", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The path of a configuration is not a file.
    #[error("{}: expected a configuration file, found {what}", path.display())]
    NoFile {
        /// Its path.
        path: PathBuf,
        /// Such as `a folder`.
        what: &'static str,
    },
    /// The content is invalid.
    #[error("{}:{position}: {message}", path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// The location of the error.
        position: Position,
        /// What is wrong, what was expected, and a suggestion if there is one.
        message: String,
    },
}

/// A line and a column of a text, as editors count them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
}

impl Position {
    /// The position of the byte `offset` of `text`; an offset past the end is that of the end.
    #[must_use]
    pub fn of(text: &str, offset: usize) -> Self {
        let mut end = offset.min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        Self { line: 1, column: 1 }.past(&text[..end])
    }

    /// The position behind `text`, which begins at this one.
    pub(super) fn past(self, text: &str) -> Self {
        let Some((above, line)) = text.rsplit_once('\n') else {
            let column = self.column + text.chars().count();
            return Self { column, ..self };
        };
        Self {
            line: self.line + 1 + above.matches('\n').count(),
            column: 1 + line.chars().count(),
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// serde's words for types of values, and TOML's.
const TERMS: [(&str, &str); 7] = [
    ("unknown field", "unknown key"),
    ("missing field", "missing key"),
    ("unknown variant", "unknown value"),
    (
        "expected a sequence",
        "expected a list such as [\"first\", \"second\"]",
    ),
    ("invalid type: sequence", "invalid type: list"),
    ("invalid type: map", "invalid type: table"),
    ("wanted string or table", "expected a string"),
];

/// A parser's message as one line in the terms of TOML. If it lists the known words, a suggestion is added.
pub(super) fn explain(message: &str) -> String {
    let message = message.trim().replace('\n', ", ");
    let message = TERMS.iter().fold(message, |message, (serde, toml)| {
        message.replacen(serde, toml, 1)
    });
    let kinds = message.strip_prefix("invalid type: ");
    if let Some((found, expected)) = kinds.and_then(|kinds| kinds.rsplit_once(", expected ")) {
        return printable(&format!("expected {expected}, found {found}"));
    }
    // The unknown word and the known ones stand between backticks, in this order.
    let mut words = message.split('`').skip(1).step_by(2);
    let meant = if message.starts_with("unknown ") {
        words.next().and_then(|word| nearest(word, words))
    } else {
        None
    };
    printable(&(message.clone() + &hint(meant)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one_and_in_characters() {
        let text = "ä = 1\nb = 2";
        let at = |offset| Position::of(text, offset).to_string();
        assert_eq!(at(0), "1:1");
        assert_eq!(at(3), "1:3");
        assert_eq!(at(7), "2:1");
        assert_eq!(at(99), "2:6");
        assert_eq!(Position::of("\n\nx", 2).to_string(), "3:1");
    }

    #[test]
    fn only_an_unknown_word_gets_a_suggestion() {
        let unknown = explain("unknown field `slect`, expected `select` or `ignore`");
        let suggested =
            "unknown key `slect`, expected `select` or `ignore` (did you mean \"select\"?)";
        assert_eq!(unknown, suggested);
        assert_eq!(explain("missing field `height`\n"), "missing key `height`");
    }
}
