//! `C516`: interpolation-lost.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that the file's steps and curves are played as such, and not as straight lines.
    ///
    /// It depends on the importer: one that does not pass on interpolation leaves straight lines between the keys.
    ///
    /// ## Why is this bad?
    /// A motion that should jump from key to key, such as a blinking eye or a hand that changes what it holds, slides
    /// instead. A motion that should ease in and out looks mechanical. All other findings about the clip apply only to
    /// the straight lines.
    ///
    /// ## How to fix
    /// - Bake the animation to one key per frame before exporting.
    /// - To keep the curves, use an importer that reads the interpolation (`--importer`), if there is one for the
    ///   format.
    /// - Code: do not expect curves from readers that have no field for them.
    ///
    /// ## References
    /// - assimp, `aiAnimInterpolation` (absent from older versions, and set for few formats).
    InterpolationLost, "C516", "interpolation-lost", Warning, InterpolationLost, "channel"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::rules::stored::testing::passes_on;
    use crate::rig::{DefectKind, Location};

    #[test]
    fn only_what_the_importer_found_is_reported() {
        passes_on(
            &InterpolationLost,
            DefectKind::InterpolationLost,
            &Location::clip("Run"),
        );
    }
}
