//! What two importers are found to differ in.

use crate::units::{Seconds, Space};

/// The comparison of what two importers made of one file.
#[derive(Debug, Clone, PartialEq)]
pub struct ImporterReport {
    /// As in [`Asset::importer`](crate::rig::Asset::importer); of one that refused the file, its name.
    pub importers: [String; 2],
    /// What the importers say that the space of their data is; of one that refused the file, nothing.
    pub spaces: [Option<Space>; 2],
    /// The unit of all lengths, in metres; `None` where neither importer knows.
    pub metres_per_unit: Option<f64>,
    /// Of the box around the rest pose, in that unit.
    pub diagonal: f64,
    /// All of [`Stage::ALL`], in that order.
    pub stages: Vec<StageReport>,
}

impl ImporterReport {
    /// The first stage that differs: its causes are not to be looked for in an earlier one.
    #[must_use]
    pub fn first_difference(&self) -> Option<&StageReport> {
        self.stages.iter().find(|stage| !stage.agrees())
    }

    /// Whether no stage differs.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.first_difference().is_none()
    }
}

/// A step on the way from a file to skinned vertices; each builds on those before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Stage {
    /// Whether the file is read at all.
    Reading,
    /// Which joints there are, and which is below which.
    Joints,
    /// Where they stand when no clip drives them, and the morph weights then.
    RestPose,
    /// The inverse bind matrices of those that pull at vertices.
    InverseBinds,
    /// The vertices at bind time, their influences and their morph offsets.
    Weights,
    /// What the clips are called, when they run, and how each drives the joints' own transforms and the morph weights.
    Clips,
    /// Where the joints stand over time.
    PosedJoints,
    /// Where the vertices are, at rest and over time.
    SkinnedVertices,
}

impl Stage {
    /// Every stage, in order.
    pub const ALL: [Self; 8] = [
        Self::Reading,
        Self::Joints,
        Self::RestPose,
        Self::InverseBinds,
        Self::Weights,
        Self::Clips,
        Self::PosedJoints,
        Self::SkinnedVertices,
    ];

    /// For people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Reading => "reading",
            Self::Joints => "joints and parents",
            Self::RestPose => "rest pose",
            Self::InverseBinds => "inverse binds",
            Self::Weights => "weights",
            Self::Clips => "clips",
            Self::PosedJoints => "posed joints",
            Self::SkinnedVertices => "skinned vertices",
        }
    }
}

/// The comparison of one stage.
#[derive(Debug, Clone, PartialEq)]
pub struct StageReport {
    /// Which one.
    pub stage: Stage,
    /// How many joints, matrices, vertices, … were compared; `None` where an earlier stage left nothing to compare.
    pub compared: Option<usize>,
    /// The largest deviation, as a part of the diagonal, also where it is within the tolerance; infinite where one of
    /// the two is not finite. Stages without lengths have 0.
    pub farthest: f64,
    /// One a kind, in the order of [`Kind`]; none where the importers agree.
    pub differences: Vec<Difference>,
}

impl StageReport {
    /// Whether nothing differs.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.differences.is_empty()
    }
}

/// How many differences of one kind there are, and the worst of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Which kind.
    pub kind: Kind,
    /// How many joints, vertices, … have it.
    pub count: usize,
    /// Where the worst one is.
    pub place: Place,
    /// What each importer has there, in a few words; empty where the place says it all.
    pub says: [String; 2],
    /// How far apart they are there; `None` where that is no matter of degree.
    pub off: Option<Off>,
}

/// What it is that differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Kind {
    /// Only one importer can read the file.
    Refused,
    /// Only one has the joint.
    JointMissing,
    /// The same joint has two names.
    JointName,
    /// It hangs on two different joints.
    JointParent,
    /// It is in two places.
    JointPlace,
    /// It is turned, scaled or sheared in two ways.
    JointAxes,
    /// Two morph weights at rest.
    RestMorphWeights,
    /// Two inverse bind matrices.
    InverseBind,
    /// Only one has a vertex at that place in the mesh.
    VertexMissing,
    /// Different joints pull at it, or with different weights.
    Influences,
    /// It has other morph targets, or they move it elsewhere.
    MorphOffsets,
    /// Only one has the clip.
    ClipMissing,
    /// The clip in the same place is called otherwise.
    ClipName,
    /// The clip starts or ends at two times.
    ClipRange,
    /// Only one drives that part of the joint.
    TrackMissing,
    /// Keys are connected in two ways, and so the values between them differ.
    Interpolation,
    /// Keys are at other times, and so the values differ.
    KeyTimes,
    /// Keys hold other values.
    KeyValues,
    /// A vertex is where the other importer has none.
    VertexPlace,
}

impl Kind {
    /// For machines, and for people who know what it is about.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::JointMissing => "joint-missing",
            Self::JointName => "joint-name",
            Self::JointParent => "joint-parent",
            Self::JointPlace => "joint-place",
            Self::JointAxes => "joint-axes",
            Self::RestMorphWeights => "rest-morph-weights",
            Self::InverseBind => "inverse-bind",
            Self::VertexMissing => "vertex-missing",
            Self::Influences => "influences",
            Self::MorphOffsets => "morph-offsets",
            Self::ClipMissing => "clip-missing",
            Self::ClipName => "clip-name",
            Self::TrackMissing => "track-missing",
            Self::Interpolation => "interpolation",
            Self::KeyTimes => "key-times",
            Self::KeyValues => "key-values",
            Self::ClipRange => "clip-range",
            Self::VertexPlace => "vertex-place",
        }
    }
}

/// Where something differs. What does not apply is `None`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Place {
    /// Names from the root down, joined by slashes.
    pub joint: Option<String>,
    /// The joint that shows the mesh, in the same way.
    pub mesh: Option<String>,
    /// A vertex, by its place in the mesh at bind time.
    pub vertex: Option<[f64; 3]>,
    /// A clip, by its name.
    pub clip: Option<String>,
    /// Absolute in the clip.
    pub time: Option<Seconds>,
    /// Such as `rotation`.
    pub part: Option<&'static str>,
}

/// A distance between what two importers say.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Off {
    /// Between two points.
    Length {
        /// In the report's unit of length.
        absolute: f64,
        /// As a part of the report's diagonal.
        relative: f64,
    },
    /// A difference without a unit: of weights, or of axes relative to the longest one.
    Part(f64),
    /// Between two moments.
    Time(Seconds),
}
