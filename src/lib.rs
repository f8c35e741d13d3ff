//! Does a rig deform as its author meant?
//!
//! skincheck loads a rigged model, poses it, skins it, draws it and judges it, without a window. Each stage is a module of
//! free functions on plain data; data flows forward only:
//!
//! ```text
//! file --import--> Asset --pose--> ModelPose --palette--> Palette --skinning--> DeformedMesh --backend--> Frame --> PNG
//! ```
//!
//! | task | start at |
//! |---|---|
//! | [load a model](#load-a-model) | [`import::load`] |
//! | [build a rig in memory](#build-a-rig) | [`rig::AssetBuilder`] |
//! | [pose and skin](#pose-and-skin-many-frames) | [`pose::Sampler`], [`skinning::Prepared`] |
//! | [draw](#draw) | [`backend::draw`] |
//! | [check a rig](#check) | [`lint::check`] |
//! | repair a copy, with proof | [`fix::fix`] |
//! | [compare two versions of a rig](#compare) | [`diff::compare`] |
//! | test an engine's own posing and skinning | [`laws`] |
//! | run a command of the program | `cli::run`, with the feature `cli` |
//!
//! # Load a model
//!
//! ```
//! use skincheck::import;
//!
//! let asset = import::load("fixtures/arm.gltf".as_ref(), &import::Options::default())?;
//! assert_eq!(asset.clips[0].name, "Bend");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Build a rig
//!
//! ```
//! use skincheck::glam::{Quat, Vec3};
//! use skincheck::rig::{AssetBuilder, Mesh, Trs};
//!
//! let mut rig = AssetBuilder::new();
//! let hip = rig.node("hip", None, Trs::IDENTITY);
//! let knee = rig.node("knee", Some(hip), Trs { translation: Vec3::Y, ..Trs::IDENTITY });
//! let leg = rig.mesh(Mesh {
//!     positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y * 2.0],
//!     triangles: vec![[0, 1, 2]],
//!     ..Mesh::default()
//! });
//! rig.skin(leg, [[(hip, 1.0)], [(hip, 1.0)], [(knee, 1.0)]]);
//! let kick = rig.clip("kick");
//! rig.rotate(kick, knee, [(0.0, Quat::IDENTITY), (1.0, Quat::from_xyzw(0.0, 0.0, 1.0, 0.0))]);
//! let asset = rig.build()?;
//! # assert_eq!(asset.skeleton.len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Pose and skin many frames
//!
//! A [`Sampler`](pose::Sampler) remembers the last keys, and [`Prepared`](skinning::Prepared) the weights; the memory of a
//! frame is used again for the next one. For a single pose, [`pose::sample`], [`pose::model_pose`] and [`skinning::deform`]
//! are shorter.
//!
//! ```
//! use skincheck::pose::{self, ModelPose, Pose, Sampler};
//! use skincheck::skinning::{Attributes, Prepared};
//! use skincheck::{import, rig::SkinningOptions, units::Seconds};
//!
//! let asset = import::load("fixtures/arm.gltf".as_ref(), &import::Options::default())?;
//! let bend = &asset[pose::find_clip(&asset, "Bend")?];
//! let prepared = Prepared::new(&asset, &SkinningOptions::default());
//! let mut sampler = Sampler::new(&asset, bend);
//! let (mut local, mut world, mut meshes) = (Pose::default(), ModelPose::default(), Vec::new());
//! for frame in 0..30 {
//!     sampler.at_into(Seconds(f64::from(frame) / 30.0), &mut local)?;
//!     pose::model_pose_into(&asset, &local, &mut world);
//!     prepared.deform_into(&world, Attributes::All, &mut meshes)?;
//!     assert_eq!(meshes[0].positions.len(), asset.meshes[0].positions.len());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Draw
//!
//! ```
//! use skincheck::backend::{self, DrawOptions};
//! use skincheck::view::{Show, Style};
//! use skincheck::{frame::png, import, pose};
//!
//! let asset = import::load("fixtures/arm.gltf".as_ref(), &import::Options::default())?;
//! let rest = pose::model_pose(&asset, &pose::rest(&asset));
//! let style = Style { show: Show::JOINTS, ..Style::default() };
//! let frame = backend::draw(&asset, &rest, &DrawOptions { style, ..DrawOptions::default() })?;
//! let file = png::encode(&frame, &[])?;
//! # assert!(file.starts_with(b"\x89PNG"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Check
//!
//! ```
//! use skincheck::import;
//! use skincheck::lint::{self, Context, Settings};
//!
//! let path = "fixtures/arm.gltf".as_ref();
//! let asset = import::load(path, &import::Options::default())?;
//! let settings = Settings::default();
//! for finding in lint::check(&Context::new(&asset, path, &settings)).findings {
//!     println!("{}: {}", finding.code.0, finding.message);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Compare
//!
//! ```
//! use skincheck::diff::{self, Source};
//! use skincheck::import;
//!
//! let load = |path: &str| import::load(path.as_ref(), &import::Options::default());
//! let [before, after] = [load("fixtures/bent_cylinder.gltf")?, load("fixtures/bent_cylinder.glb")?].map(Source::from);
//! let report = diff::compare(&before, &after, &diff::Options::default())?;
//! for difference in &report.findings {
//!     println!("{}", difference.finding.message);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
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

// Hidden modules have no stable interface: they are public for skincheck's own tests.
#[doc(hidden)]
pub mod check;
#[cfg(feature = "cli")]
pub mod cli;
#[doc(hidden)]
pub mod closeup;
#[doc(hidden)]
pub mod golden;
#[doc(hidden)]
pub mod report;
#[cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports))]
mod viewer;
#[doc(hidden)]
pub mod work;

// The stages, each of a package below `crates`.
#[doc(hidden)]
pub use skincheck_compare::compare;
#[doc(inline)]
pub use skincheck_compare::{crosscheck, diff};
#[doc(inline)]
#[cfg(feature = "gl")]
pub use skincheck_draw::gl;
#[doc(inline)]
pub use skincheck_draw::{backend, frame, view};
use skincheck_draw::{film, overlay};
#[doc(hidden)]
pub use skincheck_draw::{look, raster};
#[doc(inline)]
pub use skincheck_fix as fix;
#[doc(inline)]
pub use skincheck_import as import;
#[doc(inline)]
pub use skincheck_laws as laws;
#[doc(inline)]
pub use skincheck_lint as lint;
#[doc(hidden)]
pub use skincheck_rig::facing;
#[cfg(feature = "cli")]
use skincheck_rig::lists;
#[cfg(feature = "cli")]
use skincheck_rig::process_group;
use skincheck_rig::{account, names, paths, platform, shown};
#[doc(inline)]
pub use skincheck_rig::{deadline, engines, export, finding, palette, pose, rig, skinning, units};

/// The crate of the vectors, rotations and matrices in this library's types.
pub use glam;
// For messages of the Python module.
#[doc(hidden)]
pub use skincheck_rig::shown::causes;
