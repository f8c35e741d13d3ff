//! Target engines: their limits and conventions, and what they make of a rig.
//!
//! An [`Engine`] is what sources say of an engine, a format or a platform: each statement names its source, and what no
//! source states is neither a limit nor emulated. A [`TargetEngine`] is an engine with the options that a user sets in it, such as
//! `unreal:influences=unlimited`; it turns an asset into the one that the engine skins.

mod clips;
mod emulation;
mod engine;
mod error;
mod table;
mod target_engine;
mod weights;

pub use engine::{
    Axes, Choice, Engine, EngineOption, Interpolation, Kept, Options, Rounding, Stated, Storage,
    Sum, Text,
};
pub use error::EngineError;
pub use table::{ENGINES, find_engine};
pub use target_engine::TargetEngine;
#[doc(hidden)]
pub use weights::parts;
