#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

#[doc(hidden)]
pub mod account;
pub mod deadline;
pub mod engines;
pub mod export;
#[doc(hidden)]
pub mod facing;
pub mod finding;
#[doc(hidden)]
pub mod groups;
#[doc(hidden)]
pub mod lists;
#[doc(hidden)]
pub mod names;
pub mod palette;
#[doc(hidden)]
pub mod paths;
#[doc(hidden)]
pub mod platform;
pub mod pose;
#[doc(hidden)]
pub mod process_group;
pub mod rig;
#[doc(hidden)]
pub mod shown;
#[doc(hidden)]
pub mod simd;
pub mod skinning;
pub mod units;

/// The crate of the vectors, rotations and matrices in this library's types.
pub use glam;
