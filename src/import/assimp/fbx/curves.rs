//! Animation curves that are not linear between their keys.
//!
//! assimp joins keys by straight lines whatever the file says (`FBXConverter.cpp`, `InterpolateKeys`, asks for values
//! at key times only). Where that makes a difference, the user is told.

use super::element::{Element, Property};
use crate::rig::{Asset, Note};

/// Flags of a key, of the FBX SDK: `eInterpolationConstant` and `eInterpolationCubic`.
const NOT_LINEAR: i64 = 0x2 | 0x8;

/// How many curves there are of each kind.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Curves {
    bent: usize,
    /// Those whose flags are compressed.
    unknown: usize,
}

impl Curves {
    /// Counts `curve`, unless it has so few keys that nothing is between them.
    pub(super) fn count(&mut self, curve: &Element) {
        if keys(curve) < 2 {
            return;
        }
        match flags(curve) {
            Some(flags) if flags.iter().any(|flags| flags & NOT_LINEAR != 0) => self.bent += 1,
            Some(_) => {}
            None => self.unknown += 1,
        }
    }

    /// Adds what the user should know to `asset`.
    pub(super) fn note(&self, asset: &mut Asset) {
        let mut note = |count: usize, what: &str| {
            if count > 0 {
                asset.notes.push(Note {
                    place: "file".to_owned(),
                    message: format!("{count} {what}; assimp makes them linear there"),
                });
            }
        };
        note(self.bent, "curves are cubic or constant between keys");
        note(self.unknown, "curves may be cubic or constant between keys");
    }
}

fn keys(curve: &Element) -> usize {
    match curve
        .child(b"KeyTime")
        .and_then(|time| time.properties.first())
    {
        Some(Property::Array(len, _)) => *len,
        _ => 0,
    }
}

/// The flags of the keys; `None` where they are compressed. Without any, a key is linear.
fn flags(curve: &Element) -> Option<Vec<i64>> {
    let Some(list) = curve.child(b"KeyAttrFlags") else {
        return Some(Vec::new());
    };
    if let Some(text) = list.child(b"a") {
        let flags = text.properties.iter().map(|flags| match flags {
            Property::Integer(flags) => *flags,
            _ => 0,
        });
        return Some(flags.collect());
    }
    match list.properties.first() {
        Some(Property::Array(_, integers)) => {
            let integers = integers.as_ref()?;
            Some(integers.iter().copied().map(i64::from).collect())
        }
        _ => Some(Vec::new()),
    }
}
