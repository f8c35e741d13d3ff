//! `C519`: channel-on-matrix-node.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that animated nodes are given by translation, rotation and scale, and not by a matrix.
    ///
    /// ## Why is this bad?
    /// A channel replaces a part of the transform that a matrix does not have. Readers take the matrix apart, which loses
    /// shear and may flip signs; or play the channel and forget the matrix; or keep the matrix and ignore the channel:
    /// the limb stays stiff, or snaps to another place as soon as the clip starts.
    ///
    /// ## How to fix
    /// - Exporters: write translation, rotation and scale for every node that any clip drives.
    /// - Code: take the matrix apart before writing, and check that it can be put together again.
    ///
    /// The model is checked on with the matrix taken apart.
    ///
    /// ## References
    /// - glTF 2.0 §3.5.3 (a node that is animated has no `matrix`); glTF-Validator
    ///   `ANIMATION_CHANNEL_TARGET_NODE_MATRIX`.
    ChannelOnMatrixNode, "C519", "channel-on-matrix-node", Error, ChannelOnMatrixNode, "channel"
}
