//! The result of a run.

use std::fmt;
use std::path::PathBuf;

use serde::{Serialize, Serializer};

use crate::diff::{Difference, Tolerance};
use crate::finding::{Code, Finding, Level};
use crate::rig::Location;
use crate::units::{Seconds, amount};
use crate::viewer::Packed;

/// The result of a run, model by model.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// The configuration.
    pub config: PathBuf,
    /// Whether anything without approval makes the run fail.
    pub must_be_approved: bool,
    /// Whether an approval that is not tested makes the run fail.
    pub must_be_tested: bool,
    /// Sorted by path.
    pub models: Vec<ModelReport>,
    /// The number of models that were not tested, because no change affects them.
    pub unaffected: usize,
    /// Approvals that are not tested.
    pub orphans: Vec<Orphan>,
}

/// The code of an image that differs from the approved one.
pub const IMAGE_CHANGED: Code = Code("image-changed");
/// The code of a clip or image without approval.
pub const NOT_APPROVED: Code = Code("not-approved");
/// The code of an approval that is not tested.
pub const UNTESTED: Code = Code("untested");

/// How something compares with its approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "testing", schemars(rename = "TestVerdict"))]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It is as approved.
    Same,
    /// It has no approval.
    New,
    /// It differs from its approval.
    Changed,
}

/// An approval that is not tested.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Orphan {
    /// A folder of approvals, or an image in one.
    pub path: PathBuf,
    /// A clip in the numbers of a model that is otherwise tested.
    pub clip: Option<String>,
}

/// One model.
#[derive(Debug)]
#[non_exhaustive]
pub struct ModelReport {
    /// Relative to the current folder.
    pub path: PathBuf,
    /// Relative to the folder of the configuration, with slashes.
    pub name: String,
    /// The folder of its approvals.
    pub approved: PathBuf,
    /// Why it could not be tested.
    pub failure: Option<String>,
    /// Differences of the whole model.
    pub differences: Vec<Difference>,
    /// The tolerance of the numbers.
    pub tolerance: Tolerance,
    /// In the order of the file.
    pub clips: Vec<ClipReport>,
    /// The approved model and the present one in motion, if they differ and a page asks for it.
    pub(crate) moving: Option<[Packed; 2]>,
}

/// One clip of a model, or its rest pose.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ClipReport {
    /// The name in the file.
    pub name: String,
    /// The numbers.
    pub numbers: Verdict,
    /// Why the numbers are new although others are approved.
    pub note: Option<String>,
    /// Differences of the clip.
    #[serde(skip)]
    pub differences: Vec<Difference>,
    /// The largest distance of a vertex from its approved position, as a fraction of the diagonal.
    pub largest: Option<f64>,
    /// The number of compared times.
    pub times: usize,
    /// One per time and camera.
    pub images: Vec<ImageReport>,
}

/// One image.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ImageReport {
    /// The file name in the folder of approvals.
    pub file: String,
    /// In seconds of the clip.
    pub time: Seconds,
    /// The camera and the mode, unless that is a lit surface.
    pub view: String,
    /// How it compares with the approved image.
    pub verdict: Verdict,
    /// Why it differs, if known.
    #[serde(serialize_with = "in_words")]
    #[cfg_attr(feature = "testing", schemars(with = "Option<String>"))]
    pub cause: Option<Cause>,
    /// PNG files, if anything about the clip differs from the approval.
    #[serde(skip)]
    pub images: Option<Images>,
}

/// The images for a reviewer, as PNG files.
#[derive(Debug)]
pub struct Images {
    /// The approved image, if there is one.
    pub expected: Option<Vec<u8>>,
    /// The image of the model now.
    pub actual: Vec<u8>,
    /// The difference of both, if they have the same size.
    pub difference: Option<Vec<u8>>,
}

/// Why an image differs from the approved one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// Vertices have moved.
    Numbers {
        /// How many pixels differ.
        pixels: usize,
    },
    /// All vertices are the same to the bit.
    Surface {
        /// How many pixels differ.
        pixels: usize,
    },
    /// All vertices are the same within the tolerance.
    Unexplained {
        /// How many pixels differ by more than rounding and edges explain.
        pixels: usize,
    },
    /// The approved image has another size.
    Size {
        /// Width and height of the approved image.
        approved: [u32; 2],
    },
}

#[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
fn in_words<S: Serializer>(cause: &Option<Cause>, serializer: S) -> Result<S::Ok, S::Error> {
    cause
        .as_ref()
        .map(ToString::to_string)
        .serialize(serializer)
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SURFACE: &str =
            "a material, a texture, texture coordinates, vertex colours or the light";
        match self {
            Self::Numbers { pixels } => {
                write!(f, "{} differ, as do the numbers", amount(*pixels, "pixel"))
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
            Self::Size {
                approved: [width, height],
            } => write!(
                f,
                "the image size has changed: the approved one is {width}x{height}"
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

impl ImageReport {
    /// Whether it says something that the numbers do not: where they differ, other pixels are no news.
    #[must_use]
    pub fn decides(&self) -> bool {
        !matches!(self.cause, Some(Cause::Numbers { .. }))
    }

    /// Why it is not as approved; `None` if it is.
    #[must_use]
    pub fn why(&self) -> Option<String> {
        match (&self.cause, self.verdict) {
            (_, Verdict::Same) => None,
            (Some(cause), _) => Some(cause.to_string()),
            (None, _) => Some("not approved yet".to_owned()),
        }
    }
}

impl ClipReport {
    /// The worst status of its numbers and images.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let images = self.images.iter().map(|image| image.verdict);
        images.fold(self.numbers, Verdict::max)
    }
}

impl ModelReport {
    /// The worst status of everything that is compared.
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

/// The number of models by status.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Summary {
    /// As approved.
    pub same: usize,
    /// Models with something unapproved, and no change.
    pub new: usize,
    /// Models with a change.
    pub changed: usize,
    /// Models that could not be tested.
    pub failed: usize,
}

impl Report {
    /// Counts the models by status.
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

    /// Everything that is found about a model: differences of the numbers, then of the images.
    #[must_use]
    pub fn findings(&self, model: &ModelReport) -> Vec<Finding> {
        let clips = model.clips.iter().flat_map(|clip| self.findings_of(clip));
        let differences = model.differences.iter();
        let differences = differences.map(|own| own.finding.clone());
        differences.chain(clips).collect()
    }

    /// Everything that is found about a clip; empty if it is as approved.
    #[must_use]
    pub fn findings_of(&self, clip: &ClipReport) -> Vec<Finding> {
        let new = if self.must_be_approved {
            Level::Error
        } else {
            Level::Warning
        };
        let location = || Location::clip(clip.name.as_str());
        let differences = clip.differences.iter();
        let mut findings: Vec<Finding> = differences.map(|own| own.finding.clone()).collect();
        let note = clip.note.clone();
        findings.extend(note.map(|note| Finding::new(NOT_APPROVED, new, location(), note)));
        let images = clip.images.iter().filter(|image| image.decides());
        findings.extend(images.filter_map(|image| {
            let location = location().at(image.time);
            let message = format!("{}: {}", image.file, image.why()?);
            Some(match image.verdict {
                Verdict::New => Finding::new(NOT_APPROVED, new, location, message),
                _ => Finding::new(IMAGE_CHANGED, Level::Error, location, message),
            })
        }));
        if findings.is_empty() && clip.numbers == Verdict::New {
            let message = "the numbers are not approved yet";
            findings.push(Finding::new(NOT_APPROVED, new, location(), message));
        }
        findings
    }

    /// The finding on an approval that is not tested.
    #[must_use]
    pub fn untested(&self, orphan: &Orphan) -> Finding {
        let level = if self.must_be_tested {
            Level::Error
        } else {
            Level::Warning
        };
        let clip = orphan.clip.clone();
        let location = Location {
            clip,
            ..Location::FILE
        };
        Finding::new(UNTESTED, level, location, "approved but no longer tested")
    }

    /// Whether nothing has changed, and nothing is unapproved or no longer tested if that makes the run fail.
    #[must_use]
    pub fn passes(&self) -> bool {
        let Summary { new, changed, .. } = self.summary();
        let is_approved = new == 0 || !self.must_be_approved;
        changed == 0 && is_approved && !self.has_lost_tests()
    }

    /// Whether approvals that are not tested make the run fail.
    #[must_use]
    pub fn has_lost_tests(&self) -> bool {
        self.must_be_tested && !self.orphans.is_empty()
    }
}
