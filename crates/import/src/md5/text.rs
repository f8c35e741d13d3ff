//! The words of a file, and what is wrong with them.

use std::str::FromStr;

use crate::ImporterError;
use crate::hierarchy::HierarchyError;
use crate::text::printable;

/// How much of what is not expected is quoted.
const LONGEST_QUOTE: usize = 40;

/// A fault of a file and its position.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub(super) enum Damage {
    /// The first word is another.
    #[error("it does not begin with MD5Version")]
    Signature,
    /// Doom 3 and what came after it have version 10 alone.
    #[error("it has version {0}; only version 10 is supported")]
    Version(String),
    /// An unexpected word.
    #[error("line {line}: expected {expected}, found {found:?}")]
    Unexpected {
        line: usize,
        expected: String,
        found: String,
    },
    /// Something is missing at the end.
    #[error("the file ends before {expected}; copy or export it again")]
    Ended { expected: String },
    /// A text without its second quotation mark.
    #[error("line {line}: the string that begins here is not closed")]
    Unclosed { line: usize },
    /// Something is counted behind where it is needed, or nowhere.
    #[error("line {line}: {section} needs {count} before it")]
    Uncounted {
        line: usize,
        section: &'static str,
        count: &'static str,
    },
    /// Something that there is one of comes again.
    #[error("line {line}: a second {what}")]
    Second { line: usize, what: String },
    /// A whole section is missing.
    #[error("it has no {0}")]
    Missing(&'static str),
    /// A number of the header that makes no sense.
    #[error("{what} is {stated}, but there {} {found}", if *found == 1 { "is" } else { "are" })]
    Miscounted {
        what: &'static str,
        stated: usize,
        found: usize,
    },
    /// A number points at something that is not there.
    #[error("line {line}: {location} uses {what} {first} to {end}, but there are {count}")]
    NotThere {
        line: usize,
        location: String,
        what: &'static str,
        first: usize,
        end: usize,
        count: usize,
    },
    /// The hierarchy of the joints is invalid.
    #[error(transparent)]
    Hierarchy(#[from] HierarchyError),
    /// Overlapping ranges make more of the file than any honest one does.
    #[error("{what} overlap so much that they total {count}")]
    TooMany { what: &'static str, count: u64 },
}

impl From<Damage> for ImporterError {
    fn from(damage: Damage) -> Self {
        match damage {
            Damage::Ended { .. } => Self::advised(damage),
            _ => Self::parse(damage),
        }
    }
}

/// A word, a text in quotation marks, or a bracket.
#[derive(Debug, Clone, Copy)]
struct Token<'a> {
    text: &'a str,
    is_quoted: bool,
}

/// The words of a file, separated by any white space and by brackets, without comments.
#[derive(Debug, Clone)]
pub(super) struct Words<'a> {
    rest: &'a str,
    /// The line of the word that was read last, from 1.
    line: usize,
    /// Where `rest` begins.
    next_line: usize,
}

impl<'a> Words<'a> {
    /// The words behind `MD5Version 10`, with which `text` has to begin.
    ///
    /// # Errors
    ///
    /// [`Damage`] if it does not.
    pub(super) fn of(text: &'a str) -> Result<Self, Damage> {
        let mut words = Self {
            rest: text.strip_prefix('\u{feff}').unwrap_or(text),
            line: 1,
            next_line: 1,
        };
        match words.next()? {
            Some(first) if first.text == "MD5Version" => {}
            _ => return Err(Damage::Signature),
        }
        match words.token("the version")?.text {
            "10" => Ok(words),
            other => Err(Damage::Version(printable(other, LONGEST_QUOTE))),
        }
    }

    /// The line of the word that was read last.
    pub(super) fn line(&self) -> usize {
        self.line
    }

    /// The next word, bracket or text; `None` at the end.
    pub(super) fn next_word(&mut self) -> Result<Option<&'a str>, Damage> {
        Ok(self.next()?.map(|token| token.text))
    }

    /// The word `wanted`, outside quotation marks.
    pub(super) fn expect(&mut self, wanted: &str) -> Result<(), Damage> {
        let token = self.token(wanted)?;
        if token.text == wanted && !token.is_quoted {
            Ok(())
        } else {
            Err(self.unexpected(wanted, token.text))
        }
    }

    /// The word `wanted` if it is the next one.
    pub(super) fn has(&mut self, wanted: &str) -> Result<bool, Damage> {
        let mut ahead = self.clone();
        let next = ahead.next()?;
        let is_wanted = next.is_some_and(|token| token.text == wanted && !token.is_quoted);
        if is_wanted {
            *self = ahead;
        }
        Ok(is_wanted)
    }

    /// A text, with or without quotation marks.
    pub(super) fn text(&mut self, what: &str) -> Result<&'a str, Damage> {
        let token = self.token(what)?;
        if !token.is_quoted && is_bracket(token.text) {
            return Err(self.unexpected(what, token.text));
        }
        Ok(token.text)
    }

    /// A number; one that counts something has no sign and no fraction.
    pub(super) fn number<T: FromStr>(&mut self, what: &str) -> Result<T, Damage> {
        let token = self.token(what)?;
        let number = token.text.parse().ok().filter(|_| !token.is_quoted);
        number.ok_or_else(|| self.unexpected(what, token.text))
    }

    /// `( … )` with this many numbers.
    pub(super) fn vector<const N: usize>(&mut self, what: &str) -> Result<[f64; N], Damage> {
        self.expect("(")?;
        let mut vector = [0.0; N];
        for number in &mut vector {
            *number = self.number(what)?;
        }
        self.expect(")")?;
        Ok(vector)
    }

    /// `word 17`, whose number has to be this one: a list is in its own order.
    pub(super) fn numbered(&mut self, word: &str, number: usize) -> Result<(), Damage> {
        self.expect(word)?;
        let found: usize = self.number(word)?;
        if found == number {
            Ok(())
        } else {
            Err(self.unexpected(&format!("{word} {number}"), &format!("{word} {found}")))
        }
    }

    /// Reads the number after `word`, which may occur once in a file.
    pub(super) fn set<T: FromStr>(
        &mut self,
        word: &str,
        known: &mut Option<T>,
    ) -> Result<(), Damage> {
        self.once(word, known.as_ref())?;
        *known = Some(self.number(&format!("the number after {word}"))?);
        Ok(())
    }

    /// `word 17`, such as `numverts 17`.
    pub(super) fn count(&mut self, word: &str) -> Result<usize, Damage> {
        self.expect(word)?;
        self.number(&format!("the number after {word}"))
    }

    /// Skips the text behind `commandline`, and what is behind it up to one of `keywords`: some exporters put paths in
    /// quotation marks inside the quotation marks of the whole line.
    pub(super) fn skip_commandline(&mut self, keywords: &[&str]) -> Result<(), Damage> {
        self.text("the command line")?;
        let mut ahead = self.clone();
        while let Some(token) = ahead.next()? {
            if keywords.contains(&token.text) && !token.is_quoted {
                return Ok(());
            }
            self.clone_from(&ahead);
        }
        Ok(())
    }

    /// Skips `{ … }`.
    pub(super) fn skip_section(&mut self) -> Result<(), Damage> {
        self.expect("{")?;
        while self.token("}")?.text != "}" {}
        Ok(())
    }

    /// The count of what is in `section`, whose name was the last word.
    pub(super) fn counted(
        &self,
        section: &'static str,
        count: &'static str,
        known: Option<usize>,
    ) -> Result<usize, Damage> {
        known.ok_or(Damage::Uncounted {
            line: self.line,
            section,
            count,
        })
    }

    /// Whether nothing is `known` of what the last word begins.
    pub(super) fn once<T>(&self, what: &str, known: Option<&T>) -> Result<(), Damage> {
        if known.is_none() {
            return Ok(());
        }
        Err(Damage::Second {
            line: self.line,
            what: what.to_owned(),
        })
    }

    /// What `word`, the last one, ought to have been.
    pub(super) fn unexpected(&self, expected: &str, word: &str) -> Damage {
        Damage::Unexpected {
            line: self.line,
            expected: expected.to_owned(),
            found: printable(word, LONGEST_QUOTE),
        }
    }

    fn token(&mut self, expected: &str) -> Result<Token<'a>, Damage> {
        self.next()?.ok_or_else(|| Damage::Ended {
            expected: expected.to_owned(),
        })
    }

    fn next(&mut self) -> Result<Option<Token<'a>>, Damage> {
        self.skip_blank();
        self.line = self.next_line;
        let Some(first) = self.rest.chars().next() else {
            return Ok(None);
        };
        if first == '"' {
            let inner = &self.rest[1..];
            let end = inner.find(['"', '\n']);
            let end = end
                .filter(|end| inner[*end..].starts_with('"'))
                .ok_or(Damage::Unclosed { line: self.line })?;
            self.advance(end + 2);
            let (text, is_quoted) = (&inner[..end], true);
            return Ok(Some(Token { text, is_quoted }));
        }
        let end = if is_bracket(&self.rest[..first.len_utf8()]) {
            1
        } else {
            word_end(self.rest)
        };
        let (text, is_quoted) = (&self.rest[..end], false);
        self.advance(end);
        Ok(Some(Token { text, is_quoted }))
    }

    /// Skips white space and comments.
    fn skip_blank(&mut self) {
        loop {
            let blank = self.rest.len() - self.rest.trim_start().len();
            let comment = &self.rest[blank..];
            let comment = if comment.starts_with("//") {
                comment.find('\n').unwrap_or(comment.len())
            } else if comment.starts_with("/*") {
                comment.find("*/").map_or(comment.len(), |end| end + 2)
            } else {
                0
            };
            self.advance(blank + comment);
            if comment == 0 {
                return;
            }
        }
    }

    fn advance(&mut self, bytes: usize) {
        let (passed, rest) = self.rest.split_at(bytes);
        self.next_line += passed.bytes().filter(|byte| *byte == b'\n').count();
        self.rest = rest;
    }
}

fn is_bracket(text: &str) -> bool {
    matches!(text, "(" | ")" | "{" | "}")
}

/// Where a word ends that begins `text`: at white space, a bracket, a quotation mark or a comment.
fn word_end(text: &str) -> usize {
    let ends = |(at, character): (usize, char)| {
        let ends = character.is_whitespace()
            || matches!(character, '(' | ')' | '{' | '}' | '"')
            || text[at..].starts_with("//")
            || text[at..].starts_with("/*");
        (ends && at > 0).then_some(at)
    };
    text.char_indices().find_map(ends).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<(usize, String)> {
        let mut words = Words::of(text).unwrap();
        let mut all = Vec::new();
        while let Some(word) = words.next_word().unwrap() {
            all.push((words.line(), word.to_owned()));
        }
        all
    }

    #[test]
    fn words_end_at_any_space_bracket_or_comment() {
        let text = "\u{feff}// by hand\nMD5Version\t10 joints{\r\n\"a {b} // c\"-1(0 1)//}\n/* {\n} */\n} x//y";
        let expected = [
            (2, "joints"),
            (2, "{"),
            (3, "a {b} // c"),
            (3, "-1"),
            (3, "("),
            (3, "0"),
            (3, "1"),
            (3, ")"),
            (6, "}"),
            (6, "x"),
        ];
        assert_eq!(words(text), expected.map(|(l, w)| (l, w.to_owned())));
    }

    #[test]
    fn quoted_text_is_neither_keyword_nor_number() {
        let mut words = Words::of("MD5Version 10 \"{\" \"7\" \"mesh\"").unwrap();
        assert!(!words.has("{").unwrap());
        assert!(words.expect("{").is_err());
        assert!(words.number::<usize>("a count").is_err());
        assert_eq!(words.text("a name"), Ok("mesh"));
    }

    #[test]
    fn other_versions_and_other_texts_are_refused() {
        let texts = ["md5version 10", "", "MD5Version 6", "MD5Version"];
        let refusals = texts.map(|text| Words::of(text).unwrap_err().to_string());
        insta::assert_snapshot!(refusals.join("\n"), @r"
        it does not begin with MD5Version
        it does not begin with MD5Version
        it has version 6; only version 10 is supported
        the file ends before the version; copy or export it again
        ");
    }
}
