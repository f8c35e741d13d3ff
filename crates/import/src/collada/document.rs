//! The document as a tree, its references, its lists of numbers and names (COLLADA 1.4.1, chapter 5, "accessor"), and
//! the reasons to refuse it.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use roxmltree::{Document as Xml, Node, NodeId as XmlId, ParsingOptions};

use crate::ImporterError;
use crate::files::unreadable;
use crate::text::{self, MOST_ATTRIBUTES};

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

/// Parses `xml`.
pub(super) fn parse(xml: &str) -> Result<Xml<'_>, ReadError> {
    if text::has_too_many_attributes(xml) {
        return Err(ReadError::Attributes);
    }
    let options = ParsingOptions {
        nodes_limit: MAX_NODES,
        allow_dtd: !text::may_declare(xml),
        ..ParsingOptions::default()
    };
    Ok(Xml::parse_with_options(xml, options)?)
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
    pub(super) fn at(&self, url: &str, what: &'static str) -> Result<Node<'a, 'a>, ReadError> {
        let target = url
            .strip_prefix('#')
            .and_then(|id| self.by_id(id))
            .filter(|node| is(*node, what));
        target.ok_or_else(|| ReadError::Missing {
            url: url.to_owned(),
            what,
        })
    }

    /// The source of the input `semantic` of `element`, if it has one.
    pub(super) fn input(
        &self,
        element: Node<'a, 'a>,
        semantic: &str,
    ) -> Result<Option<Node<'a, 'a>>, ReadError> {
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
    ) -> Result<Node<'a, 'a>, ReadError> {
        self.input(element, semantic)?.ok_or(ReadError::NoInput {
            element: name,
            semantic,
        })
    }

    /// Counts `numbers` that are about to be read.
    pub(super) fn count_numbers(&self, numbers: usize) -> Result<(), ReadError> {
        let left = self.numbers_left.get().checked_sub(numbers);
        self.numbers_left.set(left.ok_or(ReadError::TooMuch {
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
pub(super) fn numbers<'a>(node: Node<'a, 'a>) -> impl Iterator<Item = Result<f64, ReadError>> {
    words(node).map(move |word| match word.parse() {
        Ok(number) => Ok(number),
        // Microsoft's C library writes `1.#QNAN` and the like.
        Err(_) if word.contains(".#") => Ok(f64::NAN),
        Err(_) => Err(not_a_number(node, word)),
    })
}

/// `words` of `node` as whole numbers.
pub(super) fn integers<'a>(node: Node<'a, 'a>) -> impl Iterator<Item = Result<i64, ReadError>> {
    words(node).map(move |word| word.parse().map_err(|_| not_a_number(node, word)))
}

fn not_a_number(node: Node<'_, '_>, word: &str) -> ReadError {
    ReadError::NotANumber {
        word: word.to_owned(),
        element: node.tag_name().name().to_owned(),
    }
}

impl<'a> Document<'a> {
    /// The numbers of `source`, read once.
    pub(super) fn table(&self, source: Node<'a, 'a>) -> Result<Rc<Table>, ReadError> {
        if let Some(known) = self.tables.borrow().get(&source.id()) {
            return Ok(Rc::clone(known));
        }
        let table = Rc::new(source_table(self, source)?);
        let known = Rc::clone(&table);
        self.tables.borrow_mut().insert(source.id(), known);
        Ok(table)
    }
}

/// The numbers of `source`.
///
/// By the specification, a parameter without a name hides its column. Exporters omit the names of all columns, so every
/// column is read.
pub(super) fn source_table<'a>(
    document: &Document<'a>,
    source: Node<'a, 'a>,
) -> Result<Table, ReadError> {
    let short = || ReadError::ShortSource { id: id(source) };
    let (array, view) = array(document, source, &["float_array", "int_array"])?;
    let Some(view) = view else {
        let values: Vec<f64> = numbers(array).collect::<Result<_, _>>()?;
        document.count_numbers(values.len())?;
        return Ok(Table { width: 1, values });
    };
    let length = view.length().ok_or_else(short)?;
    document.count_numbers(length.saturating_add(view.offset))?;
    let values: Vec<f64> = numbers(array)
        .skip(view.offset)
        .take(length)
        .collect::<Result<_, _>>()?;
    if values.len() < length {
        return Err(short());
    }
    Ok(Table {
        width: view.stride,
        values,
    })
}

const NAMES: &[&str] = &["Name_array", "IDREF_array"];

/// Whether the names of `source` are ids.
pub(super) fn are_ids<'a>(document: &Document<'a>, source: Node<'a, 'a>) -> bool {
    array(document, source, NAMES).is_ok_and(|(array, _)| is(array, "IDREF_array"))
}

/// The names of `source`.
pub(super) fn source_names<'a>(
    document: &Document<'a>,
    source: Node<'a, 'a>,
) -> Result<Vec<&'a str>, ReadError> {
    let (array, view) = array(document, source, NAMES)?;
    let (offset, length) = match view {
        Some(view) => (view.offset, view.length().unwrap_or(usize::MAX)),
        None => (0, usize::MAX),
    };
    let names: Vec<&str> = words(array).skip(offset).take(length).collect();
    document.count_numbers(names.len().saturating_add(offset))?;
    if view.is_some() && names.len() < length {
        return Err(ReadError::ShortSource { id: id(source) });
    }
    Ok(names)
}

/// The layout that an accessor states.
#[derive(Debug, Clone, Copy)]
struct View {
    offset: usize,
    stride: usize,
    count: usize,
}

impl View {
    fn of(accessor: Node<'_, '_>) -> Self {
        let number = |name, otherwise| {
            let value = accessor.attribute(name).and_then(|word| word.parse().ok());
            value.unwrap_or(otherwise)
        };
        Self {
            offset: number("offset", 0),
            stride: number("stride", 1).max(1),
            count: number("count", 0),
        }
    }

    fn length(self) -> Option<usize> {
        self.count.checked_mul(self.stride)
    }
}

/// The array of `source`, and the accessor's layout.
fn array<'a>(
    document: &Document<'a>,
    source: Node<'a, 'a>,
    kinds: &[&str],
) -> Result<(Node<'a, 'a>, Option<View>), ReadError> {
    let is_array = |node: &Node<'_, '_>| kinds.iter().any(|kind| is(*node, kind));
    let accessor = children(source, "technique_common")
        .flat_map(|technique| children(technique, "accessor"))
        .next();
    let url = accessor.and_then(|accessor| accessor.attribute("source"));
    let named = url.and_then(|url| document.by_id(url.strip_prefix('#')?));
    let found = named
        .filter(is_array)
        .or_else(|| source.children().find(is_array));
    let array = found.ok_or_else(|| ReadError::Missing {
        url: url.map_or_else(|| id(source), str::to_owned),
        what: "array of numbers or names",
    })?;
    Ok((array, accessor.map(View::of)))
}

fn id(source: Node<'_, '_>) -> String {
    source.attribute("id").unwrap_or_default().to_owned()
}

/// As many rows as an accessor counts, each with `width` numbers, one after the other.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Table {
    pub(super) width: usize,
    pub(super) values: Vec<f64>,
}

impl Table {
    /// How many rows there are.
    pub(super) fn rows(&self) -> usize {
        self.values.len() / self.width
    }

    /// Reorders the rows by `order`, whose indices must exist.
    pub(super) fn gather(&mut self, order: &[usize]) {
        let rows = order.iter().filter(|row| **row < self.rows());
        self.values = rows
            .flat_map(|row| self.row(*row).iter().copied())
            .collect();
    }

    /// Row number `row`, which must exist.
    pub(super) fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.width..][..self.width]
    }
}

/// What is wrong, as the end of the sentence "geometry "x": …".
#[derive(Debug, thiserror::Error)]
pub(super) enum ReadError {
    /// The operating system cannot read it.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The document is larger than any model.
    #[error("the document is larger than {limit} bytes")]
    TooLarge { limit: u64 },
    /// An archive that would fill the memory.
    #[error("the archive unpacks to more than {limit} bytes; unpack it and check the .dae")]
    Bomb { limit: u64 },
    /// The archive is damaged or compressed by an unsupported method.
    #[error("the archive cannot be opened: {0}")]
    Archive(#[from] zip::result::ZipError),
    /// The archive holds no document.
    #[error("the archive contains no .dae")]
    EmptyArchive,
    /// The XML is malformed, or declares entities, which may expand to any length.
    #[error("{}", text::explain_xml(.0))]
    Xml(#[from] roxmltree::Error),
    /// An element whose attributes would take long to parse.
    #[error("an element has more than {MOST_ATTRIBUTES} attributes")]
    Attributes,
    /// The root element is not `<COLLADA>`.
    #[error("the root element is <{found}>; expected <COLLADA>")]
    Root { found: String },
    /// A reference is dangling, or refers to another kind of element.
    #[error("{url:?} is not a <{what}> of this file")]
    Missing {
        url: String,
        /// The expected element.
        what: &'static str,
    },
    /// An element lacks an input.
    #[error("<{element}> has no input {semantic}")]
    NoInput {
        /// Such as `sampler`.
        element: &'static str,
        /// Such as `OUTPUT`.
        semantic: &'static str,
    },
    /// A word that should be a number.
    #[error("{word:?} in <{element}> is not a number")]
    NotANumber { word: String, element: String },
    /// Fewer numbers or names than an accessor promises.
    #[error("source {id:?} is shorter than its accessor says")]
    ShortSource { id: String },
    /// Lists whose lengths do not match.
    #[error("{what}")]
    Misfit { what: String },
    /// More than any model needs.
    #[error("the document requires more than {limit} {what}")]
    TooMuch {
        limit: usize,
        /// Such as `numbers`.
        what: &'static str,
    },
}

impl ReadError {
    pub(super) fn misfit(what: impl Into<String>) -> Self {
        Self::Misfit { what: what.into() }
    }
}

/// A problem and its location.
#[derive(Debug, thiserror::Error)]
#[error("{location}: {why}")]
pub(super) struct Failure {
    /// Such as `animation "Walk"`.
    pub(super) location: String,
    pub(super) why: ReadError,
}

impl Failure {
    /// Located at `element`, or at its nearest ancestor that has an id.
    pub(super) fn at(element: roxmltree::Node<'_, '_>, why: ReadError) -> Self {
        Self {
            location: error_location(element),
            why,
        }
    }
}

impl<E: Into<ReadError>> From<E> for Failure {
    fn from(why: E) -> Self {
        Self {
            location: "document".to_owned(),
            why: why.into(),
        }
    }
}

impl From<Failure> for ImporterError {
    fn from(failure: Failure) -> Self {
        match failure.why {
            ReadError::Io(error) => unreadable(error),
            ReadError::Bomb { .. } => Self::advised(failure),
            _ => Self::parse(failure),
        }
    }
}

/// `element`, or its nearest ancestor that has an id or a name, such as `animation "Walk"`.
pub(super) fn error_location(element: roxmltree::Node<'_, '_>) -> String {
    let named = element.ancestors().find_map(|element| {
        let name = element.attribute("id").or(element.attribute("name"))?;
        Some(format!("{} {name:?}", element.tag_name().name()))
    });
    named.unwrap_or_else(|| element.tag_name().name().to_owned())
}

#[cfg(test)]
mod tests {
    use super::{parse, *};

    fn read(inside: &str) -> Result<Table, ReadError> {
        let text = format!(r#"<COLLADA><source id="s">{inside}</source></COLLADA>"#);
        let xml = parse(&text).expect("it is well-formed");
        let document = Document::new(&xml);
        let source = document.at("#s", "source").expect("it is there");
        super::source_table(&document, source)
    }

    fn viewed(array: &str, accessor: &str) -> Result<Table, ReadError> {
        read(&format!(
            r##"<float_array id="a">{array}</float_array>
               <technique_common><accessor source="#a" {accessor}/></technique_common>"##
        ))
    }

    #[test]
    fn an_accessor_chooses_rows() {
        let table = viewed(
            "9 1 2 <!-- a remark -->3 4 5",
            r#"offset="1" stride="2" count="2""#,
        )
        .expect("there are six numbers");
        assert_eq!((table.rows(), table.row(1)), (2, &[3.0, 4.0][..]));
        assert_eq!(
            read("<float_array>1 2</float_array>").unwrap().values,
            [1.0, 2.0]
        );
    }

    #[test]
    fn more_rows_than_numbers_are_an_error_whatever_their_count() {
        for count in ["4", "18446744073709551615", "9223372036854775808"] {
            let table = viewed("1 2 3", &format!(r#"stride="2" count="{count}""#));
            let error = table.expect_err("three numbers are too few");
            let expected = matches!(
                error,
                ReadError::ShortSource { .. } | ReadError::TooMuch { .. }
            );
            assert!(expected, "{error}");
        }
    }

    #[test]
    fn a_word_is_not_a_number_and_a_source_without_array_no_source() {
        let error = viewed("1 two", r#"count="2""#).expect_err("two is no number");
        assert!(matches!(error, ReadError::NotANumber { .. }), "{error}");
        let error = read("").expect_err("there is no array");
        assert!(matches!(error, ReadError::Missing { .. }), "{error}");
    }
}
