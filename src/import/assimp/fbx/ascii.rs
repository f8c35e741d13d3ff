//! FBX as text: `Name: value, value, … { children }`.

use super::element::{Element, MAX_DEPTH, Property, is_long, is_wanted};

/// The objects of `file` that are wanted; those before a fault, if it is broken.
pub(super) fn objects(file: &[u8]) -> Vec<Element> {
    let mut parser = Parser { rest: file };
    let mut objects = Vec::new();
    while let Some(name) = parser.name() {
        parser.values(false);
        if !parser.eat(b'{') {
            continue;
        }
        if name == b"Objects" {
            parser.objects(&mut objects);
        } else {
            parser.skip_block();
        }
    }
    objects
}

struct Parser<'a> {
    rest: &'a [u8],
}

impl<'a> Parser<'a> {
    fn objects(&mut self, objects: &mut Vec<Element>) {
        while let Some(name) = self.name() {
            let wanted = is_wanted(name);
            let properties = self.values(wanted);
            let mut object = Element {
                name: name.to_vec(),
                properties,
                children: Vec::new(),
            };
            if self.eat(b'{') {
                if wanted {
                    self.children(&mut object, 0);
                } else {
                    self.skip_block();
                }
            }
            if wanted {
                objects.push(object);
            }
        }
        self.eat(b'}');
    }

    /// After a `{`, up to and with the `}`.
    fn children(&mut self, parent: &mut Element, depth: usize) {
        while let Some(name) = self.name() {
            let mut child = Element {
                name: name.to_vec(),
                properties: self.values(true),
                children: Vec::new(),
            };
            if self.eat(b'{') {
                if depth < MAX_DEPTH && !is_long(name) {
                    self.children(&mut child, depth + 1);
                } else {
                    self.skip_block();
                }
            }
            parent.children.push(child);
        }
        self.eat(b'}');
    }

    /// After a `{`, up to and with the `}` that belongs to it.
    fn skip_block(&mut self) {
        let mut depth = 1_usize;
        while let Some((&first, rest)) = self.rest.split_first() {
            match first {
                b'"' => {
                    self.string();
                    continue;
                }
                b';' => {
                    self.skip_line();
                    continue;
                }
                b'{' => depth += 1,
                b'}' => depth -= 1,
                _ => {}
            }
            self.rest = rest;
            if depth == 0 {
                return;
            }
        }
    }

    /// What stands before a colon; `None` at a brace, at the end, or where there is something else.
    fn name(&mut self) -> Option<&'a [u8]> {
        self.skip_blank();
        let len = self.rest.iter().take_while(|byte| is_word(**byte)).count();
        let (name, rest) = self.rest.split_at(len);
        let rest = rest.strip_prefix(b":")?;
        self.rest = rest;
        Some(name)
    }

    /// The values after a name: to the end of the line, or further where it ends in a comma.
    fn values(&mut self, keep: bool) -> Vec<Property> {
        let mut values = Vec::new();
        loop {
            self.skip_spaces();
            let value = match self.rest.first() {
                Some(b'"') => Property::Text(self.string()),
                Some(byte) if is_word(*byte) || *byte == b'*' => self.number(),
                _ => return values,
            };
            if keep {
                values.push(value);
            }
            self.skip_spaces();
            if !self.eat(b',') {
                return values;
            }
            self.skip_blank();
        }
    }

    /// A number, the length of an array such as `*6`, or a word such as `Y`.
    fn number(&mut self) -> Property {
        let is_part = |byte: &&u8| is_word(**byte) || **byte == b'*';
        let len = self.rest.iter().take_while(is_part).count();
        let (word, rest) = self.rest.split_at(len);
        self.rest = rest;
        let word = String::from_utf8_lossy(word);
        if let Some(len) = word.strip_prefix('*').and_then(|len| len.parse().ok()) {
            return Property::Array(len, None);
        }
        let integer = word.parse().map(Property::Integer).ok();
        let number = || word.parse().map(Property::Number).ok();
        integer.or_else(number).unwrap_or(Property::Other)
    }

    fn string(&mut self) -> Vec<u8> {
        let inner = self.rest.get(1..).unwrap_or_default();
        let len = inner.iter().position(|&byte| byte == b'"');
        let (text, rest) = inner.split_at(len.unwrap_or(inner.len()));
        self.rest = rest.get(1..).unwrap_or_default();
        text.to_vec()
    }

    fn eat(&mut self, byte: u8) -> bool {
        self.skip_spaces();
        let rest = self.rest.strip_prefix(&[byte]);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn skip_spaces(&mut self) {
        self.skip_while(|byte| matches!(byte, b' ' | b'\t'));
    }

    /// White space of any kind, and comments.
    fn skip_blank(&mut self) {
        loop {
            self.skip_while(|byte| byte.is_ascii_whitespace());
            if self.rest.first() != Some(&b';') {
                return;
            }
            self.skip_line();
        }
    }

    fn skip_line(&mut self) {
        self.skip_while(|byte| byte != b'\n');
    }

    fn skip_while(&mut self, skip: impl Fn(u8) -> bool) {
        let len = self.rest.iter().take_while(|byte| skip(**byte)).count();
        self.rest = &self.rest[len..];
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'.' | b'|')
}
