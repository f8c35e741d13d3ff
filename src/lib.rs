//! Does a rig deform as its author meant?
//!
//! It loads a model, samples a clip at a time, poses the skeleton, skins the vertices and draws the frame. Each stage is
//! a module; data flows forward only:
//!
//! ```text
//! file --import--> Asset --pose--> ModelPose --palette--> Palette --skinning--> DeformedMesh --raster--> Frame --> PNG
//! ```
//!
//! ```no_run
//! use skincheck::{import, pose, rig, skinning, units::Seconds};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let asset = import::load("model.fbx".as_ref(), &import::Options::default())?;
//! let walk = &asset.clips[pose::find_clip(&asset, "Walk")?.index()];
//! let pose = pose::model_pose(&asset, &pose::sample(&asset, walk, Seconds(1.2))?);
//! let meshes = skinning::deform(&asset, &pose, &rig::SkinningOptions::default())?;
//! # Ok(())
//! # }
//! ```
//!
//! # Conventions
//!
//! - Column vectors and column-major matrices; a matrix is named `a_from_b`, so that `a_from_b * b_from_c` reads right.
//! - Right-handed world; front faces are counter-clockwise. An asset keeps its file's axes and units
//!   ([`units::Space`]); nothing is converted on the way to the skinned vertices.
//! - Texture coordinates as in glTF: (0, 0) is the corner of the first texel of the first row, v grows downwards.
//! - Time at every public boundary is [`units::Seconds`], absolute in the clip.
//! - f32 for geometry, f64 for time and for the reference. No fused multiply-add and no platform `sin`, so the same
//!   input gives the same bits on every machine and for any number of threads.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod backend;
pub mod check;
pub mod closeup;
pub mod compare;
pub mod crosscheck;
pub mod deadline;
pub mod diff;
pub mod export;
pub mod facing;
pub mod film;
pub mod frame;
#[cfg(feature = "gl")]
pub mod gl;
pub mod golden;
pub mod import;
pub mod laws;
pub mod likeness;
pub mod lint;
pub mod look;
pub mod overlay;
pub mod palette;
pub mod paths;
pub mod pose;
pub mod raster;
pub mod report;
pub mod rig;
pub mod shown;
pub mod skinning;
pub mod units;
pub mod view;

/// The crate of the vectors, rotations and matrices in this library's types.
pub use glam;

/// The program in README.md compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
