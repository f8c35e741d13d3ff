//! The result of a comparison.

use glam::DVec3;
use serde::Deserialize;

use super::Tolerance;
use crate::units::Seconds;

/// How two models differ.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Report {
    /// The source of each side: an importer with its version, or the program that wrote a reference.
    pub sources: [String; 2],
    /// The diagonal of the model before, at rest, without stray vertices. It is in the unit of that model, as all lengths
    /// are.
    pub diagonal: f64,
    /// The unit of the model before, or of the model after if only that states it.
    pub metres_per_unit: Option<f64>,
    /// The tolerance of every difference, unless the configuration overrides it.
    pub tolerance: Tolerance,
    /// The joints, vertices and clips that have a counterpart.
    pub matched: Matched,
    /// The rest pose first, if both have one, then each pair of clips.
    pub takes: Vec<Take>,
    /// Differences, then remarks, sorted by stage. Within a stage, those of the whole model come first, then those that
    /// explain most.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Whether the rest pose and all clips are within the tolerance, and no finding is a difference.
    #[must_use]
    pub fn is_same(&self) -> bool {
        let is_near = self.takes.iter().all(|take| !take.differs);
        is_near && self.differences().next().is_none()
    }

    /// The differences.
    pub fn differences(&self) -> impl Iterator<Item = &Finding> {
        let findings = self.findings.iter();
        findings.filter(|finding| finding.is_difference)
    }
}

/// How much of both models corresponds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Matched {
    /// Pairs of nodes.
    pub joints: usize,
    /// Vertices of the model before with a counterpart, and of the model after.
    pub vertices: [usize; 2],
    /// All vertices of each.
    pub all_vertices: [usize; 2],
    /// Pairs of clips.
    pub clips: usize,
}

/// How two clips, or the rest poses, compare.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Take {
    /// The clip's name on each side; `None` for the rest pose.
    pub clips: Option<[String; 2]>,
    /// The number of compared times.
    pub samples: usize,
    /// The number of times without a limit: at every key of both clips and between them; or all frames of a reference.
    pub all_samples: usize,
    /// Distances of corresponding vertices.
    pub surface: Surface,
    /// The joint with the largest error; `None` if no joints correspond.
    pub joint: Option<WorstJoint>,
    /// The tolerance of a vertex as a length, unless its joint overrides it.
    pub limit: f64,
    /// The surface at each compared time, in order.
    pub over_time: Vec<ErrorSample>,
    /// Every pair of joints that counts, the largest error first.
    pub joints: Vec<JointError>,
    /// Whether a difference is beyond the tolerance.
    pub differs: bool,
    /// Whether only its timing does: on its own time line, the clip moves alike.
    pub timing_only: bool,
}

/// Distances of corresponding vertices over all compared times.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Surface {
    /// The largest.
    pub max: f64,
    /// The 99th percentile, to within 2 %.
    pub p99: f64,
    /// The root of the mean square.
    pub rms: f64,
    /// The largest distance on the screen, in pixels.
    pub pixels: f64,
    /// The largest angle between normals, in degrees; `None` unless both have them.
    pub normals: Option<f64>,
    /// Where the largest distance is; `None` if no vertices correspond.
    pub worst: Option<WorstVertex>,
}

/// The vertex with the largest distance.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct WorstVertex {
    /// The mesh of the model before.
    pub mesh: String,
    /// Index in the mesh of the model before.
    pub vertex: usize,
    /// Index in its mesh of the model after.
    pub counterpart: usize,
    /// Its position on each side.
    pub positions: [DVec3; 2],
    /// In the clip of the model before; 0 for the rest pose.
    pub time: Seconds,
    /// The joint that moves it most, if known.
    pub joint: Option<String>,
}

/// The joint with the largest error: the displacement of points around it, at the distance of the mesh that it moves.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct WorstJoint {
    /// The joint of the model before.
    pub joint: String,
    /// A length.
    pub displacement: f64,
    /// In the clip of the model before; 0 for the rest pose.
    pub time: Seconds,
}

/// The surface at one time.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ErrorSample {
    /// In the clip of the model before.
    pub time: Seconds,
    /// The largest distance of corresponding vertices.
    pub max: f64,
    /// The root mean square of the distances.
    pub rms: f64,
}

/// The error of a joint in a clip, as [`WorstJoint::displacement`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct JointError {
    /// The joint of the model before.
    pub joint: String,
    /// The largest displacement.
    pub total: f64,
    /// The largest displacement relative to the parent: what the joint does not inherit.
    pub own: f64,
}

/// One difference, or a remark.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Finding {
    /// The kind of finding.
    pub kind: Kind,
    /// Whether the models differ because of it. A remark explains what was reconciled instead.
    pub is_difference: bool,
    /// A sentence without a full stop.
    pub message: String,
    /// The name in the model before, or in the model after if only that has it.
    pub joint: Option<String>,
    /// As `joint`.
    pub mesh: Option<String>,
    /// As `joint`.
    pub clip: Option<String>,
    /// The time of the largest difference.
    pub time: Option<Seconds>,
    /// The largest displacement that it causes, if that is known.
    pub displacement: Option<f64>,
}

impl Finding {
    pub(crate) fn new(kind: Kind, message: String) -> Self {
        Self {
            kind,
            is_difference: true,
            message,
            joint: None,
            mesh: None,
            clip: None,
            time: None,
            displacement: None,
        }
    }

    pub(super) fn remark(self) -> Self {
        Self {
            is_difference: false,
            ..self
        }
    }

    pub(super) fn joint(self, name: &str) -> Self {
        Self {
            joint: Some(name.to_owned()),
            ..self
        }
    }

    pub(super) fn mesh(self, name: &str) -> Self {
        Self {
            mesh: Some(name.to_owned()),
            ..self
        }
    }

    pub(crate) fn clip(self, name: Option<&str>) -> Self {
        Self {
            clip: name.map(str::to_owned),
            ..self
        }
    }

    pub(super) fn at(self, time: f64) -> Self {
        Self {
            time: Some(Seconds(time)),
            ..self
        }
    }

    pub(super) fn by(self, displacement: f64) -> Self {
        Self {
            displacement: Some(displacement),
            ..self
        }
    }
}

/// The stage that a difference comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Stage {
    /// The models of two folders.
    Files,
    /// Axes and units.
    Units,
    /// Joints and their parents.
    Hierarchy,
    /// The surfaces, and their shape.
    Meshes,
    /// Bind pose and rest pose.
    Bind,
    /// Weights of vertices.
    Weights,
    /// Morph targets and their weights.
    Morphs,
    /// The set of clips.
    Clips,
    /// The times of clips.
    Timing,
    /// Values of keys.
    Keys,
    /// Values between keys.
    Interpolation,
    /// Normals.
    Normals,
    /// No single stage.
    Surface,
}

impl Stage {
    /// In lower case, for people and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::Units => "units",
            Self::Hierarchy => "hierarchy",
            Self::Meshes => "meshes",
            Self::Bind => "bind pose",
            Self::Weights => "weights",
            Self::Morphs => "morphs",
            Self::Clips => "clips",
            Self::Timing => "timing",
            Self::Keys => "keys",
            Self::Interpolation => "interpolation",
            Self::Normals => "normals",
            Self::Surface => "surface",
        }
    }
}

macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $stage:ident $kind:ident = $name:literal,)+) => {
        /// The kind of a finding.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
        #[non_exhaustive]
        pub enum Kind {
            $($(#[doc = $doc])+ #[serde(rename = $name)] $kind,)+
        }

        impl Kind {
            /// Every kind, stage by stage.
            pub const ALL: &[Self] = &[$(Self::$kind,)+];

            /// In lower case with hyphens.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)+
                }
            }

            /// The kind with a name.
            #[must_use]
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|kind| kind.name() == name)
            }

            /// The stage that it comes from.
            #[must_use]
            pub fn stage(self) -> Stage {
                match self {
                    $(Self::$kind => Stage::$stage,)+
                }
            }

            /// The meaning, in one line.
            #[must_use]
            pub fn about(self) -> &'static str {
                match self {
                    $(Self::$kind => concat!($($doc),+).trim_ascii(),)+
                }
            }
        }
    };
}

kinds! {
    /// A model of the folder before has no counterpart after.
    Files ModelMissing = "model-missing",
    /// A model of the folder after has no counterpart before.
    Files ModelAdded = "model-added",
    /// The whole model is larger or smaller by a factor that the stated units do not explain.
    Units Scale = "scale",
    /// The whole model is rotated, and the stated axes do not explain it.
    Units Rotation = "rotation",
    /// The whole model is mirrored.
    Units Mirror = "mirror",
    /// The whole model is translated.
    Units Shift = "shift",
    /// A joint has no counterpart after.
    Hierarchy JointMissing = "joint-missing",
    /// A joint has no counterpart before.
    Hierarchy JointAdded = "joint-added",
    /// A joint has another name.
    Hierarchy JointRenamed = "joint-renamed",
    /// A joint has another parent.
    Hierarchy JointReparented = "joint-reparented",
    /// Two joints have each other's name.
    Hierarchy JointsSwapped = "joints-swapped",
    /// A surface has no counterpart after.
    Meshes MeshMissing = "mesh-missing",
    /// A surface has no counterpart before.
    Meshes MeshAdded = "mesh-added",
    /// A surface is moved as a whole relative to its joints.
    Meshes MeshMoved = "mesh-moved",
    /// Vertices differ before any joint moves them.
    Meshes MeshShape = "mesh-shape",
    /// Joints bind the mesh in a different pose.
    Bind BindPose = "bind-pose",
    /// A joint has a different rest pose.
    Bind RestPose = "rest-pose",
    /// Only the largest weights of each vertex are left.
    Weights WeightsCut = "weights-cut",
    /// Weights are rounded to few steps.
    Weights WeightsRounded = "weights-rounded",
    /// The weights of two joints are exchanged.
    Weights WeightsSwapped = "weights-swapped",
    /// Vertices follow other joints, or with other weights.
    Weights Weights = "weights",
    /// Vertices are skinned with another method.
    Weights SkinningMethod = "skinning-method",
    /// A morph target is missing.
    Morphs MorphMissing = "morph-missing",
    /// A morph target has different offsets.
    Morphs MorphShape = "morph-shape",
    /// A morph target no longer changes normals.
    Morphs MorphNormals = "morph-normals",
    /// Morph weights are animated differently.
    Morphs MorphWeights = "morph-weights",
    /// A clip has no counterpart after.
    Clips ClipMissing = "clip-missing",
    /// A clip has no counterpart before.
    Clips ClipAdded = "clip-added",
    /// A clip has another name.
    Clips ClipRenamed = "clip-renamed",
    /// Clips have each other's names, or one has the motion of another.
    Clips ClipsSwapped = "clips-swapped",
    /// A clip runs earlier or later.
    Timing TimeShift = "time-shift",
    /// A clip runs faster or slower.
    Timing TimeStretch = "time-stretch",
    /// A clip starts or ends at a different time.
    Timing ClipRange = "clip-range",
    /// Only one of the clips ends where it starts.
    Timing LoopSeam = "loop-seam",
    /// Keys are missing at the start or the end of a clip.
    Keys KeysCut = "keys-cut",
    /// A component of a joint's motion is missing.
    Keys TrackMissing = "track-missing",
    /// The model no longer travels, or travels elsewhere.
    Keys RootMotion = "root-motion",
    /// Translations are larger or smaller by a factor, and the skeleton is not.
    Keys TranslationScale = "translation-scale",
    /// The keys of a joint run earlier or later than those of others.
    Keys TrackShift = "track-shift",
    /// A joint's error is constant.
    Keys ConstantOffset = "constant-offset",
    /// A joint moves differently.
    Keys Keys = "keys",
    /// Keys are right, but too far apart.
    Interpolation Resampled = "resampled",
    /// Values jump from key to key.
    Interpolation Stepped = "stepped",
    /// A rotation takes the long way between two keys.
    Interpolation LongWay = "long-way",
    /// Keys are right, and values between them differ.
    Interpolation Interpolation = "interpolation",
    /// Normals are missing after.
    Normals NormalsMissing = "normals-missing",
    /// Normals point elsewhere where positions agree.
    Normals Normals = "normals",
    /// Hardly anything of one model is in the other; nothing else is compared.
    Surface Unrelated = "unrelated",
    /// Surfaces differ, and no single stage explains it.
    Surface Unexplained = "unexplained",
}
