//! Rules of this family that report defects recorded by importers.

use crate::declare_stored_rule;

declare_stored_rule! {
    InverseBindCount, "B203", "inverse-bind-count", Error, Proved, InverseBindCount, "skin"
}

declare_stored_rule! {
    SkinWithoutWeights, "B208", "skin-without-weights", Error, Proved, SkinWithoutWeights, "node"
}
