//! Findings that are accepted, so that only new ones are reported.
//!
//! A finding is known again by its rule, its file and the names of what it is about: neither by vertices nor by times,
//! which move with every export. If it counts more than was accepted, it is reported again: one accepted vertex does
//! not license a thousand more.

mod compare;
mod error;
mod file;
mod key;

pub use error::BaselineError;
pub use file::{Baseline, Entry};
pub use key::subject;
