//! Collects notes on repairs, assumptions and skipped parts.

use std::collections::HashSet;

use crate::rig::Note;

/// The notes of one import, in the order in which they came up.
#[derive(Debug, Default)]
pub(super) struct Notes {
    list: Vec<Note>,
    /// Location and message of each of `list`.
    seen: HashSet<(String, String)>,
}

impl Notes {
    /// Adds a note, unless it exists already.
    pub(super) fn add(&mut self, location: impl Into<String>, message: impl Into<String>) {
        let (location, message) = (location.into(), message.into());
        if self.seen.insert((location.clone(), message.clone())) {
            self.list.push(Note { location, message });
        }
    }

    /// The notes.
    pub(super) fn into_inner(self) -> Vec<Note> {
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_kept_once_and_in_its_order() {
        let mut notes = Notes::default();
        for (location, message) in [("b", "odd"), ("a", "odd"), ("b", "odd")] {
            notes.add(location, message);
        }
        let locations: Vec<_> = notes.into_inner().into_iter().map(|n| n.location).collect();
        assert_eq!(locations, ["b", "a"]);
    }
}
