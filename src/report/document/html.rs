//! Pages about rules, profiles and presets as one HTML page.

use std::collections::BTreeSet;

use askama::Template;
use askama::filters::Safe;

use super::super::shell::Page;
use super::{Block, Document, Span};
use crate::lint::find_rule;

/// How the content of our pages begins.
const SIGNATURE: &str = "<main>\n<article class=\"explained\"";

#[derive(Template)]
#[template(path = "document/page.html")]
struct Explained<'a> {
    documents: Vec<&'a Document>,
    /// The codes of the rules among them.
    codes: BTreeSet<&'a str>,
}

impl Page for Explained<'_> {
    const STYLE: Safe<&'static str> = Safe(include_str!("page.css"));
}

/// One page of all `documents`, each once. The codes of their rules are links from one to the other.
pub(crate) fn explain_html(documents: &[Document]) -> String {
    let mut ids = BTreeSet::new();
    let documents: Vec<&Document> = documents
        .iter()
        .filter(|document| ids.insert(document.id.as_str()))
        .collect();
    let codes = ids
        .into_iter()
        .filter(|id| find_rule(id).is_some())
        .collect();
    Explained { documents, codes }.html()
}

/// Whether a file holds a page of this kind.
pub(crate) fn is_explain_html(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(1 << 16)];
    let mut parts = head.windows(SIGNATURE.len());
    bytes.starts_with(b"<!DOCTYPE html>") && parts.any(|part| part == SIGNATURE.as_bytes())
}

impl Explained<'_> {
    /// Of headings within a document.
    fn level(&self) -> u8 {
        if self.documents.len() > 1 { 3 } else { 2 }
    }

    fn is_linked(&self, document: &Document, word: &str) -> bool {
        word != document.id && self.codes.contains(word)
    }
}

/// Letters and digits, and what separates them from the next.
fn words(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let parts = text.split_inclusive(|own: char| !own.is_alphanumeric());
    parts.map(|part| {
        let word = part.trim_end_matches(|own: char| !own.is_alphanumeric());
        part.split_at(word.len())
    })
}

#[cfg(test)]
mod tests {
    use askama::filters;

    use super::super::tests::documents;
    use super::*;
    use crate::report::escape::Xml;

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
            let title = filters::escape(&document.title, Xml).expect("it cannot fail");
            let title = format!("<h1>{title}</h1>");
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
