//! Pages about rules, engines and presets: Markdown, and how a terminal shows it.
//!
//! Pages use headings, paragraphs, lists, emphasis and code, and nothing else.

#[cfg(feature = "cli")]
pub(super) mod html;

use std::iter::Peekable;
use std::str::Lines;

use anstyle::{AnsiColor, Style};

use super::format::View;

const EMPHASIS: Style = Style::new().italic();
const CODE: Style = AnsiColor::Cyan.on_default();

/// A page.
#[derive(Debug)]
pub(crate) struct Document {
    /// The code or name by which the page is found.
    pub(crate) id: &'static str,
    /// It begins with its title.
    pub(crate) markdown: String,
}

/// A page among others.
pub(super) struct Article {
    pub(super) id: &'static str,
    pub(super) title: String,
    /// Without the title.
    pub(super) blocks: Vec<Block>,
}

impl Article {
    pub(super) fn of(document: &Document) -> Self {
        let mut blocks = parsed(&document.markdown);
        let title = match blocks.first() {
            Some(Block::Title(title)) => title.clone(),
            _ => String::new(),
        };
        blocks.retain(|block| !matches!(block, Block::Title(_)));
        Self {
            id: document.id,
            title,
            blocks,
        }
    }
}

/// A part of a page.
#[derive(Debug, PartialEq)]
pub(super) enum Block {
    Title(String),
    Heading(String),
    Paragraph(Text),
    List(Vec<Text>),
    /// Lines of a configuration.
    Code(String),
}

/// Text with styles, in one line.
type Text = Vec<Span>;

#[derive(Debug, PartialEq)]
pub(super) enum Span {
    Plain(String),
    Emphasis(String),
    Code(String),
}

impl Document {
    /// With headings and, in colour, emphasis and code as styles instead of marks.
    pub(crate) fn on_terminal(&self, view: View) -> String {
        on_terminal(&self.markdown, view)
    }
}

/// As [`Document::on_terminal`].
pub(super) fn on_terminal(markdown: &str, view: View) -> String {
    let mut text = String::new();
    // Headings stand right above their text.
    let mut follows_heading = true;
    for block in parsed(markdown) {
        text += if follows_heading { "" } else { "\n" };
        text += &block.on_terminal(view);
        text += "\n";
        follows_heading = matches!(block, Block::Title(_) | Block::Heading(_));
    }
    text
}

impl Block {
    /// Without the line break at the end.
    fn on_terminal(&self, view: View) -> String {
        match self {
            Self::Title(title) | Self::Heading(title) => view.bold(title),
            Self::Paragraph(text) => styled(text, view),
            Self::List(items) => {
                let items = items.iter();
                items
                    .map(|item| format!("- {}", styled(item, view)))
                    .collect::<Vec<_>>()
                    .join("\n")
            }
            Self::Code(lines) => lines.clone(),
        }
    }
}

fn styled(text: &Text, view: View) -> String {
    let spans = text.iter().map(|span| match span {
        Span::Plain(text) => text.clone(),
        Span::Emphasis(text) if view.color => view.styled(EMPHASIS, text),
        Span::Emphasis(text) => format!("*{text}*"),
        Span::Code(text) if view.color => view.styled(CODE, text),
        Span::Code(text) => format!("`{text}`"),
    });
    spans.collect()
}

/// The parts of a page in Markdown. Each paragraph is one line.
fn parsed(markdown: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = markdown.lines().peekable();
    while let Some(line) = lines.next() {
        if line.starts_with(FENCE) {
            let code = lines.by_ref().take_while(|line| !line.starts_with(FENCE));
            blocks.push(Block::Code(code.collect::<Vec<_>>().join("\n")));
        } else if let Some(title) = line.strip_prefix("# ") {
            blocks.push(Block::Title(title.to_owned()));
        } else if let Some(title) = line.strip_prefix("## ") {
            blocks.push(Block::Heading(title.to_owned()));
        } else if let Some(item) = line.strip_prefix("- ") {
            let item = spans(&paragraph(item, &mut lines));
            match blocks.last_mut() {
                Some(Block::List(items)) => items.push(item),
                _ => blocks.push(Block::List(vec![item])),
            }
        } else if !line.trim().is_empty() {
            blocks.push(Block::Paragraph(spans(&paragraph(line, &mut lines))));
        }
    }
    blocks
}

/// Begins and ends lines of code.
const FENCE: &str = "```";

/// `first` and the lines that continue it.
fn paragraph(first: &str, lines: &mut Peekable<Lines<'_>>) -> String {
    let continues = |line: &&str| {
        let begins = |mark: &&str| line.starts_with(*mark);
        !line.trim().is_empty() && ![FENCE, "# ", "## ", "- "].iter().any(begins)
    };
    let mut text = first.trim().to_owned();
    while let Some(line) = lines.next_if(continues) {
        text.push(' ');
        text += line.trim();
    }
    text
}

/// Emphasis contains no code.
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
    use crate::engines::ENGINES;
    use crate::lint::rules;

    /// All pages.
    pub(in crate::report) fn documents() -> Vec<Document> {
        let rules = rules().map(|rule| Document::of_rule(rule.meta()));
        let engines = ENGINES.iter().map(Document::of_engine);
        let presets = PRESETS.iter().map(Document::of_preset);
        rules.chain(engines).chain(presets).collect()
    }

    #[test]
    fn a_page_is_taken_apart_and_put_together() {
        let markdown = "# X x\n\nlead\n\n## What\nReads `a*b`\nand *c\nd*.\n\nThen:\n- one\n  more\n- two\n\nEnd\n\n\
            ```toml\na = 1\n\n- b\n```\n";
        let plain = |text: &str| Span::Plain(text.to_owned());
        let expected = [
            Block::Title("X x".to_owned()),
            Block::Paragraph(vec![plain("lead")]),
            Block::Heading("What".to_owned()),
            Block::Paragraph(vec![
                plain("Reads "),
                Span::Code("a*b".to_owned()),
                plain(" and "),
                Span::Emphasis("c d".to_owned()),
                plain("."),
            ]),
            Block::Paragraph(vec![plain("Then:")]),
            Block::List(vec![vec![plain("one more")], vec![plain("two")]]),
            Block::Paragraph(vec![plain("End")]),
            Block::Code("a = 1\n\n- b".to_owned()),
        ];
        assert_eq!(parsed(markdown), expected);
        let printed = on_terminal(markdown, View::default());
        let expected = "X x\nlead\n\nWhat\nReads `a*b` and *c d*.\n\nThen:\n\n- one more\n- two\n\nEnd\n\n\
            a = 1\n\n- b\n";
        assert_eq!(printed, expected);
        let color = View {
            color: true,
            ..View::default()
        };
        let printed = on_terminal(markdown, color);
        assert!(printed.contains("\u{1b}[1mWhat\u{1b}[0m\n"), "{printed:?}");
        assert!(printed.contains("\u{1b}[36ma*b\u{1b}[0m"), "{printed:?}");
        assert!(printed.contains("\u{1b}[3mc d\u{1b}[0m"), "{printed:?}");
    }

    #[test]
    fn no_page_has_markdown_that_is_not_parsed() {
        for page in documents() {
            let blocks = parsed(&page.markdown);
            assert!(matches!(blocks[0], Block::Title(_)), "{}", page.id);
            let texts = blocks.iter().flat_map(|block| match block {
                Block::Paragraph(text) => std::slice::from_ref(text),
                Block::List(items) => items,
                _ => &[],
            });
            for text in texts {
                for span in text {
                    let (Span::Plain(own) | Span::Emphasis(own)) = span else {
                        continue;
                    };
                    let marks = ["`", "*", "](", "][", "![", "~~", "\\"];
                    let found = marks.iter().find(|mark| own.contains(**mark));
                    assert_eq!(found, None, "{}: {own}", page.id);
                }
                let printed = styled(text, View::default());
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
