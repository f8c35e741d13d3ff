//! What came of the comparison, for every way to tell it.

use skincheck::crosscheck::{Report, Take};
use skincheck::rig::Asset;

/// One model and what came of it.
pub(super) struct Checked {
    /// The path as the user gave it.
    pub(super) model: String,
    /// Read from it.
    pub(super) asset: Asset,
    /// Which poses were compared.
    pub(super) takes: Vec<Take>,
    /// How they compare.
    pub(super) report: Report,
    /// Pictures that were written.
    pub(super) pictures: Vec<String>,
}

/// What is compared.
pub(super) struct Paths {
    /// `cpu` and what it runs on.
    pub(super) first: [String; 2],
    /// `gl` and what it runs on.
    pub(super) second: [String; 2],
}
