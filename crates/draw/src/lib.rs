#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod backend;
#[doc(hidden)]
pub mod film;
pub mod frame;
#[cfg(feature = "gl")]
pub mod gl;
#[doc(hidden)]
pub mod look;
#[doc(hidden)]
pub mod overlay;
#[doc(hidden)]
pub mod raster;
pub mod view;

#[cfg(feature = "gl")]
use skincheck_rig::account;
use skincheck_rig::{lists, names, paths, pose, rig, shown, simd, skinning, units};
