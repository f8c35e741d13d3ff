//! A rigged model as plain data: skeleton, skins, clips; posed, skinned and exported.
//!
//! What all other packages share: the model as plain data, and what follows from it without a file, a window or a picture.
//!
//! - In: an `Asset`, which an importer or `rig::AssetBuilder` makes.
//! - Out: poses (`pose`), palettes (`palette`), skinned vertices (`skinning`), a glTF file (`export`), the direction that a character
//!   faces (`facing`), the rig as a target engine skins it (`engines`), and the type of all findings (`finding`).
//! - Begin with `rig::Asset`, then `pose::sample` and `skinning::deform`.
//!
//! `units`, `names`, `shown`, `paths`, `deadline`, `platform`, `process_group`, `groups` and `simd` are small helpers of all packages.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod deadline;
pub mod engines;
pub mod export;
#[doc(hidden)]
pub mod facing;
pub mod finding;
#[doc(hidden)]
pub mod groups;
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
