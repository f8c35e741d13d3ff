//! Texts and paths of others, made fit to be shown: they cannot steer a terminal, break a line or pass for another.

use std::error::Error;
use std::fmt::Write;
use std::path::Path;

/// Without control characters, which could disturb a terminal or break a line, and without those that let a text be read
/// in another order than it is written; they become escapes such as `\u{1b}`.
#[must_use]
pub fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() || is_bidirectional(character) {
            out.extend(character.escape_default());
        } else {
            out.push(character);
        }
    }
    out
}

fn is_bidirectional(character: char) -> bool {
    matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}

/// A name for between double quotes: these and `\` are escaped, and what [`printable`] escapes.
#[must_use]
pub fn escaped(name: &str) -> String {
    printable(&name.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A path as text, whatever it holds: [`printable`], and as [`unicode`].
#[must_use]
pub fn path(path: &Path) -> String {
    printable(&unicode(path))
}

/// A path as text for programs: the path itself, if it is Unicode. Of others each byte that is none becomes `\x` and two
/// digits, and each `\` of theirs `\\`, so that two of them never look the same.
#[must_use]
pub fn unicode(path: &Path) -> String {
    match path.to_str() {
        Some(text) => text.to_owned(),
        None => bytes(path.as_os_str().as_encoded_bytes()),
    }
}

/// An error and its causes, joined by colons. A cause that its parent's text ends with already is skipped.
#[must_use]
pub fn causes(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let words = cause.to_string();
        if !text.ends_with(&words) {
            text = format!("{text}: {words}");
        }
        next = cause.source();
    }
    text
}

fn bytes(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.utf8_chunks() {
        out.push_str(&chunk.valid().replace('\\', "\\\\"));
        for byte in chunk.invalid() {
            write!(out, "\\x{byte:02x}").expect("a string takes all that fits into memory");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_made_visible() {
        assert_eq!(printable("a\u{1b}[2J\nü"), "a\\u{1b}[2J\\nü");
        assert_eq!(printable("a\u{202e}b"), "a\\u{202e}b");
    }

    #[test]
    fn what_needs_no_escape_between_quotes_gets_none() {
        assert_eq!(escaped("apo's \"Körper\""), "apo's \\\"Körper\\\"");
        assert_eq!(escaped("a\u{1b}b\\"), "a\\u{1b}b\\\\");
        assert_eq!(escaped("a\u{202e}\tb"), "a\\u{202e}\\tb");
        assert_eq!(escaped(""), "");
        for name in ["Ko\u{308}rper", "หัวที่น้ำ", "\u{308}"] {
            assert_eq!(escaped(name), name);
        }
    }

    #[test]
    fn a_path_is_shown_as_it_is() {
        assert_eq!(path(Path::new("a b/größe.glb")), "a b/größe.glb");
        assert_eq!(path(Path::new("a\u{1b}[31m.glb")), "a\\u{1b}[31m.glb");
        assert_eq!(unicode(Path::new("a\u{1b}.glb")), "a\u{1b}.glb");
    }

    #[cfg(unix)]
    #[test]
    fn two_paths_that_are_not_unicode_look_different() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;
        let shown = |bytes: &[u8]| path(Path::new(OsStr::from_bytes(bytes)));
        assert_eq!(shown(b"bad\xff.glb"), "bad\\xff.glb");
        assert_eq!(shown(b"bad\xfe.glb"), "bad\\xfe.glb");
        assert_eq!(shown(b"\\xff\xfe"), "\\\\xff\\xfe");
    }
}
