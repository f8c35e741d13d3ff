//! Escapes texts and paths from files before they are shown, so that they cannot control a terminal, break a line or
//! imitate another name.

use std::error::Error;
use std::fmt::Write;
use std::io;
use std::path::Path;

/// `text` on one line, in the order in which it is written, and with nothing that cannot be seen: control and
/// [invisible](is_invisible) characters become escapes such as `\u{1b}`. It also neither begins nor contains a command
/// to a CI service that reads this program's output: `::error::` becomes `\u{3a}:error::`, and `##[error]`
/// `#\u{23}[error]`.
#[must_use]
pub fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let begins_command = text.trim_start().starts_with("::");
    let mut colon = begins_command.then_some(':');
    for (start, character) in text.char_indices() {
        let steers = character.is_control()
            || is_invisible(character)
            || Some(character) == colon
            || character == '#' && ends_ci_mark(&text[..start], &text[start..]);
        if character == ':' {
            colon = None;
        }
        match character {
            _ if !steers => out.push(character),
            ':' | '#' => write!(out, "{}", character.escape_unicode())
                .expect("a string takes all that fits into memory"),
            _ => out.extend(character.escape_default()),
        }
    }
    out
}

/// Whether a `#` between `before` and `from` is the second of a mark that CI services look for anywhere in a line: GitHub's
/// and Azure's `##[`, Azure's `##vso[`, and TeamCity's `##teamcity[`.
fn ends_ci_mark(before: &str, from: &str) -> bool {
    let marks = ["#[", "#vso[", "#teamcity["];
    before.ends_with('#') && marks.iter().any(|mark| from.starts_with(mark))
}

/// Whether `character` is invisible, or changes the order in which the following text is displayed, which could make
/// two names look the same: the characters of Unicode's category Cf that are no visible signs, its separators of lines
/// and paragraphs, and the Hangul fillers.
#[must_use]
pub fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e007f}'
    )
}

/// A name to put between double quotes: escapes these, `\`, and everything that [`printable`] escapes.
#[must_use]
pub fn escaped(name: &str) -> String {
    printable(&name.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A path as text, whatever it holds: [`printable`], and as [`unicode`].
#[must_use]
pub fn path(path: &Path) -> String {
    printable(&unicode(path))
}

/// A path as text for programs: the path itself, if it is Unicode. Otherwise each invalid byte becomes `\x` and two
/// digits, and each `\` becomes `\\`, so that two paths never look the same.
#[must_use]
pub fn unicode(path: &Path) -> String {
    match path.to_str() {
        Some(text) => text.to_owned(),
        None => bytes(path.as_os_str().as_encoded_bytes()),
    }
}

/// The most bytes of a name in a file name, which file systems limit to 255 bytes with everything else in it.
const MOST_BYTES: usize = 160;

/// The beginning of a name, for a file name: at most `letters` characters, and as many bytes as leave room for more parts.
#[must_use]
pub fn beginning(name: &str, letters: usize) -> &str {
    let ends = name
        .char_indices()
        .map(|(start, letter)| start + letter.len_utf8());
    let end = ends
        .take(letters)
        .take_while(|end| *end <= MOST_BYTES)
        .last();
    &name[..end.unwrap_or(0)]
}

/// `text` as one word of a command to paste, for the shell of this platform: POSIX shells, or PowerShell on Windows.
/// Control and invisible characters are escaped as in [`printable`].
#[must_use]
pub fn shell_word(text: &str) -> String {
    let shell = if cfg!(windows) {
        Shell::PowerShell
    } else {
        Shell::Posix
    };
    shell.word(text)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shell {
    Posix,
    PowerShell,
}

impl Shell {
    fn word(self, text: &str) -> String {
        let text = printable(text);
        let plain = match self {
            Self::Posix => "-_./:,=@+%",
            Self::PowerShell => "-_./:\\",
        };
        let is_plain = |letter: char| letter.is_alphanumeric() || plain.contains(letter);
        if !text.is_empty() && text.chars().all(is_plain) {
            return text;
        }
        let mut quoted = String::from("'");
        for letter in text.chars() {
            match (self, letter) {
                (Self::Posix, '\'') => quoted += "'\\''",
                // PowerShell takes typographic quotation marks for single quotes too; two of them are one.
                (Self::PowerShell, '\'' | '\u{2018}'..='\u{201b}') => {
                    quoted.extend([letter, letter]);
                }
                _ => quoted.push(letter),
            }
        }
        quoted + "'"
    }
}

/// An error and its causes, joined by colons. A cause that is already at the end of its parent's text is skipped, as is the
/// number of an error of the operating system.
#[must_use]
pub fn causes(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let words = cause.to_string();
        if !text.ends_with(&words) {
            let system: Option<&io::Error> = cause.downcast_ref();
            let number = system.and_then(io::Error::raw_os_error);
            let number = number.map(|number| format!(" (os error {number})"));
            let words = number
                .and_then(|number| words.strip_suffix(&number))
                .unwrap_or(&words);
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
        for invisible in "\u{200e}\u{200f}\u{61c}\u{200b}\u{2060}\u{feff}\u{ad}\u{e0041}".chars() {
            let escape = invisible.escape_unicode();
            assert_eq!(printable(&format!("a{invisible}b")), format!("a{escape}b"));
        }
    }

    #[test]
    fn the_number_of_a_system_error_is_not_shown() {
        #[derive(Debug, thiserror::Error)]
        #[error("a.png: cannot be read")]
        struct Unreadable {
            source: io::Error,
        }
        let source = io::Error::from_raw_os_error(2);
        let words = source.to_string();
        let words = words.strip_suffix(" (os error 2)").expect("it is there");
        assert_eq!(
            causes(&Unreadable { source }),
            format!("a.png: cannot be read: {words}")
        );
    }

    #[test]
    fn no_text_is_a_command_to_a_ci_service() {
        for (text, expected) in [
            ("::error::x.gltf", "\\u{3a}:error::x.gltf"),
            (" ::add-mask::x", " \\u{3a}:add-mask::x"),
            ("a ##[error]x", "a #\\u{23}[error]x"),
            ("##vso[task.x]", "#\\u{23}vso[task.x]"),
            ("##teamcity[x]", "#\\u{23}teamcity[x]"),
            ("Model::Hips ## [1]", "Model::Hips ## [1]"),
            (": :a", ": :a"),
        ] {
            assert_eq!(printable(text), expected);
            assert_eq!(printable(expected), expected);
        }
    }

    #[test]
    fn text_that_needs_no_escape_stays_unchanged() {
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

    #[test]
    fn the_beginning_of_a_name_ends_between_letters() {
        assert_eq!(beginning("Walk", 60), "Walk");
        assert_eq!(beginning("Walk", 2), "Wa");
        assert_eq!(
            beginning(&"\u{1d400}".repeat(60), 60),
            "\u{1d400}".repeat(40)
        );
        assert_eq!(
            beginning(&format!("a{}", "\u{1d400}".repeat(60)), 60).len(),
            157
        );
    }

    #[test]
    fn words_are_quoted_for_posix_shells() {
        let cases = [
            ("hero.glb", "hero.glb"),
            ("vertex:Body:3", "vertex:Body:3"),
            ("", "''"),
            ("Run fast", "'Run fast'"),
            ("it's", "'it'\\''s'"),
            ("$(reboot)", "'$(reboot)'"),
            ("a\\b", "'a\\b'"),
            ("it\u{2019}s", "'it\u{2019}s'"),
        ];
        for (text, word) in cases {
            assert_eq!(Shell::Posix.word(text), word);
        }
    }

    #[test]
    fn words_are_quoted_for_powershell_whose_quotes_are_also_typographic() {
        let cases = [
            (r"C:\models\hero.glb", r"C:\models\hero.glb"),
            ("a,b", "'a,b'"),
            ("@hero", "'@hero'"),
            ("it's; reboot", "'it''s; reboot'"),
            (
                "\u{2018}\u{2019}\u{201a}\u{201b}",
                "'\u{2018}\u{2018}\u{2019}\u{2019}\u{201a}\u{201a}\u{201b}\u{201b}'",
            ),
        ];
        for (text, word) in cases {
            assert_eq!(Shell::PowerShell.word(text), word);
        }
    }
}
