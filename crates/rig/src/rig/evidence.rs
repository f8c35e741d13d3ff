//! Defects of a file that an [`Asset`](super::Asset) cannot represent: an importer found and repaired them.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Location, NodeId};

/// The kinds of defect an importer looked for in a file, and the defects it found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// The kinds that were looked for in the whole file, sorted. The file may contain other defects.
    pub examined: Vec<DefectKind>,
    /// The defects, in the file's order.
    pub defects: Vec<Defect>,
    /// What the importer has lost or put elsewhere, so that the asset does not show what the file says.
    pub misread: Vec<Misread>,
    /// Joints whose axes are others in the file of the clips, although their bones point the same way there; with the angles
    /// between the axes in degrees, the largest first.
    pub other_axes: Vec<(NodeId, f64)>,
}

/// Data of a file that an importer gets wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Misread {
    /// Which joints move which vertices.
    Weights,
    /// Clips.
    Motion,
}

/// A defect of a file, repaired in the asset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Defect {
    /// The kind of object.
    pub kind: DefectKind,
    /// The location of the worst or of the first.
    pub location: Location,
    /// How many there are (weights, keys, channels, …) in that mesh, joint or clip; at least 1.
    pub count: usize,
    /// The deviation of the worst, by the measure of its kind; 0 for a kind without one.
    pub badness: f64,
    /// One fragment without a full stop, such as `the triangle names vertex 17, but there are 12`.
    pub message: String,
}

/// Defects repaired in the asset. Defects of weights remain in the asset if the importer keeps the file's weights,
/// which [`Evidence::examined`] states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum DefectKind {
    /// A weight that is NaN or infinite; seen in the asset.
    NonfiniteWeight,
    /// A weight below 0; seen in the asset.
    NegativeWeight,
    /// Weights of a vertex whose sum is not 1; seen in the asset.
    WeightsNotNormalized,
    /// A vertex with a duplicate joint; seen in the asset.
    DuplicateInfluence,
    /// An influence refers to a missing joint of the skin.
    JointIndexOutOfRange,
    /// A bone weights a missing vertex of the mesh.
    VertexIndexOutOfRange,
    /// `JOINTS_n` without `WEIGHTS_n`, or with different counts; or both without the set before.
    WeightSetMismatch,
    /// An inverse bind matrix whose last row is not 0 0 0 1; by its largest difference from that.
    NonaffineInverseBind,
    /// Fewer or more inverse bind matrices than joints.
    InverseBindCount,
    /// The node that a skin states as its skeleton is not above all of its joints.
    SkeletonNotAncestor,
    /// A skin on a mesh without weights, or weights on a mesh without a skin.
    SkinWithoutWeights,
    /// A bone refers to no node of the scene.
    JointWithoutNode,
    /// A mesh of the scene is bound to joints outside it.
    JointOutsideScene,
    /// A node is its own ancestor, or has two parents.
    HierarchyCycle,
    /// A node's rotation is not a unit quaternion.
    NonunitRotation,
    /// An inherit mode other than plain concatenation.
    SegmentScaleCompensate,
    /// A channel or a clip without any key.
    EmptyChannel,
    /// Key times that do not increase.
    UnorderedKeys,
    /// Two keys at the same time with different values.
    ConflictingKeys,
    /// A key before 0.
    NegativeTime,
    /// A key after the end that the file states for its clip.
    KeyPastEnd,
    /// NaN or infinity in a key.
    NonfiniteKey,
    /// A rotation key that is not a unit quaternion.
    NonunitKey,
    /// A rotation key of length about 0.
    ZeroQuaternion,
    /// Steps or curves that were read as linear.
    InterpolationLost,
    /// Two channels of a clip that drive the same property of a node.
    DuplicateChannel,
    /// A channel without a node, a property that can be animated, or matching keys.
    TargetMissing,
    /// A glTF channel without a node, which is legal and has no effect.
    AimlessChannel,
    /// An animated node with a matrix.
    ChannelOnMatrixNode,
    /// More or fewer morph weights than targets.
    MorphWeightCount,
    /// Primitives of one mesh with different numbers of morph targets.
    UnequalTargets,
    /// An expression that binds a missing node, mesh or morph target, or has a weight outside of 0 to 1.
    BrokenExpression,
    /// A face with a vertex that does not exist.
    FaceIndexOutOfRange,
    /// A tangent whose handedness is neither 1 nor -1.
    TangentSign,
    /// Stated bounds that do not match the data, or are missing where they are required.
    StatedBounds,
    /// Data stored in a way that the standard forbids, although they can be read.
    ForbiddenStorage,
    /// A normal that is not a unit vector.
    NonunitNormal,
}

impl DefectKind {
    /// Every kind, sorted.
    #[doc(hidden)]
    pub const ALL: [Self; 37] = [
        Self::NonfiniteWeight,
        Self::NegativeWeight,
        Self::WeightsNotNormalized,
        Self::DuplicateInfluence,
        Self::JointIndexOutOfRange,
        Self::VertexIndexOutOfRange,
        Self::WeightSetMismatch,
        Self::NonaffineInverseBind,
        Self::InverseBindCount,
        Self::SkeletonNotAncestor,
        Self::SkinWithoutWeights,
        Self::JointWithoutNode,
        Self::JointOutsideScene,
        Self::HierarchyCycle,
        Self::NonunitRotation,
        Self::SegmentScaleCompensate,
        Self::EmptyChannel,
        Self::UnorderedKeys,
        Self::ConflictingKeys,
        Self::NegativeTime,
        Self::KeyPastEnd,
        Self::NonfiniteKey,
        Self::NonunitKey,
        Self::ZeroQuaternion,
        Self::InterpolationLost,
        Self::DuplicateChannel,
        Self::TargetMissing,
        Self::AimlessChannel,
        Self::ChannelOnMatrixNode,
        Self::MorphWeightCount,
        Self::UnequalTargets,
        Self::BrokenExpression,
        Self::FaceIndexOutOfRange,
        Self::TangentSign,
        Self::StatedBounds,
        Self::ForbiddenStorage,
        Self::NonunitNormal,
    ];
}

impl Evidence {
    /// Whether defects of `kind` were looked for.
    #[must_use]
    pub fn examines(&self, kind: DefectKind) -> bool {
        self.examined.contains(&kind)
    }

    /// The defects of `kind`, in the file's order.
    pub fn of(&self, kind: DefectKind) -> impl Iterator<Item = &Defect> {
        self.defects
            .iter()
            .filter(move |defect| defect.kind == kind)
    }
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.location, self.message)
    }
}

/// How a file stores weights, which limits the accuracy of their sum.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum WeightStorage {
    /// As text, or in a precision that the importer does not report.
    #[default]
    Unstated,
    /// f32.
    Float,
    /// Parts of 255.
    Unorm8,
    /// Parts of 65535.
    Unorm16,
    /// Relative to their sum: the format requires readers to divide by it, or the file requires no sum.
    Relative,
}
