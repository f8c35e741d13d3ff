//! Rules of this family that report defects recorded by importers.

use crate::lint::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that the times of a channel's keys increase from each key to the next.
    ///
    /// `C506` reports contradictory keys at the same time.
    ///
    /// ## Why is this bad?
    /// Samplers find the keys around a time by binary search, which assumes order. In unordered keys they find the
    /// wrong ones: the joint jumps, moves backwards for a while, or sticks to one key. A span of length 0 divides by 0.
    ///
    /// ## How to fix
    /// - Sort the keys by time, and remove duplicates.
    /// - Exporters: compare times in the precision of the file. Two times that differ in f64 may be equal in f32.
    /// - Blender, Maya: bake animations with warped or reversed time before exporting.
    ///
    /// The remaining checks run with the keys in order.
    ///
    /// ## References
    /// - glTF 2.0 §3.11 (the times are strictly increasing); glTF-Validator `ACCESSOR_ANIMATION_INPUT_NON_INCREASING`.
    UnorderedKeys, "C505", "unordered-keys", Error, UnorderedKeys, "key"
}

declare_stored_rule! {
    /// ## What it does
    /// Checks that no channel has two keys at the same time with different values.
    ///
    /// Channels with step interpolation are exempt: the last key of a time applies.
    ///
    /// ## Why is this bad?
    /// Some readers use the first of the two keys, some the last. Some interpolate between them and divide by 0. The
    /// pose at that time, and the motion around it, depend on the reader.
    ///
    /// ## How to fix
    /// - Keep one key for each time.
    /// - Exporters: write one key per time. For a jump, make the span before it a step, or put the second key one frame
    ///   later.
    /// - Blender, Maya: two joined layers or strips meet in one frame; bake them.
    ///
    /// ## References
    /// - glTF 2.0 §3.11 (the times are strictly increasing); assimp `ValidateDataStructure`, on key times.
    ConflictingKeys, "C506", "conflicting-keys", Error, ConflictingKeys, "key"
}

declare_stored_rule! {
    /// ## What it does
    /// Checks that no key is at a time before 0.
    ///
    /// glTF forbids such keys, so they are errors there; other formats allow them.
    ///
    /// ## Why is this bad?
    /// Players start at 0. Some engines cut off everything before it. Others shift the whole clip, which is then
    /// longer, and its sounds and events come too early.
    ///
    /// ## How to fix
    /// - Move the clip to start at 0.
    /// - Blender: move the action to start at frame 0 or later. In the glTF export, *Negative Frames* does that
    ///   (*Slide*), or drops the frames before 0 (*Crop*).
    /// - Maya, 3ds Max: bake the exported time range, starting at 0.
    /// - Exporters: subtract the clip's start from all of its keys.
    ///
    /// ## References
    /// - glTF 2.0 §3.11 (the first time is not negative); glTF-Validator `ACCESSOR_ANIMATION_INPUT_NEGATIVE`.
    NegativeTime, "C507", "negative-time", Warning, NegativeTime, "key", in_gltf: Error
}

declare_stored_rule! {
    /// ## What it does
    /// Checks that no key comes after the clip's end as stated in the file.
    ///
    /// Formats without a stated end, such as glTF, cannot have this fault: a clip ends with its last key.
    ///
    /// ## Why is this bad?
    /// Players that use the stated end cut the motion off, and loops jump from the middle back to the start. Players
    /// that use the keys play longer. The same clip has two lengths.
    ///
    /// ## How to fix
    /// - End the clip at its last key.
    /// - Blender, Maya: before exporting, set the end of the scene's or the take's range to the last key, or delete the
    ///   keys beyond it.
    /// - Exporters: state the time of the last exported key.
    ///
    /// ## References
    /// - assimp `ValidateDataStructure`: the time of a key is larger than the duration of its animation.
    KeyPastEnd, "C508", "key-past-end", Warning, KeyPastEnd, "key"
}

declare_stored_rule! {
    /// ## What it does
    /// Checks that rotation keys are unit quaternions.
    ///
    /// Their length may be off by 0.00769: the error of four components in signed bytes, each off by half a step.
    /// `C512` reports keys with a length of about 0.
    ///
    /// ## Why is this bad?
    /// Samplers that interpolate along the arc derive an angle from the dot product, which is valid only for unit
    /// quaternions. Otherwise the joint speeds up, overshoots, or becomes NaN. Without normalization afterwards, the
    /// key also scales the limb; with it, the key outweighs its neighbours.
    ///
    /// ## How to fix
    /// - Normalize the rotation keys.
    /// - Exporters: normalize each key in the precision of the file. Mark integers as normalized; otherwise readers use
    ///   them as whole numbers.
    /// - Code: normalize after blending, resampling and compression.
    ///
    /// The remaining checks run with the normalized key.
    ///
    /// ## References
    /// - glTF 2.0 §3.11; glTF-Validator `ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION`, with the same
    ///   limit.
    NonunitKey, "C511", "nonunit-key", Error, NonunitKey, "key"
}

declare_stored_rule! {
    /// ## What it does
    /// Checks that no rotation key has a length of about 0.
    ///
    /// Below 0.0039, half a step of a signed byte, a stored key has no direction.
    ///
    /// ## Why is this bad?
    /// The key is not a rotation, and normalizing it divides by 0. The joint and everything below it become NaN and vanish
    /// at that key. Without normalization, they collapse to a point.
    ///
    /// ## How to fix
    /// - Replace the key with a rotation of length 1.
    /// - Exporters: write 0 0 0 1 for no rotation. Look for uninitialized keys, blends of opposite quaternions, and
    ///   integers not marked as normalized.
    ///
    /// The remaining checks run without the key.
    ///
    /// ## References
    /// - glTF 2.0 §3.11; glTF-Validator `ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION`.
    ZeroQuaternion, "C512", "zero-quaternion", Error, ZeroQuaternion, "key"
}

declare_stored_rule! {
    /// ## What it does
    /// Checks that the importer keeps the file's steps and curves.
    ///
    /// Some importers drop the interpolation mode and interpolate linearly between all keys.
    ///
    /// ## Why is this bad?
    /// A stepped motion, such as a blinking eye, slides. A motion with ease-in and ease-out looks mechanical. All other
    /// findings about the clip apply only to the linear version.
    ///
    /// ## How to fix
    /// - Bake the animation to one key per frame before exporting.
    /// - To keep the curves, choose an importer that reads the interpolation (`--importer`), if there is one for the
    ///   format.
    /// - Code: do not expect curves from libraries without a field for them.
    ///
    /// ## References
    /// - assimp, `aiAnimInterpolation` (absent from older versions, and set for few formats).
    InterpolationLost, "C516", "interpolation-lost", Warning, InterpolationLost, "channel"
}

declare_stored_rule! {
    /// ## What it does
    /// Checks that no two channels of a clip drive the same property of a node.
    ///
    /// ## Why is this bad?
    /// Only one channel applies, and readers disagree on which: the last one, the first one, or both in turn. The
    /// character plays one motion in one engine and another in the next.
    ///
    /// ## How to fix
    /// - Merge the channels of the same node and property.
    /// - Blender: the export merges actions or NLA tracks of the same name into one clip. Rename one, or mute it.
    /// - Maya, MotionBuilder: merge animation layers before exporting.
    /// - Exporters: merge by node and property before writing.
    ///
    /// The remaining checks use the first channel.
    ///
    /// ## References
    /// - glTF 2.0 §3.11 (each target is used once in an animation); glTF-Validator `ANIMATION_DUPLICATE_TARGETS`.
    DuplicateChannel, "C517", "duplicate-channel", Error, DuplicateChannel, "channel"
}

declare_stored_rule! {
    /// ## What it does
    /// Checks that animated nodes store translation, rotation and scale, not a matrix.
    ///
    /// ## Why is this bad?
    /// A channel replaces the translation, rotation or scale, and a matrix has no such parts. Some readers decompose
    /// the matrix, which loses shear and may flip signs. Some play the channel and discard the matrix; others keep the
    /// matrix and ignore the channel. The limb stays stiff, or snaps to another position as soon as the clip starts.
    ///
    /// ## How to fix
    /// - Write translation, rotation and scale for every animated node.
    /// - Code: decompose the matrix before writing, and check that the parts multiply back to it.
    ///
    /// The remaining checks run with the decomposed matrix.
    ///
    /// ## References
    /// - glTF 2.0 §3.5.3 (an animated node has no `matrix`); glTF-Validator `ANIMATION_CHANNEL_TARGET_NODE_MATRIX`.
    ChannelOnMatrixNode, "C519", "channel-on-matrix-node", Error, ChannelOnMatrixNode, "channel"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::rules::rule::testing::passes_on;
    use crate::rig::{DefectKind, Location};

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
