//! Rules of this family that report defects recorded by importers.

use crate::lint::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that every joint of a skin, or bone of a mesh, is a node of the file.
    ///
    /// ## Why is this bad?
    /// The joint has no position, no parent and no animation. Its vertices stay in the bind pose or collapse to the
    /// origin while their neighbours move. Many loaders refuse the file.
    ///
    /// ## How to fix
    /// - Export the whole skeleton together with the mesh.
    /// - Blender, Maya: export the whole skeleton with the mesh, not a selection. If bones were deleted after binding,
    ///   bind the mesh again.
    /// - Exporters: when filtering nodes (hidden ones, helpers, other layers), keep the joints of skins. Resolve bones
    ///   by identity, not by name, because names may have changed.
    ///
    /// The remaining checks run without the joint; the other influences of its vertices take over its weight.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.3.2 (joints are indices of nodes); glTF-Validator `UNRESOLVED_REFERENCE`.
    JointWithoutNode, "H302", "joint-without-node", Error, JointWithoutNode, "joint"
}

declare_stored_rule! {
    /// ## What it does
    /// Checks that every node has at most one parent, and that none is its own ancestor.
    ///
    /// ## Why is this bad?
    /// A node's world transform is its parent's times its own. With two parents it has two, and readers choose
    /// differently. In a cycle it has none, and readers that walk the hierarchy never return.
    ///
    /// ## How to fix
    /// - Give each node at most one parent, and never one of its own descendants.
    /// - Exporters: list each node as a child of exactly one other. Instances of one subtree need nodes of their own.
    /// - Tools that merge files or re-parent nodes: remove the old link when making the new one.
    ///
    /// The remaining checks keep the first parent, and drop the link that closes a cycle.
    ///
    /// ## References
    /// - glTF 2.0 §3.5.2 (the nodes are disjoint strict trees); glTF-Validator `NODE_PARENT_OVERRIDE`, `NODE_LOOP`.
    HierarchyCycle, "H304", "hierarchy-cycle", Error, HierarchyCycle, "link"
}

declare_stored_rule! {
    /// ## What it does
    /// Checks that the `skeleton` node of a glTF skin is a common root of its joints: above all of them, or one of them
    /// and above the others.
    ///
    /// Joints without a common root are reported by `H303` alone.
    ///
    /// ## Why is this bad?
    /// Engines use this node as the root of the rig: they attach the character to it, measure its bounds from it, or
    /// instantiate only its subtree. Joints outside the subtree stay behind.
    ///
    /// ## How to fix
    /// - Remove `skeleton` from the skin, or set it to the common root of its joints.
    /// - Exporters: write the closest common ancestor of all joints, after joints have been added and removed.
    ///
    /// ## References
    /// - glTF 2.0 §5.28.2; glTF-Validator `SKIN_SKELETON_INVALID`.
    SkeletonNotAncestor, "H315", "skeleton-not-ancestor", Warning, SkeletonNotAncestor, "skin"
}

declare_stored_rule! {
    /// ## What it does
    /// Checks that the joints of each skinned mesh in the glTF scene are nodes of this scene.
    ///
    /// ## Why is this bad?
    /// Engines create only the nodes of the scene. Joints outside it are missing: the mesh stays in its bind pose,
    /// collapses to the origin, or the file does not load.
    ///
    /// ## How to fix
    /// - Add the root of the skeleton to the nodes of the scene.
    /// - Blender: export with the armature selected, or without *Limit to → Selected Objects*.
    /// - Exporters: write the roots of all joints into the scene of the mesh.
    ///
    /// The remaining checks pose these joints as if they were in the scene.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.3.2; glTF-Validator `NODE_SKIN_NO_SCENE`.
    JointOutsideScene, "H316", "joint-outside-scene", Warning, JointOutsideScene, "joint"
}
