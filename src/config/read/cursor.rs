//! Values of a TOML document together with where they are.

use std::ops::Range;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::super::error::{ConfigError, Fault};
use super::super::nearest::nearest;
use super::super::position::Position;
use crate::shown::escaped;

/// Something wrong at a byte of the text.
#[derive(Debug)]
pub(super) struct Wrong {
    at: usize,
    fault: Fault,
}

impl Wrong {
    /// With line and column.
    pub(super) fn in_file(self, path: &Path, text: &str) -> ConfigError {
        ConfigError::Wrong {
            path: path.to_owned(),
            position: Position::of(text, self.at),
            fault: Box::new(self.fault),
        }
    }
}

/// A value, and the key that it stands behind; items of a list have none.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry<'a> {
    key: &'a str,
    key_at: usize,
    value: &'a Spanned<DeValue<'a>>,
}

/// Parses the whole document.
pub(super) fn parse(text: &str) -> Result<DeTable<'_>, Wrong> {
    let parsed = DeTable::parse(text).map_err(|error| Wrong {
        at: error.span().map_or(0, |span| span.start),
        fault: Fault::Syntax {
            message: error.message().trim().replace('\n', ", "),
        },
    });
    Ok(parsed?.into_inner())
}

/// The entries of a table, in the order of the text.
pub(super) fn entries<'a>(table: &'a DeTable<'a>) -> Vec<Entry<'a>> {
    let entry = |(key, value): (&'a Spanned<_>, _)| Entry {
        key: cow(key.get_ref()),
        key_at: key.span().start,
        value,
    };
    let mut entries: Vec<Entry<'_>> = table.iter().map(entry).collect();
    entries.sort_by_key(|entry| entry.key_at);
    entries
}

fn cow<'a>(text: &'a std::borrow::Cow<'a, str>) -> &'a str {
    text
}

/// What a number with a point is.
fn kind_of(float: &str) -> &'static str {
    match float.parse::<f64>() {
        Ok(number) if number.is_nan() => "nan",
        Ok(number) if number.is_infinite() => "an infinite one",
        _ => "a number",
    }
}

impl<'a> Entry<'a> {
    pub(super) fn key(&self) -> &'a str {
        self.key
    }

    /// At which byte of the text its value begins.
    pub(super) fn at(&self) -> usize {
        let Range { start, .. } = self.value.span();
        start
    }

    /// Something is wrong with the value.
    pub(super) fn wrong(&self, fault: Fault) -> Wrong {
        Wrong {
            at: self.at(),
            fault,
        }
    }

    /// Something is wrong with the key.
    pub(super) fn wrong_key(&self, fault: Fault) -> Wrong {
        Wrong {
            at: self.key_at,
            fault,
        }
    }

    /// The key is none of `known`.
    pub(super) fn unknown(
        &self,
        place: &str,
        known: impl IntoIterator<Item = &'static str>,
    ) -> Wrong {
        let known: Vec<&'static str> = known.into_iter().collect();
        self.wrong_key(Fault::UnknownKey {
            key: escaped(self.key),
            place: place.to_owned(),
            nearest: nearest(self.key, known.iter().copied()),
            known: known.join(", "),
        })
    }

    fn expected(&self, expected: &'static str) -> Wrong {
        let found = match self.value.get_ref() {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) => "a whole number",
            DeValue::Float(float) => kind_of(float.as_str()),
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        self.wrong(Fault::Kind { expected, found })
    }

    /// The entries of a table.
    pub(super) fn entries(&self) -> Result<Vec<Entry<'a>>, Wrong> {
        match self.value.get_ref() {
            DeValue::Table(table) => Ok(entries(table)),
            _ => Err(self.expected("a table")),
        }
    }

    /// The items of a list of tables.
    pub(super) fn tables(&self) -> Result<Vec<Entry<'a>>, Wrong> {
        self.items("a list of tables, such as [[overrides]]")
    }

    /// The items of a list.
    pub(super) fn items(&self, expected: &'static str) -> Result<Vec<Entry<'a>>, Wrong> {
        let DeValue::Array(items) = self.value.get_ref() else {
            return Err(self.expected(expected));
        };
        let item = |value: &'a Spanned<DeValue<'a>>| Entry {
            key: "",
            key_at: value.span().start,
            value,
        };
        Ok(items.iter().map(item).collect())
    }

    pub(super) fn is_string(&self) -> bool {
        self.value.get_ref().is_str()
    }

    pub(super) fn string(&self) -> Result<&'a str, Wrong> {
        let text = self.value.get_ref().as_str();
        text.ok_or_else(|| self.expected("a string"))
    }

    /// The items of a list of names.
    pub(super) fn names(&self) -> Result<Vec<Entry<'a>>, Wrong> {
        self.items("a list of names, such as [\"Walk\", \"Run*\"]")
    }

    pub(super) fn boolean(&self) -> Result<bool, Wrong> {
        let flag = self.value.get_ref().as_bool();
        flag.ok_or_else(|| self.expected("true or false"))
    }

    /// A finite number.
    pub(super) fn number(&self) -> Result<f64, Wrong> {
        let number = match self.value.get_ref() {
            DeValue::Float(float) => float.as_str().parse().ok(),
            DeValue::Integer(whole) if whole.radix() == 10 => whole.as_str().parse().ok(),
            DeValue::Integer(whole) => i64::from_str_radix(whole.as_str(), whole.radix())
                .ok()
                .and_then(|whole| i32::try_from(whole).ok())
                .map(f64::from),
            _ => None,
        };
        let number = number.filter(|number: &f64| number.is_finite());
        number.ok_or_else(|| self.expected("a finite number such as 6.0"))
    }

    pub(super) fn numbers(&self) -> Result<Vec<f64>, Wrong> {
        let items = self.items("a list of numbers, such as [1.5, 2.2]")?;
        items.iter().map(Entry::number).collect()
    }

    /// One of the words `known`.
    pub(super) fn one_of(
        &self,
        what: &'static str,
        known: impl IntoIterator<Item = &'static str>,
    ) -> Result<&'static str, Wrong> {
        let word = self.string()?;
        let known: Vec<&'static str> = known.into_iter().collect();
        let found = known.iter().find(|name| **name == word);
        found.copied().ok_or_else(|| {
            self.wrong(Fault::UnknownWord {
                what,
                word: escaped(word),
                nearest: nearest(word, known.iter().copied()),
                known: known.join(", "),
            })
        })
    }
}
