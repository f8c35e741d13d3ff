//! JSON that is written as it was read, except for the values that were replaced: order, white space and numbers stay.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::de::IgnoredAny;

/// A value of a document.
#[derive(Debug, Clone)]
pub(crate) enum Json {
    /// A value without parts, or one that is too deep to matter, as written.
    Text(String),
    /// A list with at least one item.
    List(Vec<Part>),
    /// An object with at least one member.
    Object(Vec<Part>),
}

/// An item of a list, or a member of an object.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    /// The name of a member.
    key: String,
    /// What is written before the value: white space and the key.
    before: String,
    value: Json,
    /// The white space behind the value.
    after: String,
}

/// Parts below this depth are kept as text: the numbers of `sparse.indices`, and the attributes of a codec's extension in a primitive,
/// are above it.
const DEPTH: usize = 10;

impl Json {
    /// Reads a text; `None` if it is no JSON.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        serde_json::from_str::<IgnoredAny>(text).ok()?;
        let mut reader = Reader { text, at: 0 };
        reader.white();
        reader.value(0)
    }

    /// The text, as read except for what was replaced.
    pub(crate) fn to_text(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }

    fn write(&self, text: &mut String) {
        let (parts, [open, close]) = match self {
            Self::Text(own) => return text.push_str(own),
            Self::List(parts) => (parts, ['[', ']']),
            Self::Object(parts) => (parts, ['{', '}']),
        };
        text.push(open);
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                text.push(',');
            }
            text.push_str(&part.before);
            part.value.write(text);
            text.push_str(&part.after);
        }
        text.push(close);
    }

    /// The items of a list.
    pub(crate) fn items(&self) -> impl ExactSizeIterator<Item = &Self> {
        let parts = match self {
            Self::List(parts) => parts.as_slice(),
            _ => &[],
        };
        parts.iter().map(|part| &part.value)
    }

    /// The members of an object.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&str, &Self)> {
        let parts = match self {
            Self::Object(parts) => parts.as_slice(),
            _ => &[],
        };
        parts.iter().map(|part| (part.key.as_str(), &part.value))
    }

    /// A member of an object, or an item of a list by its index.
    pub(crate) fn get(&self, step: &str) -> Option<&Self> {
        match self {
            Self::Text(_) => None,
            Self::List(parts) => Some(&parts.get(step.parse::<usize>().ok()?)?.value),
            Self::Object(parts) => Some(&parts.iter().rfind(|part| part.key == step)?.value),
        }
    }

    fn get_mut(&mut self, step: &str) -> Option<&mut Self> {
        match self {
            Self::Text(_) => None,
            Self::List(parts) => Some(&mut parts.get_mut(step.parse::<usize>().ok()?)?.value),
            Self::Object(parts) => {
                Some(&mut parts.iter_mut().rfind(|part| part.key == step)?.value)
            }
        }
    }

    /// The value at a path of steps between slashes, such as `nodes/3/rotation`.
    pub(crate) fn at(&self, path: &str) -> Option<&Self> {
        path.split('/').try_fold(self, Self::get)
    }

    /// The value at a path, to change it.
    pub(crate) fn at_mut(&mut self, path: &str) -> Option<&mut Self> {
        path.split('/').try_fold(self, Self::get_mut)
    }

    /// A number.
    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            Self::Text(text) => serde_json::from_str(text).ok(),
            _ => None,
        }
    }

    /// A whole number, which may be written as a decimal.
    pub(crate) fn whole(&self) -> Option<usize> {
        /// Up to this value, every whole number is exact in f64.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        let number = self.number()?;
        let is_whole = number.fract() == 0.0 && (0.0..=EXACT).contains(&number);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked before"
        )]
        is_whole.then_some(number as usize)
    }

    /// A text.
    pub(crate) fn string(&self) -> Option<String> {
        match self {
            Self::Text(text) => serde_json::from_str(text).ok(),
            _ => None,
        }
    }

    /// Replaces a member of an object, or adds it behind the others.
    pub(crate) fn set(&mut self, key: &str, value: Self) {
        if let Some(own) = self.get_mut(key) {
            *own = value;
            return;
        }
        let quoted = quoted(key);
        let parts = self.parts_mut(true);
        let before = match parts.first() {
            Some(first) => {
                let start = first.before.find('"').unwrap_or_default();
                let colon = first.before.rfind(':').unwrap_or_default();
                let end = first.before[..colon].trim_end().len();
                format!("{}{quoted}{}", &first.before[..start], &first.before[end..])
            }
            None => format!("{quoted}:"),
        };
        push(parts, key.to_owned(), before, value);
    }

    /// Adds an item to a list.
    pub(crate) fn push(&mut self, value: Self) {
        let parts = self.parts_mut(false);
        let before = parts.first().map(|first| first.before.clone());
        push(parts, String::new(), before.unwrap_or_default(), value);
    }

    /// Removes a member of an object.
    pub(crate) fn remove(&mut self, key: &str) {
        let Self::Object(parts) = self else { return };
        retain(parts, |_, part| part.key != key);
        if parts.is_empty() {
            *self = Self::Text("{}".to_owned());
        }
    }

    /// Removes the items of a list with these indices.
    pub(crate) fn remove_items(&mut self, removed: &BTreeSet<usize>) {
        let Self::List(parts) = self else { return };
        retain(parts, |index, _| !removed.contains(&index));
        if parts.is_empty() {
            *self = Self::Text("[]".to_owned());
        }
    }

    /// Changes the members of a name, wherever they are but in `extras`.
    pub(crate) fn each_member(&mut self, name: &str, change: &mut impl FnMut(&mut Self)) {
        let (Self::List(parts) | Self::Object(parts)) = self else {
            return;
        };
        for part in parts.iter_mut().filter(|part| part.key != "extras") {
            if part.key == name {
                change(&mut part.value);
            }
            part.value.each_member(name, change);
        }
    }

    /// Whether any object has a member of this name.
    pub(crate) fn mentions(&self, name: &str) -> bool {
        match self {
            Self::Text(text) => {
                text.starts_with(['[', '{']) && text.contains(&format!("\"{name}\""))
            }
            Self::List(parts) | Self::Object(parts) => {
                let mut parts = parts.iter();
                parts.any(|part| part.key == name || part.value.mentions(name))
            }
        }
    }

    /// The parts; a value of another kind becomes an empty object, or list.
    fn parts_mut(&mut self, is_object: bool) -> &mut Vec<Part> {
        if let Self::Text(_) = self {
            *self = if is_object {
                Self::Object(Vec::new())
            } else {
                Self::List(Vec::new())
            };
        }
        match self {
            Self::List(parts) | Self::Object(parts) => parts,
            Self::Text(_) => unreachable!("it was replaced"),
        }
    }
}

/// Keeps some parts, and the white space behind the last one.
fn retain(parts: &mut Vec<Part>, is_kept: impl Fn(usize, &Part) -> bool) {
    let last = parts.last().map(|part| part.after.clone());
    let mut index = 0;
    parts.retain(|part| {
        index += 1;
        is_kept(index - 1, part)
    });
    if let (Some(part), Some(after)) = (parts.last_mut(), last) {
        part.after = after;
    }
}

/// Adds a part, before the white space behind the last one.
fn push(parts: &mut Vec<Part>, key: String, before: String, value: Json) {
    let after = parts.last_mut().map(|last| std::mem::take(&mut last.after));
    parts.push(Part {
        key,
        before,
        value,
        after: after.unwrap_or_default(),
    });
}

/// A text as JSON.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A list of numbers as JSON.
pub(crate) fn numbers(list: impl IntoIterator<Item = f64>) -> Json {
    let list: Vec<String> = list.into_iter().map(|number| number.to_string()).collect();
    Json::parse(&format!("[{}]", list.join(","))).unwrap_or(Json::Text("[]".to_owned()))
}

/// Reads text that is known to be JSON.
struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn white(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn value(&mut self, depth: usize) -> Option<Json> {
        let start = self.at;
        match self.peek()? {
            b'[' if depth < DEPTH => self.parts(start, depth, false),
            b'{' if depth < DEPTH => self.parts(start, depth, true),
            _ => {
                self.skip()?;
                Some(Json::Text(self.text[start..self.at].to_owned()))
            }
        }
    }

    fn parts(&mut self, start: usize, depth: usize, is_object: bool) -> Option<Json> {
        let close = if is_object { b'}' } else { b']' };
        let mut parts = Vec::new();
        loop {
            // Over the bracket or the comma.
            self.at += 1;
            let before = self.at;
            self.white();
            if parts.is_empty() && self.peek()? == close {
                self.at += 1;
                return Some(Json::Text(self.text[start..self.at].to_owned()));
            }
            let mut key = Cow::Borrowed("");
            if is_object {
                let start = self.at;
                self.skip()?;
                key = serde_json::from_str(&self.text[start..self.at]).ok()?;
                self.white();
                // Over the colon.
                self.at += 1;
                self.white();
            }
            let before = self.text[before..self.at].to_owned();
            let value = self.value(depth + 1)?;
            let end = self.at;
            self.white();
            parts.push(Part {
                key: key.into_owned(),
                before,
                value,
                after: self.text[end..self.at].to_owned(),
            });
            if self.peek()? == close {
                self.at += 1;
                return Some(if is_object {
                    Json::Object(parts)
                } else {
                    Json::List(parts)
                });
            }
        }
    }

    /// Moves behind the value.
    fn skip(&mut self) -> Option<()> {
        let rest = serde_json::Deserializer::from_str(&self.text[self.at..]);
        let mut values = rest.into_iter::<IgnoredAny>();
        values.next()?.ok()?;
        self.at += values.byte_offset();
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRETTY: &str = "{\n  \"b\" : 1.50e0,\n  \"a\" : [ 1, 2.0 ],\n  \"e\" : { },\n  \"t\" : \"\\u00e9 \\\" }\"\n}";

    #[test]
    fn what_is_not_changed_is_written_as_it_was_read() {
        let deep = format!("{}1{}", "[ ".repeat(60), " ]".repeat(60));
        for text in [
            PRETTY,
            "[]",
            "{}",
            "[[],{}]",
            "{\"a\":{\"a\":null,\"b\":[true]}}",
            &deep,
        ] {
            let json = Json::parse(text).expect(text);
            assert_eq!(json.to_text(), text);
        }
    }

    #[test]
    fn members_are_replaced_added_and_removed_in_the_style_of_their_object() {
        let mut json = Json::parse(PRETTY).expect("it is JSON");
        json.set("b", numbers([0.1]));
        json.set("new", Json::Text("7".to_owned()));
        json.remove("a");
        json.at_mut("e")
            .expect("it is there")
            .set("x", Json::Text("1".to_owned()));
        let expected = "{\n  \"b\" : [0.1],\n  \"e\" : {\"x\":1},\n  \"t\" : \"\\u00e9 \\\" }\",\n  \"new\" : 7\n}";
        assert_eq!(json.to_text(), expected);
        json.remove("new");
        assert!(json.to_text().ends_with("}\"\n}"), "{}", json.to_text());
    }

    #[test]
    fn items_are_added_to_a_list_in_its_style() {
        let mut json = Json::parse("{\"a\":[\n 1,\n 2\n],\"n\":[]}").expect("it is JSON");
        for key in ["a", "n"] {
            json.at_mut(key)
                .expect("it is there")
                .push(Json::Text("3".to_owned()));
        }
        assert_eq!(json.to_text(), "{\"a\":[\n 1,\n 2,\n 3\n],\"n\":[3]}");
    }

    #[test]
    fn values_are_found_by_their_path() {
        let json = Json::parse(PRETTY).expect("it is JSON");
        assert_eq!(json.at("a/1").and_then(Json::whole), Some(2));
        assert_eq!(json.at("b").and_then(Json::number), Some(1.5));
        assert_eq!(
            json.at("t").and_then(Json::string).as_deref(),
            Some("é \" }")
        );
        assert!(json.at("a/2").is_none() && json.at("b/0").is_none());
        assert!(Json::parse("{\"a\":").is_none());
    }
}
