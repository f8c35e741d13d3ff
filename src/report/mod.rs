//! The output of commands, human-readable and machine-readable.
//!
//! The results of any command are [findings](crate::finding) of models, which one file per format writes: `json`, `sarif`,
//! `junit`, `github`, `gitlab` and `markdown`. What only one command has, and its text and page for people, are in a module of its own.

#[cfg_attr(not(feature = "cli"), allow(dead_code))]
pub mod bake;
pub mod check;
mod codes;
pub mod crosscheck;
pub mod diff;
pub mod doctor;
mod document;
mod engines;
mod escape;
pub mod fix;
mod format;
mod github;
mod gitlab;
pub mod golden;
pub mod inspect;
mod json;
mod junit;
pub mod laws;
mod markdown;
#[cfg_attr(not(feature = "cli"), allow(dead_code))]
mod preset;
mod results;
mod rules;
mod sarif;
#[cfg(feature = "testing")]
mod schema;
mod shell;
#[cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports))]
#[cfg(feature = "cli")]
pub(crate) mod view;
mod viewer;
mod words;
mod write;

#[cfg(feature = "cli")]
pub(crate) use document::Document;
#[cfg(feature = "cli")]
pub(crate) use document::html::{explain_html, is_explain_html};
pub use engines::{Statement, list_engines, statements};
pub use format::{Format, View};
pub use preset::{list_presets, preset_row};
pub use rules::{explain, family, list_rules, list_rules_json};
#[cfg(feature = "testing")]
pub use schema::{schema, schema_names};
#[cfg(feature = "cli")]
pub(crate) use shell::is_page;
#[cfg(feature = "cli")]
pub(crate) use words::{free_name, plain_name};
