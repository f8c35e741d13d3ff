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

/// A model and its result.
#[derive(Debug)]
pub struct Checked {
    /// The path as the user gave it.
    pub model: String,
    /// The model as read.
    pub asset: Asset,
    /// A description of the compared poses.
    pub takes: Vec<Take>,
    /// The result.
    pub report: Report,
    /// The images that were written, as paths without the suffixes `-expected.png` and so on.
    pub images: Vec<String>,
}

/// The settings of the comparison.
#[derive(Debug)]
pub struct Setting {
    /// `cpu` and its processor.
    pub first: [String; 2],
    /// `gl` and its driver.
    pub second: [String; 2],
    /// Width and height of the images.
    pub size: [u32; 2],
    /// Samples per pixel.
    pub samples: u8,
    /// The camera, as on the command line.
    pub camera: String,
    /// The mode of images, as on the command line.
    pub show: String,
    /// The sample times, as on the command line.
    pub times: String,
}
