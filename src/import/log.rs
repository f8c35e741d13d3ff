//! Notes and defects of a file.

use super::defects::Defects;
use super::notes::Notes;
use crate::rig::{DefectKind, Location};

/// Notes for users of the model, and defects for judges of the file.
#[derive(Debug, Default)]
pub(super) struct Log {
    pub(super) notes: Notes,
    pub(super) defects: Defects,
}

impl Log {
    /// Adds a defect, and a note on its repair.
    ///
    /// * `noted` – the location in the note.
    /// * `repaired` – appended to the message.
    pub(super) fn repaired(
        &mut self,
        noted: impl Into<String>,
        (kind, location): (DefectKind, Location),
        message: &str,
        repaired: &str,
    ) {
        self.notes.add(noted, format!("{message}{repaired}"));
        self.defects.add(kind, location, message);
    }
}
