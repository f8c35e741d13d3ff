//! The settings of `skincheck.toml` and the command line.
//!
//! Both become [`Layer`]s; [`Resolved::of`] merges the layers of one file into the
//! [`Settings`](crate::lint::Settings) of its rules.

mod error;
mod exclusion;
mod file;
mod layer;
mod names;
mod pattern;
mod preset;
mod presets;
mod resolve;
mod rules;
mod selector;
mod skeleton;
mod tested;
mod word;

pub use error::{ConfigError, Position};
pub use exclusion::{Exclusion, ExclusionError, Exclusions};
pub use file::{Config, FILE_NAME, Unmatched, find};
pub use layer::{ClipNames, Compare, JointNames, Layer};
pub use names::{NameSetting, UnmatchedName};
pub use pattern::{Pattern, PatternError};
pub use preset::{PRESETS, Preset, PresetSetting, find_preset};
pub use presets::preset_names;
pub use resolve::Resolved;
pub use rules::RuleSetting;
pub use selector::{Selector, UnknownRule};
pub use skeleton::{SkeletonError, load_skeleton, skeleton_file};
pub use tested::{ModelPattern, ShowWord, Test};

pub(super) use names::unmatched_names;
