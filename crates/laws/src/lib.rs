//! Laws of interpolation, weight normalization and skinning: properties of every correct implementation, for any input.
//!
//! A [`Law`] is a function of an implementation ([`Interpolator`], [`WeightNormalizer`], [`Skinner`] or [`Poser`]) and one
//! case ([`Motion`], a vertex's weights, [`SkinCase`] or [`PoseCase`]). It returns [`Broken`] with numbers if the
//! implementation breaks it, and otherwise whether the case could show that ([`Outcome`]). The allowed error follows from the number of roundings ([`Tolerance`]), not from tuning.
//!
//! | to test | use |
//! |---|---|
//! | an implementation, on generated cases | the feature `testing`: `laws::testing` |
//! | an implementation, on the tracks, weights and meshes of a model | [`check_model`] |
//! | another program, or a function of another language | [`Engine`], [`Subjects::of`] |
//! | the cause of broken laws | [`diagnose`] |
//!
//! [`reference`](mod@reference) holds the textbook formulas in f64 as pure functions.
//!
//! ```
//! # mod skincheck { pub use skincheck_rig::glam; pub use skincheck_laws as laws; }
//! use skincheck::glam::Quat;
//! use skincheck::laws::{Between, ROTATION_LAWS, Motion, Tolerance, key_pair};
//!
//! let lerp = Between(|a: Quat, b: Quat, t: f64| (a * (1.0 - t as f32) + b * t as f32).normalize());
//! let turn = Quat::from_xyzw(0.0, 1.0, 0.0, 0.0);
//! let case = Motion::new(key_pair(Quat::IDENTITY, -turn.lerp(Quat::IDENTITY, 0.3)), 0.25);
//! let broken = ROTATION_LAWS.iter().filter(|law| (law.check)(&lerp, &case, &Tolerance::F32).is_err());
//! assert!(broken.map(|law| law.name).any(|name| name == "shortest-path"));
//! ```

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

// The modules of other packages.
use skincheck_draw::backend;
use skincheck_rig::{deadline, export, finding, lists, pose, process_group, rig, units};

mod capabilities;
mod case;
mod channel;
mod diagnosis;
mod engine;
mod generate;
mod law;
mod model;
mod motion;
mod posing;
mod protocol;
mod random;
pub mod reference;
mod rotation;
mod rounding;
mod shrink;
mod skinning;
mod subjects;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod weights;
mod whole;

#[cfg(test)]
mod tests;

pub use capabilities::{Capabilities, Interpolation};
pub use case::{Body, Motion, SkinCase, key_pair};
pub use channel::{EngineError, Skipped as SkippedLines};
pub use diagnosis::{Break, Diagnosis, diagnose, signature};
pub use engine::{Engine, Unsupported};
pub use law::{
    Between, Broken, Interpolator, Law, Outcome, Skinner, Tolerance, Value, WeightNormalizer,
};
pub use model::{Failure, LawReport, ModelLaws, Options, Skipped, Subjects, all_laws, check_model};
pub use motion::VECTOR_LAWS;
pub use posing::{Expected, POSE_LAWS, PoseCase, Posed, Poser, expected};
pub use rotation::ROTATION_LAWS;
pub use skinning::SKINNING_LAWS;
pub use subjects::{Cpu, OnDevice, Own};
pub use weights::WEIGHT_LAWS;
