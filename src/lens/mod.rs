//! Lenses: a rig as an engine sees it.
//!
//! A [`Lens`] is what sources say an engine does to the weights and curves of a model. [`Chosen`] is a lens with the
//! options that a user sets in the engine, such as `unreal:influences=unlimited`; it turns an asset into the one that the
//! engine skins. Each statement names its source. What no source states is left as it is.

mod chosen;
mod clips;
mod engines;
mod error;
mod statement;
mod weights;

pub use chosen::Chosen;
pub use engines::{LENSES, find_lens};
pub(crate) use engines::{bevy, godot, roblox, unity, unreal};
pub use error::LensError;
pub use statement::{
    Interpolation, Kept, Lens, Rounding, Setting, Stated, Storage, Sum, Unweighted, Values, World,
};
pub(crate) use weights::parts;
