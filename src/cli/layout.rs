//! Text for people in lines that fit a terminal.

use std::io::IsTerminal;
use std::iter;

use anstream::adapter::strip_str;
use textwrap::core::display_width;
use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};

/// The width of a terminal where it is not known, in columns.
const COLUMNS: usize = 80;

/// Narrower terminals are taken to have this width.
const NARROWEST: usize = 30;

/// The width of lines: what the variable COLUMNS states, or the width of the terminal.
pub(super) fn columns(stream: &impl IsTerminal) -> usize {
    let stated = std::env::var("COLUMNS").ok();
    let stated = stated.and_then(|text| text.parse().ok());
    let own = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    let own = || stream.is_terminal().then(own).flatten();
    stated.or_else(own).unwrap_or(COLUMNS)
}

/// Wraps each line of `text` between words to at most `width` columns.
///
/// The rest of a line stands below its last column, where columns are two or more spaces apart, and otherwise two spaces further
/// right than its beginning. A line that is a command continues as shells want it. Styles take no space. Words that are too long
/// are broken.
pub(super) fn fit(text: &str, width: usize) -> String {
    wrapped(text, width, 2)
}

/// As [`fit`] for a page of paragraphs, whose lines begin below each other.
pub(super) fn fit_prose(text: &str, width: usize) -> String {
    wrapped(text, width, 0)
}

/// * `hanging` – how much further right than its beginning the rest of a line begins, except of an item of a list.
fn wrapped(text: &str, width: usize, hanging: usize) -> String {
    let width = width.max(NARROWEST);
    let lines = text.split('\n').map(|line| {
        if display_width(line) <= width {
            return line.to_owned();
        }
        // The styles of a line begin before its indentation.
        let plain = strip_str(line).to_string();
        let words = plain.trim_start_matches(' ');
        let indent = &plain[..plain.len() - words.len()];
        let content = &line.replacen(' ', "", indent.len());
        if words.starts_with(COMMAND) {
            return command(content, indent, width);
        }
        let hanging = if words.starts_with("- ") { 2 } else { hanging };
        let hanging = column(line).unwrap_or(indent.len() + hanging);
        let hanging = " ".repeat(hanging.min(width / 2));
        let options = Options::new(width)
            .initial_indent(indent)
            .subsequent_indent(&hanging)
            .word_separator(WordSeparator::AsciiSpace)
            .word_splitter(WordSplitter::NoHyphenation)
            .wrap_algorithm(WrapAlgorithm::FirstFit);
        let wrapped = textwrap::wrap(content, options);
        let lines: Vec<String> = wrapped.iter().map(|line| harmless(line)).collect();
        lines.join("\n")
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Where the last of several columns begins, if it begins in the first half of a wide terminal.
fn column(line: &str) -> Option<usize> {
    /// Half of a line of a wide terminal.
    const RIGHTMOST: usize = 50;
    let line = strip_str(line).to_string();
    let content = line.trim_start_matches(' ');
    let indent = line.len() - content.len();
    let gaps = content.match_indices("  ");
    let begins = gaps.map(|(gap, _)| {
        let rest = &content[gap..];
        let end = gap + (rest.len() - rest.trim_start_matches(' ').len());
        indent + display_width(&content[..end])
    });
    begins.take_while(|column| *column <= RIGHTMOST).last()
}

/// A continued line must not begin with what CI services take for a command, as [`printable`](crate::shown::printable) has it.
fn harmless(line: &str) -> String {
    let content = line.trim_start();
    if content.starts_with("::") {
        return line.replacen(':', r"\u{3a}", 1);
    }
    line.to_owned()
}

/// How a line that is a command begins.
const COMMAND: &str = "skincheck ";

/// Breaks a command between arguments, and ends its lines as the shells of this platform continue them.
fn command(content: &str, indent: &str, width: usize) -> String {
    let continued = if cfg!(windows) { " `" } else { " \\" };
    let mut is_quoted = false;
    let arguments = content.split(|letter: char| {
        is_quoted ^= letter == '\'';
        letter == ' ' && !is_quoted
    });
    let mut lines: Vec<String> = Vec::new();
    for argument in arguments {
        let fits = |line: &&mut String| {
            display_width(line) + 1 + display_width(argument) + continued.len() <= width
        };
        if let Some(line) = lines.last_mut().filter(fits) {
            line.push(' ');
            line.push_str(argument);
        } else {
            let hanging = if lines.is_empty() { "" } else { "  " };
            lines.push(format!("{indent}{hanging}{argument}"));
        }
    }
    let last = lines.len().saturating_sub(1);
    let ends = iter::repeat_n(continued, last).chain(iter::once(""));
    let lines = lines
        .iter()
        .zip(ends)
        .map(|(line, end)| format!("{line}{end}"));
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_wrapped_between_words_below_their_beginning() {
        let text =
            "short\n    mesh \"Body\" vertex 12, clip \"Run\" at 0.5 s, and 12 more vertices\n";
        let expected = "short\n    mesh \"Body\" vertex 12, clip\n      \"Run\" at 0.5 s, and 12 more\n      vertices\n";
        assert_eq!(fit(text, 34), expected);
    }

    #[test]
    fn paragraphs_begin_below_each_other_and_items_hang() {
        let text = "The weights of each vertex sum to 1.\n- Normalize the weights of each vertex.";
        let expected =
            "The weights of each vertex sum\nto 1.\n- Normalize the weights of\n  each vertex.";
        assert_eq!(fit_prose(text, 30), expected);
    }

    #[test]
    fn the_last_column_stays_a_column() {
        let line = "meshes     0  \"Body\", 12 vertices, 20 triangles";
        let wrapped = "meshes     0  \"Body\", 12 vertices,\n              20 triangles";
        assert_eq!(fit(line, 36), wrapped);
    }

    #[test]
    fn a_styled_line_keeps_its_indentation() {
        let styled = "\u{1b}[2m    fix: Limit each vertex to four influences\u{1b}[0m";
        let wrapped = "    \u{1b}[2mfix: Limit each vertex to\n      four influences\u{1b}[0m";
        assert_eq!(fit(styled, 30), wrapped);
    }

    #[test]
    fn styles_take_no_space_and_wide_letters_take_two_columns() {
        let styled = "\u{1b}[1mone two three four five six\u{1b}[0m 7";
        assert_eq!(fit(styled, 30), styled);
        assert_eq!(fit(&"骨 ".repeat(12), 30).lines().count(), 2);
    }

    #[test]
    fn long_words_are_broken() {
        let text = fit(&format!("  {}", "a".repeat(100)), 40);
        assert!(text.lines().all(|line| line.len() <= 40), "{text}");
        assert_eq!(text.matches('a').count(), 100);
    }

    #[test]
    fn a_command_can_be_pasted() {
        let line = "  skincheck render 'my hero.glb' --time 0.5 --show weights";
        let end = if cfg!(windows) { '`' } else { '\\' };
        let expected =
            format!("  skincheck render 'my hero.glb' {end}\n    --time 0.5 --show weights");
        assert_eq!(fit(line, 40), expected);
    }

    #[test]
    fn no_line_begins_with_a_command_to_a_ci_service() {
        let text = fit(&format!("  {} ::error::gone", "a".repeat(30)), 40);
        assert!(text.ends_with(r"\u{3a}:error::gone"), "{text}");
    }
}
