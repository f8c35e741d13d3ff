//! The report of `crosscheck`: the CPU path against the OpenGL path.

mod artifacts;
mod json;
mod location;
#[cfg(test)]
mod testing;
mod text;

use crate::crosscheck::{Report, Take};
use crate::rig::Asset;

pub use artifacts::{Artifacts, ArtifactsError, ModelImages};
pub use json::write as to_json;
pub use text::{heading, name_of, of_model, summary};

/// One model and what came of it.
#[derive(Debug)]
pub struct Checked {
    /// The path as the user gave it.
    pub model: String,
    /// Read from it.
    pub asset: Asset,
    /// Which poses were compared.
    pub takes: Vec<Take>,
    /// How they compare.
    pub report: Report,
    /// Images that were written: paths without their last part, `-expected.png` and so on.
    pub images: Vec<String>,
}

/// The settings of the comparison.
#[derive(Debug)]
pub struct Setting {
    /// `cpu` and what it runs on.
    pub first: [String; 2],
    /// `gl` and what it runs on.
    pub second: [String; 2],
    /// Width and height of the images.
    pub size: [u32; 2],
    /// Samples a pixel.
    pub samples: u8,
    /// The camera, as the user names it.
    pub camera: String,
    /// What images show, as the user names it.
    pub show: String,
    /// The moments of clips, as the user names them.
    pub times: String,
}
