//! Draws posed models without a window, in software and with OpenGL.
//!
//! Draws a posed model into a `Frame`.
//!
//! - In: an `Asset`, a `ModelPose`, a `Style` and a camera (`view`).
//! - Out: a `Frame` (`frame`), its PNG file, films of many frames (`film`).
//! - Begin with `backend::draw`. `raster` is the software path and `gl` (feature `gl`) the OpenGL path; what both share is in `look`.

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

use skincheck_rig::{names, pose, rig, shown, simd, skinning, units};
