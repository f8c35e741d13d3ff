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
    /// An array: how long it says it is, and what is in it if these are `i32` and not compressed.
    Array(usize, Option<Vec<i32>>),
    /// A type that does not matter here.
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

/// Whether all of a list `name` is passed over: the long ones of which nothing but the length matters.
pub(super) fn is_long(name: &[u8]) -> bool {
    matches!(
        name,
        b"KeyTime" | b"KeyValueFloat" | b"KeyAttrDataFloat" | b"KeyAttrRefCount"
    )
}

/// The objects that are looked for; all others may be skipped.
pub(super) fn is_wanted(object: &[u8]) -> bool {
    matches!(
        object,
        b"AnimationStack" | b"AnimationCurve" | b"Deformer" | b"Model"
    )
}

/// Deeper than this, what is looked for is not.
pub(super) const MAX_DEPTH: usize = 8;
