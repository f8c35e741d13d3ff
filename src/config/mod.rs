//! What users expect of their models, as `skincheck.toml` and the command line say it.
//!
//! Both come to [`Layer`]s, later ones before earlier ones; [`Resolved::of`] makes of them what the rules are told of one
//! file.

mod error;
mod file;
mod layer;
mod names;
mod nearest;
mod pattern;
mod position;
mod read;
mod resolve;
mod selector;

pub use error::{ConfigError, Fault};
pub use file::{Config, FILE_NAME, find};
pub use layer::{Layer, RuleSetting};
pub use names::{Model, ModelNames, Unmatched};
pub use nearest::nearest;
pub use pattern::{Pattern, PatternError};
pub use position::Position;
pub use resolve::Resolved;
pub use selector::{Selector, UnknownRule};
