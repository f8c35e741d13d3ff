//! Rules about clips: keys, channels and what they come to.

mod cubic;
mod deformers;
mod extent;
mod frames;
mod ground;
mod paths;
mod pops;
mod rotations;
#[cfg(test)]
mod testing;
mod tracks;

mod c501_empty_clip;
mod c502_zero_duration;
mod c503_no_tick_rate;
mod c504_implausible_duration;
mod c509_late_start;
mod c513_quaternion_flip;
mod c514_antipodal_step;
mod c515_cubic_degenerate;
mod c520_ends_differ;
mod c521_constant_channel;
mod c522_loop_seam;
mod c523_pop;
mod c524_animated_scale;
mod c525_animates_no_joint;
mod c526_root_drift;
mod c527_foot_slide;

use super::rule::Rule;

/// In the order of their codes.
pub(super) static RULES: &[&dyn Rule] = &[
    &c501_empty_clip::EmptyClip,
    &c502_zero_duration::ZeroDuration,
    &c503_no_tick_rate::NoTickRate,
    &c504_implausible_duration::ImplausibleDuration,
    &c509_late_start::LateStart,
    &c513_quaternion_flip::QuaternionFlip,
    &c514_antipodal_step::AntipodalStep,
    &c515_cubic_degenerate::CubicDegenerate,
    &c520_ends_differ::EndsDiffer,
    &c521_constant_channel::ConstantChannel,
    &c522_loop_seam::LoopSeam,
    &c523_pop::Pop,
    &c524_animated_scale::AnimatedScale,
    &c525_animates_no_joint::AnimatesNoJoint,
    &c526_root_drift::RootDrift,
    &c527_foot_slide::FootSlide,
];
