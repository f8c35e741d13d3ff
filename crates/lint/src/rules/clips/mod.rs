//! Rules about clips: keys, channels and the resulting motion.

mod c501_empty_clip;
mod c502_zero_duration;
mod c503_no_tick_rate;
mod c504_implausible_duration;
mod c509_late_start;
mod c510_nonfinite_key;
mod c513_quaternion_flip;
mod c514_antipodal_step;
mod c515_cubic_degenerate;
mod c518_target_missing;
mod c520_ends_differ;
mod c521_constant_channel;
mod c522_loop_seam;
mod c523_pop;
mod c524_animated_scale;
mod c525_animates_no_joint;
mod c526_root_drift;
mod c527_foot_slide;
mod c528_jump;
mod c529_jitter;
mod c530_foreign_unit;
mod c531_constant_scale;
mod c533_wild_morph_weight;
mod c535_ignored_channel;
mod c536_stretched_bone;
mod c537_stepped_curve;
mod c538_joined_takes;
mod c539_backward_joint;
mod c540_other_joint_axes;
mod cuts;
mod deformers;
mod keys;
mod paths;
mod stored;

pub use c521_constant_channel::rests;
pub use cuts::AT_REST;

use super::rule::Rule;

/// In the order of their codes.
pub(super) static RULES: &[&dyn Rule] = &[
    &c501_empty_clip::EmptyClip,
    &c502_zero_duration::ZeroDuration,
    &c503_no_tick_rate::NoTickRate,
    &c504_implausible_duration::ImplausibleDuration,
    &stored::UnorderedKeys,
    &stored::ConflictingKeys,
    &stored::NegativeTime,
    &stored::KeyPastEnd,
    &c509_late_start::LateStart,
    &c510_nonfinite_key::NonfiniteKey,
    &stored::NonunitKey,
    &stored::ZeroQuaternion,
    &c513_quaternion_flip::QuaternionFlip,
    &c514_antipodal_step::AntipodalStep,
    &c515_cubic_degenerate::CubicDegenerate,
    &stored::InterpolationLost,
    &stored::DuplicateChannel,
    &c518_target_missing::TargetMissing,
    &stored::ChannelOnMatrixNode,
    &c520_ends_differ::EndsDiffer,
    &c521_constant_channel::ConstantChannel,
    &c522_loop_seam::LoopSeam,
    &c523_pop::Pop,
    &c524_animated_scale::AnimatedScale,
    &c525_animates_no_joint::AnimatesNoJoint,
    &c526_root_drift::RootDrift,
    &c527_foot_slide::FootSlide,
    &c528_jump::Jump,
    &c529_jitter::Jitter,
    &c530_foreign_unit::ForeignUnit,
    &c531_constant_scale::ConstantScale,
    &c533_wild_morph_weight::WildMorphWeight,
    &c535_ignored_channel::IgnoredChannel,
    &c536_stretched_bone::StretchedBone,
    &c537_stepped_curve::SteppedCurve,
    &c538_joined_takes::JoinedTakes,
    &c539_backward_joint::BackwardJoint,
    &c540_other_joint_axes::OtherJointAxes,
];
