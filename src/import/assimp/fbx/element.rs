//! A node of an FBX file.

/// A name, some values, and children.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Element {
    pub(super) name: Vec<u8>,
    pub(super) properties: Vec<Property>,
    pub(super) children: Vec<Element>,
}

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Property {
    Integer(i64),
    Number(f64),
    Text(Vec<u8>),
    /// An array, or a type that does not matter here.
    Other,
}

impl Element {
    /// The first child called `name`.
    pub(super) fn child(&self, name: &[u8]) -> Option<&Self> {
        self.children.iter().find(|child| child.name == name)
    }

    /// The value of an entry of `Properties70` that holds a whole number, such as a time.
    pub(super) fn integer(&self, name: &[u8]) -> Option<i64> {
        let mut entries = self.child(b"Properties70")?.children.iter();
        let entry = entries.find(|entry| match entry.properties.first() {
            Some(Property::Text(text)) => text == name,
            _ => false,
        })?;
        match entry.properties.get(4)? {
            Property::Integer(value) => Some(*value),
            _ => None,
        }
    }
}

/// The objects that are looked for; all others may be skipped.
pub(super) fn is_wanted(object: &[u8]) -> bool {
    matches!(object, b"AnimationStack" | b"Deformer" | b"Model")
}

/// Deeper than this, what is looked for is not.
pub(super) const MAX_DEPTH: usize = 8;
