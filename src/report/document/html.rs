//! Pages about rules, engines and presets as one HTML page.

use std::collections::BTreeSet;

use askama::Template;
use askama::filters::Safe;

use super::super::shell::Page;
use super::{Article, Block, Document, Span};

/// How the content of our pages begins.
const SIGNATURE: &str = "<main>\n<article class=\"explained\"";

#[derive(Template)]
#[template(path = "document/page.html")]
struct Explained {
    articles: Vec<Article>,
}

impl Page for Explained {
    const STYLE: Safe<&'static str> = Safe(include_str!("page.css"));
    const HAS_SCRIPT: bool = false;
}

/// One page of all `documents`, each once.
pub(crate) fn explain_html(documents: &[Document]) -> String {
    let mut ids = BTreeSet::new();
    let documents = documents.iter().filter(|document| ids.insert(document.id));
    let articles = documents.map(Article::of).collect();
    Explained { articles }.html()
}

/// Whether a file holds a page of this kind.
pub(crate) fn is_explain_html(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(1 << 16)];
    let mut parts = head.windows(SIGNATURE.len());
    bytes.starts_with(b"<!DOCTYPE html>") && parts.any(|part| part == SIGNATURE.as_bytes())
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
            let title = filters::escape(Article::of(document).title, Xml).expect("it cannot fail");
            assert!(content.contains(&format!("<h1>{title}</h1>")), "{content}");
            assert!(!content.contains("<a "), "nothing to link to: {content}");
        }
        let content = content(&explain_html(&all));
        for part in content.split("href=\"#").skip(1) {
            let (id, _) = part.split_once('"').expect("an end");
            assert!(content.contains(&format!(" id=\"{id}\"")), "{id}");
        }
    }

    #[test]
    fn each_page_is_there_once() {
        let of = |id: &'static str| Document {
            id,
            markdown: format!("# {id}\n"),
        };
        let content = content(&explain_html(&[of("W103"), of("W104"), of("W104")]));
        assert_eq!(content.matches(" id=\"W104\"").count(), 1, "{content}");
    }

    #[test]
    fn no_text_leaves_its_element() {
        let hostile = "</p><script>alert(1)</script>\"' onload=\"x";
        let markdown = format!(
            "# {hostile}\n\n## {hostile}\n{hostile}\n- `{hostile}`\n- *{hostile}*\n```\n{hostile}\n```\n"
        );
        let document = |id: &'static str| Document {
            id,
            markdown: markdown.clone(),
        };
        for documents in [
            vec![document(hostile)],
            vec![document(hostile), document("W103")],
        ] {
            let page = explain_html(&documents);
            assert!(!page.contains("<script"), "{page}");
            let content = content(&page);
            let parsed = roxmltree::Document::parse(&content).expect("it is well formed");
            let attributes = parsed.descendants().flat_map(|own| own.attributes());
            let known = ["class", "id", "href", "aria-label"];
            for attribute in attributes {
                assert!(known.contains(&attribute.name()), "{attribute:?}");
            }
        }
    }
}
