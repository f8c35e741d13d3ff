//! The settings of `skincheck.toml` and the command line.
//!
//! Both become [`Layer`]s; [`Resolved::of`] merges the layers of one file into the
//! [`Settings`](crate::lint::Settings) of its rules.

mod error;
mod file;
mod layer;
mod resolve;
mod rules;
mod skeleton;
mod strings;

pub use error::{ConfigError, Position};
pub use file::{Config, FILE_NAME, Unmatched, find};
pub use layer::{
    ClipNames, JointNames, Layer, NameSetting, PRESETS, Preset, PresetSetting, UnmatchedName,
    find_preset, preset_names,
};
pub use resolve::Resolved;
pub use rules::{RuleSetting, Selector, UnknownRule};
pub use skeleton::{SkeletonError, load_skeleton, skeleton_file};
pub use strings::{Exclusion, ExclusionError, Exclusions, Pattern, PatternError};

pub(super) use layer::unmatched_names;
