//! Rules about the hierarchy of joints.

mod contracted;
mod h301_duplicate_joint_name;
mod h303_no_common_root;
mod h305_unused_joint;
mod h306_leaf_joint;
mod h307_plain_node_between_joints;
mod h308_joint_limit;
mod h309_multiple_roots;
mod h310_zero_length_bone;
mod h311_required_joint_missing;
mod h312_unportable_name;
mod h313_too_deep;
mod h314_exchanged_sides;
mod h317_incomplete_humanoid;
mod h318_skeleton_mismatch;
mod h323_joint_outside_mesh;
mod stored;

use super::rule::Rule;

/// In the order of their codes.
pub(super) static RULES: &[&dyn Rule] = &[
    &h301_duplicate_joint_name::DuplicateJointName,
    &stored::JointWithoutNode,
    &h303_no_common_root::NoCommonRoot,
    &stored::HierarchyCycle,
    &h305_unused_joint::UnusedJoint,
    &h306_leaf_joint::LeafJoint,
    &h307_plain_node_between_joints::PlainNodeBetweenJoints,
    &h308_joint_limit::JointLimit,
    &h309_multiple_roots::MultipleRoots,
    &h310_zero_length_bone::ZeroLengthBone,
    &h311_required_joint_missing::RequiredJointMissing,
    &h312_unportable_name::UnportableName,
    &h313_too_deep::TooDeep,
    &h314_exchanged_sides::ExchangedSides,
    &stored::SkeletonNotAncestor,
    &stored::JointOutsideScene,
    &h317_incomplete_humanoid::IncompleteHumanoid,
    &h318_skeleton_mismatch::SkeletonMismatch,
    &h323_joint_outside_mesh::JointOutsideMesh,
];

#[cfg(test)]
mod tests;
