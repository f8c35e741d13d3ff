//! A [`Report`](crate::check::Report) for people and for machines: one file a format, and a line in [`FORMATS`].

mod escape;
mod format;
mod github;
mod json;
mod junit;
mod page;
mod profile;
mod sarif;
mod text;
mod words;

pub use format::{FORMATS, Format, View, find_format};
pub use page::{explain, family, rule_page};
pub use profile::{PROFILE_COLUMNS, explain_profile, list_profiles, profile_row, profile_sources};
