//! Rules of this family that report defects recorded by importers.

use crate::declare_stored_rule;
use crate::finding::Level;

declare_stored_rule! {
    UnorderedKeys, "C505", "unordered-keys", Error, Proved, UnorderedKeys, "key"
}

declare_stored_rule! {
    ConflictingKeys, "C506", "conflicting-keys", Error, Proved, ConflictingKeys, "key"
}

declare_stored_rule! {
    NegativeTime, "C507", "negative-time", Warning, Proved, NegativeTime, "key", level_in_gltf = Some(Level::Error)
}

declare_stored_rule! {
    KeyPastEnd, "C508", "key-past-end", Warning, Proved, KeyPastEnd, "key"
}

declare_stored_rule! {
    NonunitKey, "C511", "nonunit-key", Error, Proved, NonunitKey, "key"
}

declare_stored_rule! {
    ZeroQuaternion, "C512", "zero-quaternion", Error, Proved, ZeroQuaternion, "key"
}

declare_stored_rule! {
    InterpolationLost, "C516", "interpolation-lost", Warning, Proved, InterpolationLost, "channel"
}

declare_stored_rule! {
    DuplicateChannel, "C517", "duplicate-channel", Error, Proved, DuplicateChannel, "channel"
}

declare_stored_rule! {
    ChannelOnMatrixNode, "C519", "channel-on-matrix-node", Error, Proved, ChannelOnMatrixNode, "channel"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{DefectKind, Location};
    use crate::rules::rule::testing::passes_on;

    #[test]
    fn a_key_past_the_end_is_reported_as_the_importer_found_it() {
        passes_on(&KeyPastEnd, DefectKind::KeyPastEnd, &Location::clip("Run"));
    }

    #[test]
    fn only_what_the_importer_found_is_reported() {
        passes_on(
            &InterpolationLost,
            DefectKind::InterpolationLost,
            &Location::clip("Run"),
        );
    }
}
