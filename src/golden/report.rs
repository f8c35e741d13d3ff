//! What comes of a run.

use std::fmt;
use std::path::PathBuf;

use crate::diff::{Finding, Tolerance};
use crate::units::{Seconds, amount};

/// The result of a run, model by model.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// The configuration.
    pub config: PathBuf,
    /// Whether anything without approval makes the run fail.
    pub must_be_approved: bool,
    /// In order of their paths.
    pub models: Vec<ModelReport>,
    /// Approvals that are not tested.
    pub orphans: Vec<Orphan>,
}

/// How something compares with what is approved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// As approved.
    Same,
    /// Nobody has approved it.
    New,
    /// Not as approved.
    Changed,
}

/// Something that is approved and not tested.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Orphan {
    /// A folder of approvals, or an image in one.
    pub path: PathBuf,
    /// A clip in the numbers of a model that is tested otherwise.
    pub clip: Option<String>,
}

/// One model.
#[derive(Debug)]
#[non_exhaustive]
pub struct ModelReport {
    /// As seen from the current folder.
    pub path: PathBuf,
    /// From the folder of the configuration on, with slashes.
    pub name: String,
    /// The folder of what is approved of it.
    pub approved: PathBuf,
    /// Why it could not be tested.
    pub failure: Option<String>,
    /// Differences of the whole model.
    pub differences: Vec<Finding>,
    /// The tolerance of the numbers.
    pub tolerance: Tolerance,
    /// In the order of the file.
    pub clips: Vec<ClipReport>,
}

/// One clip of a model, or its rest pose.
#[derive(Debug)]
#[non_exhaustive]
pub struct ClipReport {
    /// As in the file.
    pub name: String,
    /// The numbers.
    pub numbers: Verdict,
    /// Why numbers are new although others are approved.
    pub note: Option<String>,
    /// Differences of the clip.
    pub differences: Vec<Finding>,
    /// The largest distance of a vertex from where it is approved, as part of the diagonal.
    pub largest: Option<f64>,
    /// How many times are compared.
    pub times: usize,
    /// At each time from each camera.
    pub images: Vec<ImageReport>,
}

/// One image.
#[derive(Debug)]
#[non_exhaustive]
pub struct ImageReport {
    /// The name of its file in the folder of what is approved.
    pub file: String,
    /// In the clip.
    pub time: Seconds,
    /// The camera, and what else the image shows than a lit surface.
    pub view: String,
    /// Whether it is the approved one.
    pub verdict: Verdict,
    /// Why not, if it is known.
    pub cause: Option<Cause>,
    /// PNG files, if anything about the clip is not as approved.
    pub images: Option<Images>,
}

/// The images for a reviewer, as PNG files.
#[derive(Debug)]
pub struct Images {
    /// The approved image, if there is one.
    pub expected: Option<Vec<u8>>,
    /// The image of the model now.
    pub actual: Vec<u8>,
    /// Where both differ, if both have one size.
    pub difference: Option<Vec<u8>>,
}

/// Why an image is not the approved one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// The vertices are not where they were.
    Numbers {
        /// How many pixels differ.
        pixels: usize,
    },
    /// The vertices are where they were, to the last bit.
    Surface {
        /// How many pixels differ.
        pixels: usize,
    },
    /// The vertices are where they were, within the tolerance.
    Unexplained {
        /// How many pixels differ by more than the distances of vertices and normals explain.
        pixels: usize,
    },
    /// Another view is approved of this pose.
    Camera {
        /// The approved ones.
        approved: String,
    },
    /// The approved image has another size.
    Size {
        /// Width and height of the approved image.
        approved: [u32; 2],
    },
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SURFACE: &str =
            "a material, a texture, texture coordinates, vertex colours or the light";
        match self {
            Self::Numbers { pixels } => {
                write!(f, "{} differ, like the numbers", amount(*pixels, "pixel"))
            }
            Self::Surface { pixels } => write!(
                f,
                "{} differ, and no vertex has moved: {SURFACE} has changed",
                amount(*pixels, "pixel")
            ),
            Self::Unexplained { pixels } => write!(
                f,
                "{} differ by more than the numbers explain, which are within the tolerance: {SURFACE} has changed",
                amount(*pixels, "pixel")
            ),
            Self::Camera { approved } => {
                write!(f, "the camera has changed: approved is {approved}")
            }
            Self::Size {
                approved: [width, height],
            } => write!(
                f,
                "the size of pictures has changed: approved is {width}x{height}"
            ),
        }
    }
}

impl Verdict {
    /// `same`, `new` or `changed`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::New => "new",
            Self::Changed => "changed",
        }
    }
}

impl ClipReport {
    /// The worst of its numbers and images.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let images = self.images.iter().map(|image| image.verdict);
        images.fold(self.numbers, Verdict::max)
    }
}

impl ModelReport {
    /// The worst of all that is compared.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let own = if self.differences.is_empty() {
            Verdict::Same
        } else {
            Verdict::Changed
        };
        self.clips
            .iter()
            .map(ClipReport::verdict)
            .fold(own, Verdict::max)
    }
}

/// Numbers of models.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Summary {
    /// As approved.
    pub same: usize,
    /// Models with something not approved, and nothing changed.
    pub new: usize,
    /// With something that has changed.
    pub changed: usize,
    /// That could not be tested.
    pub failed: usize,
}

impl Report {
    /// How many models are what.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let mut summary = Summary::default();
        for model in &self.models {
            *match (&model.failure, model.verdict()) {
                (Some(_), _) => &mut summary.failed,
                (None, Verdict::Same) => &mut summary.same,
                (None, Verdict::New) => &mut summary.new,
                (None, Verdict::Changed) => &mut summary.changed,
            } += 1;
        }
        summary
    }

    /// Whether nothing has changed, and nothing is new where it must be approved.
    #[must_use]
    pub fn passes(&self) -> bool {
        let Summary { new, changed, .. } = self.summary();
        changed == 0 && (new == 0 || !self.must_be_approved)
    }
}
