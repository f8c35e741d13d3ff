//! Rules of this family that report defects recorded by importers.

use crate::declare_stored_rule;

declare_stored_rule! {
    FaceIndexOutOfRange, "G802", "face-index-out-of-range", Error, Proved, FaceIndexOutOfRange, "triangle"
}

declare_stored_rule! {
    NonunitNormal, "G805", "nonunit-normal", Warning, Proved, NonunitNormal, "normal", attribute = Some("NORMAL")
}

declare_stored_rule! {
    MorphWeightCount, "G814", "morph-weight-count", Warning, Proved, MorphWeightCount, "list"
}

declare_stored_rule! {
    UnequalTargets, "G815", "unequal-targets", Warning, Proved, UnequalTargets, "mesh"
}

declare_stored_rule! {
    TangentHandedness, "G816", "tangent-handedness", Warning, Proved, TangentSign, "tangent", attribute = Some("TANGENT")
}

declare_stored_rule! {
    StatedBounds, "G817", "stated-bounds", Warning, Proved, StatedBounds, "accessor"
}

declare_stored_rule! {
    ForbiddenStorage, "G818", "forbidden-storage", Info, Proved, ForbiddenStorage, "place"
}
