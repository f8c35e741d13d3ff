//! Compares two versions of a rig, and two paths that skin and draw the same pose.
//!
//! Compares two versions of a rig, and two paths over the same pose.
//!
//! - In: two assets, or an asset and a reference (`diff`); an asset and its poses (`crosscheck`); two lists of vertices or two frames
//!   (`compare`).
//! - Out: reports with measures and findings.
//! - Begin with `diff::compare` and `crosscheck::run`.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

#[doc(hidden)]
pub mod compare;
pub mod crosscheck;
pub mod diff;

use skincheck_draw::{backend, frame, view};
use skincheck_rig::{deadline, finding, groups, pose, rig, shown, skinning, units};
