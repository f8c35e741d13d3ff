//! Rules about transforms of nodes.

mod axes;
mod stored;
mod t402_sheared_node;
mod t403_nonuniform_joint_scale;
mod t404_zero_scale;
mod t405_negative_scale;
mod t406_sheared_in_motion;
mod t407_nonfinite_transform;

use super::rule::Rule;

/// In the order of their codes.
pub(super) static RULES: &[&dyn Rule] = &[
    &stored::NonunitRotation,
    &t402_sheared_node::ShearedNode,
    &t403_nonuniform_joint_scale::NonuniformJointScale,
    &t404_zero_scale::ZeroScale,
    &t405_negative_scale::NegativeScale,
    &t406_sheared_in_motion::ShearedInMotion,
    &t407_nonfinite_transform::NonfiniteTransform,
    &stored::SegmentScaleCompensate,
];

#[cfg(test)]
mod tests;
