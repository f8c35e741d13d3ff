//! The output of commands, for people and for other programs.
//!
//! The [`Report`](crate::check::Report) of a check has one file per format and a line in [`FORMATS`]. Every other
//! command has a module of its own.

pub mod bake;
pub mod crosscheck;
pub mod diff;
pub mod doctor;
pub mod golden;
pub mod importers;
pub mod inspect;
pub mod laws;
pub mod overflow;
pub mod render;

mod escape;
mod format;
mod formats;
mod github;
mod html;
mod json;
mod junit;
mod page;
mod profile;
mod rules;
mod sarif;
mod shell;
mod text;
mod words;

pub use format::{Format, View};
pub use formats::{FORMATS, find_format};
pub use page::{explain, family, rule_page};
pub use profile::{PROFILE_COLUMNS, explain_profile, list_profiles, profile_row, profile_sources};
pub use rules::{list_profiles_json, list_rules, list_rules_json};
pub use words::seconds;
