//! Texts from files, made harmless for where they go.

use std::fmt::Write;
use std::path::{Component, Path};

/// Without control characters, which could disturb a terminal or break a line; they are written as escapes.
pub(super) fn printable(text: &str) -> String {
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

/// Characters that let a text be read in another order than it is written.
fn is_bidirectional(character: char) -> bool {
    matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}

/// For XML 1.0, in texts and in attributes between quotes. What XML cannot hold at all becomes an escape.
pub(super) fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push('\n'),
            '\u{fffe}' | '\u{ffff}' => out.extend(character.escape_default()),
            _ if character.is_control() => out.extend(character.escape_default()),
            _ => out.push(character),
        }
    }
    out
}

/// `path` as a URI: relative ones as they are, absolute ones with `file://`.
///
/// # Reference
///
/// RFC 3986 §3.3, RFC 8089.
pub(super) fn uri(path: &Path) -> String {
    let mut parts = Vec::new();
    for component in path.components() {
        match component {
            Component::CurDir | Component::RootDir => {}
            Component::Prefix(prefix) => parts.push(encoded(&prefix.as_os_str().to_string_lossy())),
            Component::ParentDir => parts.push("..".to_owned()),
            Component::Normal(name) => parts.push(encoded(&name.to_string_lossy())),
        }
    }
    let joined = parts.join("/");
    if path.is_absolute() {
        format!("file:///{joined}")
    } else {
        joined
    }
}

/// Percent-encoded, but for the characters that a path may hold as they are.
fn encoded(part: &str) -> String {
    let mut out = String::new();
    for byte in part.bytes() {
        match byte {
            b'a'..=b'z'
            | b'A'..=b'Z'
            | b'0'..=b'9'
            | b'-'
            | b'.'
            | b'_'
            | b'~'
            | b'!'
            | b'$'
            | b'\''
            | b'('
            | b')'
            | b'+'
            | b','
            | b'='
            | b'@' => out.push(char::from(byte)),
            _ => write!(out, "%{byte:02X}").expect("a string takes all that fits into memory"),
        }
    }
    out
}

/// What a workflow command of GitHub says. Reference: `@actions/core`, `escapeData`.
pub(super) fn github_message(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// A property of such a command. Reference: `@actions/core`, `escapeProperty`.
pub(super) fn github_property(text: &str) -> String {
    github_message(text).replace(':', "%3A").replace(',', "%2C")
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
    fn xml_gets_no_character_that_it_cannot_hold() {
        assert_eq!(
            xml("<a b=\"c\">&\u{0}\n"),
            "&lt;a b=&quot;c&quot;&gt;&amp;\\u{0}\n"
        );
    }

    #[test]
    fn a_path_becomes_a_uri() {
        assert_eq!(uri(Path::new("./a b/ü#1.glb")), "a%20b/%C3%BC%231.glb");
        assert_eq!(uri(Path::new("../x.glb")), "../x.glb");
        assert_eq!(uri(Path::new("a:b.glb")), "a%3Ab.glb");
        #[cfg(unix)]
        assert_eq!(uri(Path::new("/a/b c.glb")), "file:///a/b%20c.glb");
    }

    #[test]
    fn a_workflow_command_is_not_ended_by_what_it_says() {
        assert_eq!(github_message("50%\nx: y"), "50%25%0Ax: y");
        assert_eq!(github_property("a:b,c"), "a%3Ab%2Cc");
    }
}
