//! Findings that are accepted, so that only new ones are reported.
//!
//! A finding is identified by its rule, its file and the names of its subject, not by vertices or times, which change
//! with every export. If its count grows, it is reported again: one accepted vertex does not license a thousand more.

mod compare;
mod file;

pub(super) use file::Record;
pub use file::{Baseline, subject};
