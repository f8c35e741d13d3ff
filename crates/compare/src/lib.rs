#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

#[doc(hidden)]
pub mod compare;
pub mod crosscheck;
pub mod diff;

use skincheck_draw::{backend, frame, view};
use skincheck_rig::{
    account, deadline, facing, finding, groups, lists, pose, rig, shown, skinning, units,
};
