//! Places in a text, as editors count them.

use std::fmt;

/// A line and a column, both from 1; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
}

impl Position {
    /// Of the byte `offset` of `text`; offsets past the end, or inside of a character, count as what comes before.
    #[must_use]
    pub fn of(text: &str, offset: usize) -> Self {
        let before = text.char_indices().take_while(|(start, _)| *start < offset);
        let start = Self { line: 1, column: 1 };
        before.fold(start, |at, (_, character)| match character {
            '\n' => Self {
                line: at.line + 1,
                column: 1,
            },
            _ => Self {
                column: at.column + 1,
                ..at
            },
        })
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one_and_in_characters() {
        let text = "ä = 1\nb = 2";
        let told = |offset| Position::of(text, offset).to_string();
        assert_eq!(told(0), "1:1");
        assert_eq!(told(text.find('=').unwrap_or(0)), "1:3");
        assert_eq!(told(text.find('b').unwrap_or(0)), "2:1");
        assert_eq!(told(99), "2:6");
    }
}
