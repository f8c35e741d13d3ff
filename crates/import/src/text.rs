//! Text from files and importers: names that promise no encoding, XML errors, and what is safe for a terminal.

use roxmltree::Error;

use crate::shown::is_invisible;

/// `bytes` as UTF-8, or as Latin-1 if they are not UTF-8.
///
/// Exporters of the nineties write the code page of their machine. Latin-1 gives each byte a character of its own, so
/// names that differ in the file differ here, which replacement characters would not do.
pub(super) fn decode(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().copied().map(char::from).collect(),
    }
}

/// The most attributes of an element. The parser compares each with all before it: 60,000 take it seconds.
pub(super) const MOST_ATTRIBUTES: usize = 1 << 12;

/// Whether a document may have an internal subset of a document type, which can expand entities and hide elements from
/// [`has_too_many_attributes`].
pub(super) fn may_declare(xml: &str) -> bool {
    xml.contains("<!DOCTYPE") && xml.contains('[')
}

/// Whether an element of the document has more attributes than that, without parsing it.
///
/// * `xml` – without an internal subset.
pub(super) fn has_too_many_attributes(xml: &str) -> bool {
    let mut rest = xml;
    while let Some((_, tag)) = rest.split_once('<') {
        let not_elements = [("!--", "-->"), ("![CDATA[", "]]>"), ("?", "?>")];
        let other = not_elements
            .iter()
            .find_map(|(start, end)| Some((tag.strip_prefix(start)?, end)));
        let (count, behind) = match other {
            Some((content, end)) => (0, content.split_once(end).map_or("", |(_, rest)| rest)),
            None => values_in(tag),
        };
        if count > MOST_ATTRIBUTES {
            return true;
        }
        rest = behind;
    }
    false
}

/// The number of quoted values in a tag, and the text behind it.
fn values_in(tag: &str) -> (usize, &str) {
    let (mut count, mut rest) = (0, tag);
    while let Some(at) = rest.find(['"', '\'', '>']) {
        let (mark, behind) = (&rest[at..=at], &rest[at + 1..]);
        if mark == ">" {
            return (count, behind);
        }
        count += 1;
        rest = behind.split_once(mark).map_or("", |(_, rest)| rest);
    }
    (count, "")
}

/// Such as `line 8, column 22`, both from 1.
pub(super) fn xml_position(error: &Error) -> String {
    let position = error.pos();
    format!("line {}, column {}", position.row, position.col)
}

/// The problem and its position. It may quote the text.
pub(super) fn explain_xml(error: &Error) -> String {
    let text = error.to_string();
    let what = text
        .strip_suffix(&format!(" at {}", error.pos()))
        .unwrap_or(&text);
    format!("malformed XML in {}: {what}", xml_position(error))
}

/// The first `longest` characters of `text`, with a mark if there are more, and without control characters.
pub(super) fn printable(text: &str, longest: usize) -> String {
    let mut characters = text.chars();
    let mut shown: String = characters.by_ref().take(longest).map(visible).collect();
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
    fn names_that_are_not_utf_8_stay_apart() {
        assert_eq!(decode("größe_右".as_bytes()), "größe_右");
        assert_eq!(decode(b"K\xF6pf"), "Köpf");
        assert_ne!(decode(b"K\xF6pf"), decode(b"K\xE4pf"));
    }

    #[test]
    fn attributes_of_one_element_are_counted() {
        let many = " a='>'".repeat(MOST_ATTRIBUTES);
        for (xml, is_refused) in [
            (
                format!("<?xml version='1'?><a{many}/><b c=\"'\"{many}/>"),
                true,
            ),
            (format!("<a{many}/><b{many}>'\"'</b>"), false),
            (format!("<!-- <a b='{many}{many} -->"), false),
            (format!("<!-- don't --><a b=\"\"{many}/>"), true),
            (format!("<!--> <x ' --><a b=\"\"{many}/>"), true),
            (format!("<a><![CDATA[<{many}{many}]]></a>"), false),
            (format!("<a {many} unclosed='"), true),
        ] {
            assert_eq!(has_too_many_attributes(&xml), is_refused, "{xml:.60}");
        }
    }

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
