//! Escapes text from files for each output format.

use std::ffi::OsStr;
use std::fmt::{self, Write};
use std::path::{Component, Path};

use askama::filters::Escaper;
use data_encoding::BASE64;

/// Escapes what templates insert into HTML, SVG and XML 1.0, in text and quoted attributes. Characters that XML cannot
/// represent become escape sequences.
#[derive(Debug, Clone, Copy)]
pub(super) struct Xml;

impl Escaper for Xml {
    fn write_escaped_str<W: Write>(&self, mut out: W, text: &str) -> fmt::Result {
        let is_special = |character: char| {
            matches!(character, '&' | '<' | '>' | '"' | '\u{fffe}' | '\u{ffff}')
                || character.is_control() && character != '\n'
        };
        let mut written = 0;
        for (start, special) in text.match_indices(is_special) {
            out.write_str(&text[written..start])?;
            written = start + special.len();
            match special {
                "&" => out.write_str("&amp;")?,
                "<" => out.write_str("&lt;")?,
                ">" => out.write_str("&gt;")?,
                "\"" => out.write_str("&quot;")?,
                _ => write!(out, "{}", special.escape_default())?,
            }
        }
        out.write_str(&text[written..])
    }
}

/// Base64 with padding.
///
/// # Reference
///
/// RFC 4648 §4.
pub(super) fn base64(bytes: &[u8]) -> String {
    BASE64.encode(bytes)
}

/// `path` as a URI: relative paths stay relative, absolute ones get `file://`.
///
/// # Reference
///
/// RFC 3986 §3.3, RFC 8089.
pub(super) fn uri(path: &Path) -> String {
    let mut parts = Vec::new();
    for component in path.components() {
        match component {
            Component::CurDir | Component::RootDir => {}
            Component::Prefix(prefix) => parts.push(encoded(prefix.as_os_str())),
            Component::ParentDir => parts.push("..".to_owned()),
            Component::Normal(name) => parts.push(encoded(name)),
        }
    }
    let joined = parts.join("/");
    if path.is_absolute() {
        format!("file:///{joined}")
    } else {
        joined
    }
}

/// Percent-encodes all characters except those that a path may contain unescaped.
fn encoded(part: &OsStr) -> String {
    let mut out = String::new();
    for &byte in part.as_encoded_bytes() {
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

/// The message of a GitHub workflow command. Reference: `@actions/core`, `escapeData`.
pub(super) fn github_message(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// A property of a GitHub workflow command. Reference: `@actions/core`, `escapeProperty`.
pub(super) fn github_property(text: &str) -> String {
    github_message(text).replace(':', "%3A").replace(',', "%2C")
}

/// For a cell of a table or a summary in Markdown: shows `text` as it is, without formatting, links or mentions.
pub(super) fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '$' => {
                write!(out, "&#{};", u32::from(character))
                    .expect("a string takes all that fits into memory");
            }
            // GitHub looks for mentions in the text, where an entity is already decoded, but not across a comment.
            '@' => out.push_str("@<!-- -->"),
            _ => out.push(character),
        }
    }
    out.replace("://", ":&#47;/").replace("www.", "www&#46;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xml_gets_no_character_that_it_cannot_hold() {
        let mut escaped = String::new();
        let text = "é<a b=\"c\">&\u{0}\t\n\u{ffff}é";
        Xml.write_escaped_str(&mut escaped, text).expect("a string");
        let expected = "é&lt;a b=&quot;c&quot;&gt;&amp;\\u{0}\\t\n\\u{ffff}é";
        assert_eq!(escaped, expected);
    }

    #[test]
    fn base64_is_that_of_the_rfc() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    #[test]
    fn a_path_becomes_a_uri() {
        assert_eq!(uri(Path::new("./a b/ü#1.glb")), "a%20b/%C3%BC%231.glb");
        assert_eq!(uri(Path::new("../x.glb")), "../x.glb");
        assert_eq!(uri(Path::new("a:b.glb")), "a%3Ab.glb");
        #[cfg(unix)]
        assert_eq!(uri(Path::new("/a/b c.glb")), "file:///a/b%20c.glb");
    }

    #[cfg(unix)]
    #[test]
    fn a_path_that_is_not_unicode_is_encoded_byte_by_byte() {
        use std::os::unix::ffi::OsStrExt;
        assert_eq!(
            uri(Path::new(OsStr::from_bytes(b"bad\xff.glb"))),
            "bad%FF.glb"
        );
    }

    #[test]
    fn a_workflow_command_is_not_ended_by_what_it_says() {
        assert_eq!(github_message("50%\nx: y"), "50%25%0Ax: y");
        assert_eq!(github_property("a:b,c"), "a%3Ab%2Cc");
    }
}
