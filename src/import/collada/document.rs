//! The document as a tree, and its references.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use roxmltree::{Document as Xml, Node, NodeId as XmlId, ParsingOptions};

use super::error::Unclear;
use super::table::Table;

/// The most elements; far more than the largest models have. Lists of numbers are few elements.
const MAX_NODES: u32 = 1 << 24;

/// Most numbers and names that are read from sources; a source counts each time it is read.
const MAX_NUMBERS: usize = 1 << 27;

/// A tree, with its elements by their ids.
pub(super) struct Document<'a> {
    root: Node<'a, 'a>,
    by_id: HashMap<&'a str, Node<'a, 'a>>,
    numbers_left: Cell<usize>,
    /// Sources that have been read.
    pub(super) tables: RefCell<HashMap<XmlId, Rc<Table>>>,
}

/// Parses `text`.
pub(super) fn parse(text: &str) -> Result<Xml<'_>, Unclear> {
    let options = ParsingOptions {
        nodes_limit: MAX_NODES,
        // Entities may expand to any length.
        allow_dtd: !text.contains("<!ENTITY"),
        ..ParsingOptions::default()
    };
    Ok(Xml::parse_with_options(text, options)?)
}

impl<'a> Document<'a> {
    /// Indexes `xml` by id. Of several elements with one id, the first is used.
    pub(super) fn new(xml: &'a Xml<'a>) -> Self {
        let mut by_id = HashMap::new();
        for node in xml.descendants() {
            if let Some(id) = node.attribute("id") {
                by_id.entry(id).or_insert(node);
            }
        }
        Self {
            root: xml.root_element(),
            by_id,
            numbers_left: Cell::new(MAX_NUMBERS),
            tables: RefCell::default(),
        }
    }

    /// The element `COLLADA`.
    pub(super) fn root(&self) -> Node<'a, 'a> {
        self.root
    }

    /// All elements `name` in the libraries called `library`.
    pub(super) fn library(
        &self,
        library: &'static str,
        name: &'static str,
    ) -> impl Iterator<Item = Node<'a, 'a>> {
        children(self.root, library).flat_map(move |all| children(all, name))
    }

    /// The element with that id.
    pub(super) fn by_id(&self, id: &str) -> Option<Node<'a, 'a>> {
        self.by_id.get(id).copied()
    }

    /// The element that `url` (`#id`) refers to, if its name is `what`.
    pub(super) fn at(&self, url: &str, what: &'static str) -> Result<Node<'a, 'a>, Unclear> {
        let target = url.strip_prefix('#').and_then(|id| self.by_id(id));
        let target = target.filter(|node| is(*node, what));
        target.ok_or_else(|| Unclear::Missing {
            url: url.to_owned(),
            what,
        })
    }

    /// The source of the input `semantic` of `element`, if it has one.
    pub(super) fn input(
        &self,
        element: Node<'a, 'a>,
        semantic: &str,
    ) -> Result<Option<Node<'a, 'a>>, Unclear> {
        let mut inputs = children(element, "input");
        let found = inputs.find(|input| input.attribute("semantic") == Some(semantic));
        let url = found.map(|input| input.attribute("source").unwrap_or_default());
        url.map(|url| self.at(url, "source")).transpose()
    }

    /// The source of the input `semantic` of `element`.
    pub(super) fn required(
        &self,
        element: Node<'a, 'a>,
        name: &'static str,
        semantic: &'static str,
    ) -> Result<Node<'a, 'a>, Unclear> {
        self.input(element, semantic)?.ok_or(Unclear::NoInput {
            element: name,
            semantic,
        })
    }

    /// Counts `numbers` that are about to be read.
    pub(super) fn spend(&self, numbers: usize) -> Result<(), Unclear> {
        let left = self.numbers_left.get().checked_sub(numbers);
        self.numbers_left.set(left.ok_or(Unclear::TooMuch {
            limit: MAX_NUMBERS,
            what: "numbers",
        })?);
        Ok(())
    }
}

/// Whether `node` is an element of that name.
pub(super) fn is(node: Node<'_, '_>, name: &str) -> bool {
    node.is_element() && node.tag_name().name() == name
}

/// The children of `node` of that name.
pub(super) fn children<'a>(
    node: Node<'a, 'a>,
    name: &'static str,
) -> impl Iterator<Item = Node<'a, 'a>> {
    node.children().filter(move |child| is(*child, name))
}

/// The first child of `node` of that name.
pub(super) fn child<'a>(node: Node<'a, 'a>, name: &'static str) -> Option<Node<'a, 'a>> {
    children(node, name).next()
}

/// The name of `element`, else its id.
pub(super) fn name<'a>(element: Node<'a, 'a>) -> Option<&'a str> {
    let given = |name| element.attribute(name).filter(|name| !name.is_empty());
    given("name").or_else(|| given("id"))
}

/// The words of the text directly in `node`, comments skipped.
pub(super) fn words<'a>(node: Node<'a, 'a>) -> impl Iterator<Item = &'a str> {
    let texts = node.children().filter_map(|child| {
        let is_text = child.is_text();
        child.text().filter(|_| is_text)
    });
    texts.flat_map(str::split_ascii_whitespace)
}

/// `words` of `node` as numbers.
pub(super) fn numbers<'a>(node: Node<'a, 'a>) -> impl Iterator<Item = Result<f64, Unclear>> {
    words(node).map(move |word| match word.parse() {
        Ok(number) => Ok(number),
        // Microsoft's C library writes `1.#QNAN` and the like.
        Err(_) if word.contains(".#") => Ok(f64::NAN),
        Err(_) => Err(not_a_number(node, word)),
    })
}

/// `words` of `node` as whole numbers.
pub(super) fn integers<'a>(node: Node<'a, 'a>) -> impl Iterator<Item = Result<i64, Unclear>> {
    words(node).map(move |word| word.parse().map_err(|_| not_a_number(node, word)))
}

fn not_a_number(node: Node<'_, '_>, word: &str) -> Unclear {
    Unclear::NotANumber {
        word: word.to_owned(),
        element: node.tag_name().name().to_owned(),
    }
}
