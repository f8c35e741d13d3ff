//! Rules of this family that report defects recorded by importers.

use crate::declare_stored_rule;

declare_stored_rule! {
    NonunitRotation, "T401", "nonunit-rotation", Error, Proved, NonunitRotation, "node"
}

declare_stored_rule! {
    SegmentScaleCompensate, "T408", "segment-scale-compensate", Info, Proved, SegmentScaleCompensate, "joint"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{DefectKind, Location};
    use crate::rules::rule::testing::passes_on;

    #[test]
    fn only_what_the_importer_found_is_reported() {
        passes_on(
            &SegmentScaleCompensate,
            DefectKind::SegmentScaleCompensate,
            &Location::joint("arm"),
        );
    }
}
