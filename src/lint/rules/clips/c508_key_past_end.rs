//! `C508`: key-past-end.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that no key comes after the end that the file states for its clip.
    ///
    /// Formats that state no end, such as glTF, cannot break this: a clip ends with its last key.
    ///
    /// ## Why is this bad?
    /// Players that trust the stated end cut the motion off, and loops jump from the middle back to the start. Players
    /// that go by the keys play longer. The same clip has two lengths.
    ///
    /// ## How to fix
    /// - End the clip at its last key.
    /// - Blender, Maya: before exporting, set the end of the scene's or the take's range to the last key, or delete the
    ///   keys beyond it.
    /// - Exporters: state the time of the last key that is written.
    ///
    /// ## References
    /// - assimp `ValidateDataStructure`: the time of a key is larger than the duration of its animation.
    KeyPastEnd, "C508", "key-past-end", Warning, KeyPastEnd, "key"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::rules::stored::testing::passes_on;
    use crate::rig::{DefectKind, Location};

    #[test]
    fn only_what_the_importer_found_is_reported() {
        passes_on(&KeyPastEnd, DefectKind::KeyPastEnd, &Location::clip("Run"));
    }
}
