//! Collects what had to be mended, assumed or left out.

use crate::rig::Note;

/// The notes of one import, in the order in which they came up.
#[derive(Debug, Default)]
pub(super) struct Notes(Vec<Note>);

impl Notes {
    /// Adds a note, unless it is there already.
    pub(super) fn add(&mut self, place: impl Into<String>, message: impl Into<String>) {
        let note = Note {
            place: place.into(),
            message: message.into(),
        };
        if !self.0.contains(&note) {
            self.0.push(note);
        }
    }

    /// The notes.
    pub(super) fn into_inner(self) -> Vec<Note> {
        self.0
    }
}
