//! The differences between two importers.

use crate::units::{Seconds, Space};

/// The comparison of two importers on one file.
#[derive(Debug, Clone, PartialEq)]
pub struct ImporterReport {
    /// As in [`Asset::importer`](crate::rig::Asset::importer); the name of an importer that refused the file.
    pub importers: [String; 2],
    /// The spaces that the importers state; `None` for one that refused the file.
    pub spaces: [Option<Space>; 2],
    /// The unit of all lengths, in metres; `None` where neither importer knows.
    pub metres_per_unit: Option<f64>,
    /// The diagonal of the box around the rest pose, in that unit.
    pub diagonal: f64,
    /// All of [`Stage::ALL`], in that order.
    pub stages: Vec<StageReport>,
}

impl ImporterReport {
    /// The first stage that differs; its cause is not in an earlier one.
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
    /// Joints and their hierarchy.
    Joints,
    /// The joints' rest transforms, and the rest morph weights.
    RestPose,
    /// The inverse bind matrices of joints that influence vertices.
    InverseBinds,
    /// The vertices at bind time, their influences and their morph offsets.
    Weights,
    /// The clips' names and ranges, and how each drives the joints' own transforms and the morph weights.
    Clips,
    /// World transforms of the joints over time.
    PosedJoints,
    /// Positions of the vertices, at rest and over time.
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

    /// The name in text output.
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
    /// The stage.
    pub stage: Stage,
    /// How many joints, matrices, vertices, … were compared; `None` if an earlier stage left nothing to compare.
    pub compared: Option<usize>,
    /// The largest deviation as a fraction of the diagonal, also within the tolerance; infinite if one of the two is
    /// not finite. 0 for stages without lengths.
    pub farthest: f64,
    /// One per kind, in the order of [`Kind`]; none where the importers agree.
    pub differences: Vec<Difference>,
}

impl StageReport {
    /// Whether nothing differs.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.differences.is_empty()
    }
}

/// The number of differences of one kind, and the worst.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The kind.
    pub kind: Kind,
    /// The number of joints, vertices, … that have it.
    pub count: usize,
    /// The location of the worst one.
    pub location: Location,
    /// Each importer's value there, in a few words; empty if the location is enough.
    pub says: [String; 2],
    /// The size of the worst difference; `None` without a measure.
    pub off: Option<Off>,
}

/// The kind of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Kind {
    /// Only one importer can read the file.
    Refused,
    /// Only one has the joint.
    JointMissing,
    /// The same joint has two names.
    JointName,
    /// It has two different parents.
    JointParent,
    /// It has two positions.
    JointPosition,
    /// Its rotation, scale or shear differs.
    JointAxes,
    /// Morph weights differ at rest.
    RestMorphWeights,
    /// Inverse bind matrices differ.
    InverseBind,
    /// Only one has a vertex at that position in the mesh.
    VertexMissing,
    /// Its joints or weights differ.
    Influences,
    /// It has other morph targets, or they move it elsewhere.
    MorphOffsets,
    /// Only one has the clip.
    ClipMissing,
    /// The clip at the same position has another name.
    ClipName,
    /// The clip's start or end differs.
    ClipRange,
    /// Only one drives that part of the joint.
    TrackMissing,
    /// The interpolation differs, and so do values between keys.
    Interpolation,
    /// Key times differ, and so do the values.
    KeyTimes,
    /// Key values differ.
    KeyValues,
    /// A vertex has no counterpart at its position.
    VertexPosition,
}

impl Kind {
    /// The name in machine-readable output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::JointMissing => "joint-missing",
            Self::JointName => "joint-name",
            Self::JointParent => "joint-parent",
            Self::JointPosition => "joint-place",
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
            Self::VertexPosition => "vertex-place",
        }
    }
}

/// The location of a difference. Fields that do not apply are `None`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Location {
    /// Names from the root down, joined by slashes.
    pub joint: Option<String>,
    /// The joint that shows the mesh, in the same way.
    pub mesh: Option<String>,
    /// A vertex, by its bind-pose position in the mesh.
    pub vertex: Option<[f64; 3]>,
    /// A clip, by its name.
    pub clip: Option<String>,
    /// Absolute in the clip.
    pub time: Option<Seconds>,
    /// Such as `rotation`.
    pub part: Option<&'static str>,
}

/// A distance between the values of two importers.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Off {
    /// Between two points.
    Length {
        /// In the report's unit of length.
        absolute: f64,
        /// As a fraction of the report's diagonal.
        relative: f64,
    },
    /// A difference without a unit: of weights, or of axes relative to the longest one.
    Part(f64),
    /// Between two times.
    Time(Seconds),
}
