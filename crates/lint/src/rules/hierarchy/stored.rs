//! Rules of this family that report defects recorded by importers.

use crate::declare_stored_rule;

declare_stored_rule! {
    JointWithoutNode, "H302", "joint-without-node", Error, Proved, JointWithoutNode, "joint"
}

declare_stored_rule! {
    HierarchyCycle, "H304", "hierarchy-cycle", Error, Proved, HierarchyCycle, "link"
}

declare_stored_rule! {
    SkeletonNotAncestor, "H315", "skeleton-not-ancestor", Warning, Proved, SkeletonNotAncestor, "skin"
}

declare_stored_rule! {
    JointOutsideScene, "H316", "joint-outside-scene", Warning, Proved, JointOutsideScene, "joint"
}
