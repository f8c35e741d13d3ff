//! `C516`: interpolation-lost.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that steps and curves of the file are played as such, and not as straight lines.
    ///
    /// It depends on the importer: one that does not hand interpolation on leaves straight lines between the keys.
    ///
    /// ## Why is this bad?
    /// What ought to jump from key to key slides, such as a blinking eye or a hand that changes what it holds, and what
    /// ought to ease in and out moves like a machine. Everything else that is said of the clip holds for the straight
    /// lines only.
    ///
    /// ## How to fix
    /// - Take an importer that reads the interpolation (`--importer`), if there is one for the format.
    /// - Blender, Maya: bake the animation to a key a frame before export, so that all readers agree.
    /// - Code: do not expect curves of readers that have no place for them.
    ///
    /// ## References
    /// - assimp, `aiAnimInterpolation` (absent from its older versions, and filled in for few formats).
    InterpolationLost, "C516", "interpolation-lost", Warning, InterpolationLost, "channel"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::rules::stored::testing::passes_on;
    use crate::rig::{DefectKind, Place};

    #[test]
    fn what_the_importer_found_is_told_and_nothing_else() {
        passes_on(
            &InterpolationLost,
            DefectKind::InterpolationLost,
            &Place::clip("Run"),
        );
    }
}
