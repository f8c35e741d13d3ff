//! Rules about transforms of nodes.

mod axes;

mod t401_nonunit_rotation;
mod t402_sheared_node;
mod t403_nonuniform_joint_scale;
mod t404_zero_scale;
mod t405_negative_scale;
mod t406_sheared_in_motion;
mod t407_nonfinite_transform;
mod t408_segment_scale_compensate;

use crate::lint::rules::rule::Rule;

/// In the order of their codes.
pub(super) static RULES: &[&dyn Rule] = &[
    &t401_nonunit_rotation::NonunitRotation,
    &t402_sheared_node::ShearedNode,
    &t403_nonuniform_joint_scale::NonuniformJointScale,
    &t404_zero_scale::ZeroScale,
    &t405_negative_scale::NegativeScale,
    &t406_sheared_in_motion::ShearedInMotion,
    &t407_nonfinite_transform::NonfiniteTransform,
    &t408_segment_scale_compensate::SegmentScaleCompensate,
];

#[cfg(test)]
mod tests;
