//! Numbers, lists and texts of a document, read more leniently than serde reads them.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use serde::de::{DeserializeOwned, Error, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};

use crate::vertices::f32_of;

/// The most elements of a list. All nodes become joints, and each later stage visits all of them.
pub(super) const MOST_PARTS: usize = 1 << 20;

/// A whole number, such as a reference to another part or a size.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Whole(pub(super) u64);

impl Whole {
    /// The number as an index; past the end of any list if it is too large.
    pub(super) fn index(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_u64(WholeVisitor)
    }
}

struct WholeVisitor;

impl Visitor<'_> for WholeVisitor {
    type Value = Whole;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Whole, E> {
        Ok(Whole(number))
    }

    /// JSON has one kind of number: `3.0` means 3.
    fn visit_f64<E: Error>(self, number: f64) -> Result<Whole, E> {
        /// Up to this value, every whole number is exact in f64.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        if number.fract() != 0.0 || !(0.0..=EXACT).contains(&number) {
            return Err(E::invalid_value(Unexpected::Float(number), &self));
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked before"
        )]
        Ok(Whole(number as u64))
    }
}

/// A list; `null` is read as an empty one.
#[derive(Debug)]
pub(super) struct List<T>(Vec<T>);

impl<T> FromIterator<T> for List<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self(items.into_iter().collect())
    }
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Deref for List<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> DerefMut for List<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<T> List<T> {
    pub(super) fn push(&mut self, item: T) {
        self.0.push(item);
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ListVisitor(PhantomData))
    }
}

struct ListVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ListVisitor<T> {
    type Value = List<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_unit<E: Error>(self) -> Result<List<T>, E> {
        Ok(List::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<List<T>, A::Error> {
        let mut list = Vec::new();
        while let Some(part) = parts.next_element()? {
            if list.len() == MOST_PARTS {
                let message = format!("there are more, and {MOST_PARTS} are read at the most");
                return Err(A::Error::custom(message));
            }
            list.push(part);
        }
        Ok(List(list))
    }
}

/// A string, borrowed from the file if it has no escapes; `null` is read as an empty one.
#[derive(Debug, Clone, Default)]
pub(super) struct Text<'a>(Cow<'a, str>);

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(transparent)]
        struct Stated<'t>(#[serde(borrow)] Cow<'t, str>);

        let stated: Option<Stated<'_>> = Option::deserialize(deserializer)?;
        Ok(stated.map_or_else(Self::default, |stated| Self(stated.0)))
    }
}

/// One number, if there is one.
///
/// Reads f64 and rounds, here and below: serde_json refuses a number that is too large for f32. It becomes infinite, which
/// the rules report with its location.
pub(super) fn single<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f32>, D::Error> {
    Ok(Option::<f64>::deserialize(from)?.map(f32_of))
}

/// `N` numbers, if there are any.
pub(super) fn singles<'de, D, const N: usize>(from: D) -> Result<Option<[f32; N]>, D::Error>
where
    D: Deserializer<'de>,
    [f64; N]: Deserialize<'de>,
{
    let numbers = Option::<[f64; N]>::deserialize(from)?;
    Ok(numbers.map(|numbers| numbers.map(f32_of)))
}

/// The 16 numbers of a matrix, if there is one.
pub(super) fn single_matrix<'de, D>(from: D) -> Result<Option<Box<[f32; 16]>>, D::Error>
where
    D: Deserializer<'de>,
{
    Ok(singles(from)?.map(Box::new))
}

/// A list of numbers, if there is one.
pub(super) fn single_list<'de, D>(from: D) -> Result<Option<List<f32>>, D::Error>
where
    D: Deserializer<'de>,
{
    let numbers = Option::<List<f64>>::deserialize(from)?;
    Ok(numbers.map(|numbers| numbers.iter().copied().map(f32_of).collect()))
}

/// What can be read as `T`; nothing else is a reason to refuse a file: for what changes only how it is drawn.
pub(super) fn any<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    from: D,
) -> Result<Option<T>, D::Error> {
    let value = serde_json::Value::deserialize(from)?;
    Ok(serde_json::from_value(value).ok())
}

/// A list of numbers, if it is one.
pub(super) fn any_numbers<'de, D>(from: D) -> Result<Option<Box<[f64]>>, D::Error>
where
    D: Deserializer<'de>,
{
    let value = serde_json::Value::deserialize(from)?;
    let list = value.as_array();
    Ok(list.and_then(|list| list.iter().map(serde_json::Value::as_f64).collect()))
}
