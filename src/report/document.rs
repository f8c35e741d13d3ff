//! A page about a rule, a profile or a preset: its parts, and how a terminal shows them.
//!
//! Pages of rules are Markdown. They use headings, paragraphs, lists, emphasis and code, and nothing else.

#[cfg(feature = "cli")]
pub(super) mod html;

use std::mem::discriminant;

use anstyle::{AnsiColor, Style};

use super::format::View;

const BOLD: Style = Style::new().bold();
const EMPHASIS: Style = Style::new().italic();
const CODE: Style = AnsiColor::Cyan.on_default();

/// The width of lines on a terminal.
pub(super) const WIDTH: usize = 118;

/// A page.
#[derive(Debug)]
pub(crate) struct Document {
    #[cfg_attr(not(feature = "cli"), allow(dead_code))]
    pub(super) id: String,
    pub(super) title: String,
    /// Below the title.
    pub(super) lead: String,
    pub(super) blocks: Vec<Block>,
}

/// A part of a page.
#[derive(Debug, PartialEq)]
pub(super) enum Block {
    Heading(String),
    Paragraph(Text),
    /// Of a list.
    Item(Text),
    /// A name, and its value.
    Value(&'static str, String),
    /// A line of a preset.
    ///
    /// The code and name of its rule and its level, which are empty if it concerns no single rule; the setting; the reason.
    Setting([String; 4]),
    /// Lines of a configuration.
    Code(String),
}

/// Text with styles. It can have line breaks.
pub(super) type Text = Vec<Span>;

#[derive(Debug, PartialEq)]
pub(super) enum Span {
    Plain(String),
    Emphasis(String),
    Code(String),
}

impl Document {
    /// * `markdown` – the page without its title.
    pub(crate) fn new(id: &str, title: String, lead: String, markdown: &str) -> Self {
        Self {
            id: id.to_owned(),
            title,
            lead,
            blocks: parsed(markdown),
        }
    }

    /// The code or name by which the page is found.
    #[cfg(feature = "cli")]
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// With more parts.
    pub(super) fn with(mut self, blocks: impl IntoIterator<Item = Block>) -> Self {
        self.blocks.extend(blocks);
        self
    }

    /// With headings and, in colour, emphasis and code as styles instead of marks.
    pub(crate) fn on_terminal(&self, view: View) -> String {
        let mut text = format!("{}\n{}\n", heading(&self.title, view), self.lead);
        let mut follows_heading = false;
        for block in runs(&self.blocks) {
            if !follows_heading {
                text += "\n";
            }
            for part in block {
                text += &part.on_terminal(view);
                text += "\n";
            }
            follows_heading = matches!(block, [Block::Heading(_)]);
        }
        text
    }
}

/// Blocks that are one list or one table are together.
pub(super) fn runs(blocks: &[Block]) -> impl Iterator<Item = &[Block]> {
    blocks.chunk_by(|a, b| {
        let is_row = matches!(a, Block::Item(_) | Block::Value(..) | Block::Setting(_));
        is_row && discriminant(a) == discriminant(b)
    })
}

impl Block {
    /// Without the line break at the end.
    fn on_terminal(&self, view: View) -> String {
        match self {
            Self::Heading(title) => heading(title, view),
            Self::Paragraph(text) => on_terminal(text, view),
            Self::Item(text) => format!("- {}", on_terminal(text, view).replace('\n', "\n  ")),
            Self::Value(name, value) => format!("{name:<11} {value}"),
            Self::Setting([rule, default, setting, why]) => {
                let why = wrapped(&format!("    {why}"), "    ");
                if rule.is_empty() {
                    format!("{setting}\n{why}")
                } else {
                    format!("{rule}: {setting} (default: {default})\n{why}")
                }
            }
            Self::Code(lines) => lines.trim_end().to_owned(),
        }
    }
}

fn on_terminal(text: &Text, view: View) -> String {
    let spans = text.iter().map(|span| match span {
        Span::Plain(text) => text.clone(),
        Span::Emphasis(text) if view.color => format!("{EMPHASIS}{text}{EMPHASIS:#}"),
        Span::Emphasis(text) => format!("*{text}*"),
        Span::Code(text) if view.color => format!("{CODE}{text}{CODE:#}"),
        Span::Code(text) => format!("`{text}`"),
    });
    spans.collect()
}

/// A heading.
pub(super) fn heading(text: &str, view: View) -> String {
    if view.color {
        format!("{BOLD}{text}{BOLD:#}")
    } else {
        text.to_owned()
    }
}

/// Text without styles, in lines that fit a terminal.
///
/// * `indent` – of the lines there, in characters.
pub(super) fn plain(text: &str, indent: usize) -> Text {
    let indent = " ".repeat(indent);
    let lines = wrapped(&format!("{indent}{text}"), &indent)
        .trim_start()
        .replace(&format!("\n{indent}"), "\n");
    vec![Span::Plain(lines)]
}

/// Wraps `text` to at most [`WIDTH`] characters, all lines but the first indented by `indent`; longer words stay whole.
pub(super) fn wrapped(text: &str, indent: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() < WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            Some(_) => lines.push(format!("{indent}{word}")),
            None => lines.push(word.to_owned()),
        }
    }
    lines.join("\n")
}

/// The parts of a page in Markdown.
fn parsed(markdown: &str) -> Vec<Block> {
    type Kind = fn(&str) -> Block;
    let mut blocks: Vec<(Kind, String)> = Vec::new();
    // Whether a line continues the block before it.
    let mut is_open = false;
    for line in markdown.lines() {
        if line.trim().is_empty() {
            is_open = false;
        } else if let Some(title) = line.strip_prefix("## ") {
            blocks.push((|title| Block::Heading(title.to_owned()), title.to_owned()));
            is_open = false;
        } else if let Some(item) = line.strip_prefix("- ") {
            blocks.push((|text| Block::Item(spans(text)), item.to_owned()));
            is_open = true;
        } else if let Some((_, text)) = blocks.last_mut().filter(|_| is_open) {
            text.push('\n');
            text.push_str(line.trim_start());
        } else {
            blocks.push((|text| Block::Paragraph(spans(text)), line.to_owned()));
            is_open = true;
        }
    }
    let blocks = blocks.iter().map(|(kind, text)| kind(text));
    blocks.collect()
}

/// Emphasis can contain line breaks, but no code.
fn spans(text: &str) -> Text {
    let marked =
        |text: &str, mark: char, inside: fn(String) -> Span, outside: &dyn Fn(&str) -> Text| {
            let parts = text
                .split(mark)
                .enumerate()
                .flat_map(|(index, part)| match index % 2 {
                    0 => outside(part),
                    _ => vec![inside(part.to_owned())],
                });
            parts.collect::<Text>()
        };
    let plain = |text: &str| match text {
        "" => Vec::new(),
        text => vec![Span::Plain(text.to_owned())],
    };
    marked(text, '`', Span::Code, &|text| {
        marked(text, '*', Span::Emphasis, &plain)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::config::PRESETS;
    use crate::lint::{PROFILES, rules};

    /// All pages.
    pub(in crate::report) fn documents() -> Vec<Document> {
        let rules = rules().map(|rule| Document::of_rule(rule.meta()));
        let profiles = PROFILES.iter().map(Document::of_profile);
        let presets = PRESETS.iter().map(Document::of_preset);
        rules.chain(profiles).chain(presets).collect()
    }

    #[test]
    fn a_page_is_taken_apart_and_put_together() {
        let markdown = "## What\nReads `a*b`\nand *c\nd*.\n\nThen:\n- one\n  more\n- two\n\nEnd";
        let page = Document::new("X", "X x".to_owned(), "lead".to_owned(), markdown);
        let plain = |text: &str| Span::Plain(text.to_owned());
        let expected = [
            Block::Heading("What".to_owned()),
            Block::Paragraph(vec![
                plain("Reads "),
                Span::Code("a*b".to_owned()),
                plain("\nand "),
                Span::Emphasis("c\nd".to_owned()),
                plain("."),
            ]),
            Block::Paragraph(vec![plain("Then:")]),
            Block::Item(vec![plain("one\nmore")]),
            Block::Item(vec![plain("two")]),
            Block::Paragraph(vec![plain("End")]),
        ];
        assert_eq!(page.blocks, expected);
        let printed = page.on_terminal(View::default());
        let markdown = markdown.replace("## ", "").replace(":\n-", ":\n\n-");
        assert_eq!(printed, format!("X x\nlead\n\n{markdown}\n"));
        let color = View {
            color: true,
            ..View::default()
        };
        let printed = page.on_terminal(color);
        assert!(printed.contains("\u{1b}[1mWhat\u{1b}[0m\n"), "{printed:?}");
        assert!(printed.contains("\u{1b}[36ma*b\u{1b}[0m"), "{printed:?}");
        assert!(printed.contains("\u{1b}[3mc\nd\u{1b}[0m"), "{printed:?}");
    }

    #[test]
    fn no_page_has_markdown_that_is_not_parsed() {
        for page in documents() {
            let texts = page.blocks.iter().filter_map(|block| match block {
                Block::Paragraph(text) | Block::Item(text) => Some(text),
                _ => None,
            });
            for text in texts {
                for span in text {
                    let (Span::Plain(own) | Span::Emphasis(own)) = span else {
                        continue;
                    };
                    let marks = ["`", "*", "](", "][", "![", "~~", "://", "\\"];
                    let found = marks.iter().find(|mark| own.contains(**mark));
                    assert_eq!(found, None, "{}: {own}", page.id);
                }
                let printed = on_terminal(text, View::default());
                for line in printed.lines() {
                    let digits = line.trim_start_matches(|own: char| own.is_ascii_digit());
                    let is_numbered = digits.len() < line.len() && digits.starts_with(". ");
                    let is_block = line.starts_with(['#', '|', '>', '+', '=', '<', ' ']);
                    assert!(!is_numbered && !is_block, "{}: {line}", page.id);
                }
            }
        }
    }
}
