//! `<source>`: numbers and names, read through an accessor (COLLADA 1.4.1, chapter 5, "accessor").

use std::rc::Rc;

use roxmltree::Node;

use super::document::{Document, children, is, numbers, words};
use super::error::Unclear;
use super::table::Table;

impl<'a> Document<'a> {
    /// The numbers of `source`, read once.
    pub(super) fn table(&self, source: Node<'a, 'a>) -> Result<Rc<Table>, Unclear> {
        if let Some(known) = self.tables.borrow().get(&source.id()) {
            return Ok(Rc::clone(known));
        }
        let table = Rc::new(table(self, source)?);
        let known = Rc::clone(&table);
        self.tables.borrow_mut().insert(source.id(), known);
        Ok(table)
    }
}

/// The numbers of `source`.
///
/// By the specification, a parameter without a name hides its column. Exporters omit the names of all columns, so every
/// column is read.
pub(super) fn table<'a>(document: &Document<'a>, source: Node<'a, 'a>) -> Result<Table, Unclear> {
    let short = || Unclear::ShortSource { id: id(source) };
    let (array, view) = array(document, source, &["float_array", "int_array"])?;
    let Some(view) = view else {
        let values: Vec<f64> = numbers(array).collect::<Result<_, _>>()?;
        document.spend(values.len())?;
        return Ok(Table { width: 1, values });
    };
    let length = view.length().ok_or_else(short)?;
    document.spend(length.saturating_add(view.offset))?;
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
pub(super) fn names<'a>(
    document: &Document<'a>,
    source: Node<'a, 'a>,
) -> Result<Vec<&'a str>, Unclear> {
    let (array, view) = array(document, source, NAMES)?;
    let (offset, length) = match view {
        Some(view) => (view.offset, view.length().unwrap_or(usize::MAX)),
        None => (0, usize::MAX),
    };
    let names: Vec<&str> = words(array).skip(offset).take(length).collect();
    document.spend(names.len().saturating_add(offset))?;
    if view.is_some() && names.len() < length {
        return Err(Unclear::ShortSource { id: id(source) });
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
) -> Result<(Node<'a, 'a>, Option<View>), Unclear> {
    let is_array = |node: &Node<'_, '_>| kinds.iter().any(|kind| is(*node, kind));
    let accessor = children(source, "technique_common")
        .flat_map(|technique| children(technique, "accessor"))
        .next();
    let url = accessor.and_then(|accessor| accessor.attribute("source"));
    let named = url.and_then(|url| document.by_id(url.strip_prefix('#')?));
    let found = named
        .filter(is_array)
        .or_else(|| source.children().find(is_array));
    let array = found.ok_or_else(|| Unclear::Missing {
        url: url.map_or_else(|| id(source), str::to_owned),
        what: "array of numbers or names",
    })?;
    Ok((array, accessor.map(View::of)))
}

fn id(source: Node<'_, '_>) -> String {
    source.attribute("id").unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::collada::document::parse;

    fn read(inside: &str) -> Result<Table, Unclear> {
        let text = format!(r#"<COLLADA><source id="s">{inside}</source></COLLADA>"#);
        let xml = parse(&text).expect("it is well-formed");
        let document = Document::new(&xml);
        let source = document.at("#s", "source").expect("it is there");
        super::table(&document, source)
    }

    fn viewed(array: &str, accessor: &str) -> Result<Table, Unclear> {
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
        );
        let table = table.expect("there are six numbers");
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
            let expected = matches!(error, Unclear::ShortSource { .. } | Unclear::TooMuch { .. });
            assert!(expected, "{error}");
        }
    }

    #[test]
    fn a_word_is_not_a_number_and_a_source_without_array_no_source() {
        let error = viewed("1 two", r#"count="2""#).expect_err("two is no number");
        assert!(matches!(error, Unclear::NotANumber { .. }), "{error}");
        let error = read("").expect_err("there is no array");
        assert!(matches!(error, Unclear::Missing { .. }), "{error}");
    }
}
