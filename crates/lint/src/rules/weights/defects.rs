//! Rules of this family that report defects recorded by importers.

use crate::declare_stored_rule;

declare_stored_rule! {
    JointIndexOutOfRange, "W110", "joint-index-out-of-range", Error, Proved, JointIndexOutOfRange, "influence", attribute = Some("JOINTS_0")
}

declare_stored_rule! {
    VertexIndexOutOfRange, "W111", "vertex-index-out-of-range", Error, Proved, VertexIndexOutOfRange, "weight"
}

declare_stored_rule! {
    WeightSetMismatch, "W118", "weight-set-mismatch", Error, Proved, WeightSetMismatch, "set"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{DefectKind, Location};
    use crate::rules::rule::testing::passes_on;

    #[test]
    fn only_what_the_importer_found_is_reported() {
        passes_on(
            &VertexIndexOutOfRange,
            DefectKind::VertexIndexOutOfRange,
            &Location::mesh("body").vertex(3),
        );
    }
}
