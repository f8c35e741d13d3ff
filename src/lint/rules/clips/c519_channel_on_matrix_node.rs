//! `C519`: channel-on-matrix-node.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that animated nodes store translation, rotation and scale, not a matrix.
    ///
    /// ## Why is this bad?
    /// A channel replaces a part of the transform that a matrix does not have. Some readers decompose the matrix, which
    /// loses shear and may flip signs. Some play the channel and discard the matrix; others keep the matrix and ignore
    /// the channel. The limb stays stiff, or snaps to another place as soon as the clip starts.
    ///
    /// ## How to fix
    /// - Write translation, rotation and scale for every node that any clip drives.
    /// - Code: decompose the matrix before writing, and check that the parts multiply back to it.
    ///
    /// The remaining checks run with the decomposed matrix.
    ///
    /// ## References
    /// - glTF 2.0 §3.5.3 (an animated node has no `matrix`); glTF-Validator `ANIMATION_CHANNEL_TARGET_NODE_MATRIX`.
    ChannelOnMatrixNode, "C519", "channel-on-matrix-node", Error, ChannelOnMatrixNode, "channel"
}
