//! `H315`: skeleton-not-ancestor.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that the `skeleton` node of a glTF skin is a common root of its joints: above all of them, or one of them
    /// and above the others.
    ///
    /// Joints without a common root are reported by `H303` alone.
    ///
    /// ## Why is this bad?
    /// Engines take this node for the root of the rig: they attach the character to it, measure its bounds from it, or
    /// instantiate only what is below it. The joints beside it stay behind.
    ///
    /// ## How to fix
    /// - Remove `skeleton` from the skin, or name the common root of its joints.
    /// - Exporters: take the closest common ancestor of all joints, after joints have been added and removed.
    ///
    /// ## References
    /// - glTF 2.0 §5.28.2; glTF-Validator `SKIN_SKELETON_INVALID`.
    SkeletonNotAncestor, "H315", "skeleton-not-ancestor", Warning, SkeletonNotAncestor, "skin"
}
