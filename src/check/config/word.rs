//! Strings of a configuration that name something.

use std::fmt::{self, Display};

use serde::de::{DeserializeSeed, Deserializer, Error, Visitor};

/// Parses a string. The error of `parse` is located at the string, also within a list.
pub(super) struct Word<F> {
    /// With its article, such as `a rule`.
    pub(super) expected: &'static str,
    pub(super) parse: F,
}

impl<'de, T, E: Display, F: FnOnce(&str) -> Result<T, E>> DeserializeSeed<'de> for Word<F> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<T, E: Display, F: FnOnce(&str) -> Result<T, E>> Visitor<'_> for Word<F> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_str<D: Error>(self, text: &str) -> Result<T, D> {
        (self.parse)(text).map_err(D::custom)
    }
}

/// Parses one of the words `known`, and returns its value.
///
/// * `what` – what the words name, for the message.
pub(super) fn one_of<'de, D: Deserializer<'de>, T>(
    deserializer: D,
    what: &'static str,
    known: impl IntoIterator<Item = (&'static str, T)>,
) -> Result<T, D::Error> {
    let parse = |text: &str| choose(text, what, known);
    let expected = "a string";
    Word { expected, parse }.deserialize(deserializer)
}

/// The value of `text` among the words `known`; the error lists them.
pub(super) fn choose<T>(
    text: &str,
    what: &str,
    known: impl IntoIterator<Item = (&'static str, T)>,
) -> Result<T, String> {
    let mut words = Vec::new();
    for (word, value) in known {
        if word == text {
            return Ok(value);
        }
        words.push(format!("`{word}`"));
    }
    let expected = words.join(", ");
    Err(format!(
        "unknown {what} `{text}`, expected one of {expected}"
    ))
}
