//! Pages about rules, profiles and presets as one HTML page.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::super::escape::xml;
use super::super::shell::Shell;
use super::{Block, Document, Span, runs};
use crate::lint::find_rule;

const STYLE: &str = include_str!("page.css");

/// How the content of our pages begins.
const SIGNATURE: &str = "<main>\n<article class=\"explained\"";

/// One page of all `documents`, each once. The codes of their rules are links from one to the other.
pub(crate) fn explain_html(documents: &[Document]) -> String {
    let mut ids = BTreeSet::new();
    let documents: Vec<&Document> = documents
        .iter()
        .filter(|document| ids.insert(document.id.as_str()))
        .collect();
    let (title, header) = match documents[..] {
        [only] => (xml(&only.title), head(only, 1)),
        _ => ("skincheck explain".to_owned(), contents(&documents)),
    };
    Shell {
        title: &title,
        style: STYLE,
        header: &header,
        main: &articles(&documents),
        data: None,
        script: None,
    }
    .page()
}

/// Whether a file holds a page of this kind.
pub(crate) fn is_explain_html(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(1 << 16)];
    let mut parts = head.windows(SIGNATURE.len());
    bytes.starts_with(b"<!DOCTYPE html>") && parts.any(|part| part == SIGNATURE.as_bytes())
}

/// A list of links to the documents.
fn contents(documents: &[&Document]) -> String {
    let links = documents.iter().map(|document| {
        let (id, title) = (xml(&document.id), xml(&document.title));
        format!("<li><a href=\"#{id}\">{title}</a></li>\n")
    });
    let links: String = links.collect();
    format!("<h1>skincheck explain</h1>\n<nav aria-label=\"Contents\"><ul>\n{links}</ul></nav>\n")
}

fn head(document: &Document, level: u8) -> String {
    let (title, lead) = (xml(&document.title), xml(&document.lead));
    format!("<h{level}>{title}</h{level}>\n<p class=\"faint\">{lead}</p>\n")
}

fn articles(documents: &[&Document]) -> String {
    let codes = documents.iter().map(|document| document.id.as_str());
    let codes: BTreeSet<&str> = codes.filter(|id| find_rule(id).is_some()).collect();
    let mut html = String::new();
    for document in documents {
        let _ = writeln!(
            html,
            "<article class=\"explained\" id=\"{}\">",
            xml(&document.id)
        );
        let mut level = 2;
        if documents.len() > 1 {
            html += &head(document, level);
            level += 1;
        }
        let mut links = codes.clone();
        links.remove(document.id.as_str());
        let writer = Writer { links, level };
        for run in runs(&document.blocks) {
            html += &writer.run(run);
        }
        html += "</article>\n";
    }
    html
}

struct Writer<'a> {
    /// The codes that have a page of their own.
    links: BTreeSet<&'a str>,
    /// Of headings.
    level: u8,
}

impl Writer<'_> {
    /// * `run` – a block, or the rows of a list or table.
    fn run(&self, run: &[Block]) -> String {
        let rows: String = run.iter().map(|block| self.block(block)).collect();
        match run {
            [Block::Item(_), ..] => format!("<ul>\n{rows}</ul>\n"),
            [Block::Value(..), ..] => format!("<table>\n{rows}</table>\n"),
            [Block::Setting(_), ..] => format!(
                "<div class=\"wide\"><table>\n<tr><th>rule</th><th>default</th><th>preset</th><th>reason</th></tr>\n\
                 {rows}</table></div>\n"
            ),
            _ => rows,
        }
    }

    fn block(&self, block: &Block) -> String {
        let level = self.level;
        match block {
            Block::Heading(title) => format!("<h{level}>{}</h{level}>\n", xml(title)),
            Block::Paragraph(text) => format!("<p>{}</p>\n", self.text(text)),
            Block::Item(text) => format!("<li>{}</li>\n", self.text(text)),
            Block::Value(name, value) => format!(
                "<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n",
                xml(name),
                xml(value)
            ),
            Block::Setting([rule, default, setting, why]) => format!(
                "<tr><td>{}</td><td>{}</td><td><code>{}</code></td><td>{}</td></tr>\n",
                self.linked(rule),
                xml(default),
                xml(setting),
                self.linked(why)
            ),
            Block::Code(lines) => format!("<pre><code>{}</code></pre>\n", xml(lines.trim_end())),
        }
    }

    fn text(&self, text: &[Span]) -> String {
        let spans = text.iter().map(|span| match span {
            Span::Plain(text) => self.linked(text),
            Span::Emphasis(text) => format!("<em>{}</em>", self.linked(text)),
            Span::Code(text) => format!("<code>{}</code>", self.linked(text)),
        });
        spans.collect()
    }

    /// Escaped, with a link for each code that has a page.
    fn linked(&self, text: &str) -> String {
        let mut html = String::new();
        for part in text.split_inclusive(|own: char| !own.is_alphanumeric()) {
            let word = part.trim_end_matches(|own: char| !own.is_alphanumeric());
            if self.links.contains(word) {
                let _ = write!(html, "<a href=\"#{word}\">{word}</a>");
                html += &xml(&part[word.len()..]);
            } else {
                html += &xml(part);
            }
        }
        html
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::documents;
    use super::*;

    /// The content of a page, which must be well formed.
    fn content(page: &str) -> String {
        let (_, main) = page.split_once("<body>").expect("a page has a body");
        let (main, _) = main.split_once("</body>").expect("and its end");
        let content = format!("<body>{main}</body>");
        if let Err(error) = roxmltree::Document::parse(&content) {
            panic!("{error}: {content}");
        }
        content
    }

    #[test]
    fn every_page_is_well_formed_alone_and_among_all() {
        let all = documents();
        for document in &all {
            let page = explain_html(std::slice::from_ref(document));
            assert!(is_explain_html(page.as_bytes()));
            let content = content(&page);
            let title = format!("<h1>{}</h1>", xml(&document.title));
            assert!(content.contains(&title), "{content}");
            assert!(!content.contains("<a "), "nothing to link to: {content}");
        }
        let content = content(&explain_html(&all));
        for part in content.split("href=\"#").skip(1) {
            let (id, _) = part.split_once('"').expect("an end");
            assert!(content.contains(&format!(" id=\"{id}\"")), "{id}");
        }
    }

    #[test]
    fn codes_are_links_to_other_pages_that_are_there() {
        let of = |id: &str, text: &str| Document::new(id, id.to_owned(), String::new(), text);
        let documents = [
            of("W103", "As `W104`, W104. not W105, W1040 or W103"),
            of("W104", "text"),
            of("W104", "text"),
        ];
        let content = content(&explain_html(&documents));
        let link = "<a href=\"#W104\">W104</a>";
        let expected = format!("<p>As <code>{link}</code>, {link}. not W105, W1040 or W103</p>");
        assert!(content.contains(&expected), "{content}");
        assert_eq!(content.matches(" id=\"W104\"").count(), 1, "{content}");
    }

    #[test]
    fn no_text_leaves_its_element() {
        let hostile = "</p><script>alert(1)</script>\"' onload=\"x";
        let markdown = format!("## {hostile}\n{hostile}\n- `{hostile}`\n- *{hostile}*");
        let hostile_document = || {
            let document =
                Document::new(hostile, hostile.to_owned(), hostile.to_owned(), &markdown);
            document.with([
                Block::Value("name", hostile.to_owned()),
                Block::Setting([(); 4].map(|()| hostile.to_owned())),
                Block::Code(hostile.to_owned()),
            ])
        };
        let other = || Document::new("W103", String::new(), String::new(), "");
        for documents in [vec![hostile_document()], vec![hostile_document(), other()]] {
            let page = explain_html(&documents);
            assert!(!page.contains("<script"), "{page}");
            let content = content(&page);
            let parsed = roxmltree::Document::parse(&content).expect("it is well formed");
            let attributes = parsed.descendants().flat_map(|own| own.attributes());
            let known = ["class", "id", "href", "scope", "aria-label"];
            for attribute in attributes {
                assert!(known.contains(&attribute.name()), "{attribute:?}");
            }
        }
    }
}
