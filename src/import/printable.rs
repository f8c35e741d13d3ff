//! Text from a file or an importer, made safe for a terminal.

use crate::shown::is_invisible;

/// The first `longest` characters of `text`, with a mark if there are more, and without control characters.
pub(super) fn printable(text: &str, longest: usize) -> String {
    let mut characters = text.chars();
    let shown = characters.by_ref().take(longest).map(visible);
    let mut shown: String = shown.collect();
    if characters.next().is_some() {
        shown.push('…');
    }
    shown
}

fn visible(character: char) -> char {
    if character.is_control() || is_invisible(character) {
        char::REPLACEMENT_CHARACTER
    } else {
        character
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_characters() {
        assert_eq!(printable("größer", 4), "größ…");
        assert_eq!(printable("groß", 4), "groß");
    }

    #[test]
    fn a_terminal_is_not_steered() {
        assert_eq!(printable("\x1b[2J\u{9b}a", 9), "\u{fffd}[2J\u{fffd}a");
    }
}
