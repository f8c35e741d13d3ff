//! Keywords, and suggestions for misspelled ones.

use super::ViewError;

/// The meaning of `text` in `table`, regardless of case.
///
/// * `what` – what the words name, for the message.
/// * `expected` – everything that is accepted, for the message.
///
/// # Errors
///
/// [`ViewError::Unknown`] with the most similar word of the table.
pub(super) fn look_up<T: Copy>(
    table: &[(&'static str, T)],
    text: &str,
    what: &'static str,
    expected: &'static str,
) -> Result<T, ViewError> {
    let found = table
        .iter()
        .find(|(word, _)| word.eq_ignore_ascii_case(text));
    found
        .map(|(_, meaning)| *meaning)
        .ok_or_else(|| ViewError::Unknown {
            what,
            text: text.to_owned(),
            nearest: nearest(table.iter().map(|(word, _)| *word), text),
            expected,
        })
}

/// Longer texts are not misspellings, and the distance takes time proportional to their length.
const LONGEST_GUESS: usize = 64;

/// The first of the words with the smallest edit distance to `text`, if that is less than half of the word.
fn nearest(words: impl Iterator<Item = &'static str>, text: &str) -> Option<&'static str> {
    if text.len() > LONGEST_GUESS {
        return None;
    }
    let text = text.to_ascii_lowercase();
    let distance = |word: &&'static str| strsim::damerau_levenshtein(word, &text);
    let best = words.min_by_key(distance)?;
    (2 * distance(&best) < best.chars().count()).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &[(&str, u8)] = &[("front", 0), ("three-quarter", 1), ("top", 2)];

    fn suggestion(text: &str) -> Option<&'static str> {
        match look_up(TABLE, text, "direction", "a word") {
            Err(ViewError::Unknown { nearest, .. }) => nearest,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn case_does_not_matter() {
        assert_eq!(look_up(TABLE, "Front", "direction", "a word"), Ok(0));
    }

    #[test]
    fn a_misspelled_word_brings_the_nearest_one() {
        assert_eq!(suggestion("fornt"), Some("front"));
        assert_eq!(suggestion("three quarter"), Some("three-quarter"));
        assert_eq!(suggestion("THREEQUARTER"), Some("three-quarter"));
    }

    #[test]
    fn an_unrelated_word_brings_no_suggestion() {
        assert_eq!(suggestion("sideways"), None);
        assert_eq!(suggestion(""), None);
        assert_eq!(suggestion(&"front".repeat(100_000)), None);
    }
}
