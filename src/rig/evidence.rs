//! What a file itself says where an [`Asset`](super::Asset) cannot hold it: defects that an importer met, and mended.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Place;

/// The defects that an importer looked for in a file, and those that it found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// What was looked for in the whole file, sorted. What is not here may be in the file, and nobody knows.
    pub examined: Vec<DefectKind>,
    /// What was found, in the file's order.
    pub defects: Vec<Defect>,
}

/// Something wrong with a file, mended in the asset that was made of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Defect {
    /// What kind of thing.
    pub kind: DefectKind,
    /// Where; of several, the worst or the first.
    pub place: Place,
    /// How many there are (weights, keys, channels, …) in that mesh, joint or clip; at least 1.
    pub count: usize,
    /// One fragment without a full stop, such as `the triangle names vertex 17, and there are 12`.
    pub message: String,
}

/// Defects that cannot be seen in an asset any more; and of weights, those that can be seen only if the importer hands
/// the file's weights on, which is what [`Evidence::examined`] says of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum DefectKind {
    /// A weight that is NaN or infinite; seen in the asset.
    NonfiniteWeight,
    /// A weight below 0; seen in the asset.
    NegativeWeight,
    /// Weights of a vertex whose sum is not 1; seen in the asset.
    WeightsNotNormalized,
    /// A vertex that names a joint twice; seen in the asset.
    DuplicateInfluence,
    /// An influence names a joint that the skin has not.
    JointIndexOutOfRange,
    /// A bone weights a vertex that the mesh has not.
    VertexIndexOutOfRange,
    /// `JOINTS_n` without `WEIGHTS_n`, or of other counts; or both without those of the number before.
    WeightSetMismatch,
    /// An inverse bind matrix whose last row is not 0 0 0 1.
    NonaffineInverseBind,
    /// Fewer or more inverse bind matrices than joints.
    InverseBindCount,
    /// A skin on a mesh without weights, or weights on a mesh without a skin.
    SkinWithoutWeights,
    /// A bone names no node of the scene.
    JointWithoutNode,
    /// A node is its own ancestor, or has two parents.
    HierarchyCycle,
    /// A node's quaternion is not a unit one.
    NonunitRotation,
    /// An inherit mode other than plain concatenation.
    SegmentScaleCompensate,
    /// A channel or a clip without any key.
    EmptyChannel,
    /// Key times that do not increase.
    UnorderedKeys,
    /// Two keys at one time with different values.
    ConflictingKeys,
    /// A key before 0.
    NegativeTime,
    /// A key after the end that the file states for its clip.
    KeyPastEnd,
    /// NaN or infinity in a key.
    NonfiniteKey,
    /// A rotation key that is no unit quaternion.
    NonunitKey,
    /// A rotation key of length about 0.
    ZeroQuaternion,
    /// Steps or curves that were read as straight lines.
    InterpolationLost,
    /// Two channels of a clip that drive the same property of a node.
    DuplicateChannel,
    /// A channel that names no node, or nothing of it that could move, or no keys that fit.
    TargetMissing,
    /// An animated node that is given by a matrix.
    ChannelOnMatrixNode,
    /// A face that names no vertex.
    FaceIndexOutOfRange,
    /// A normal that is no unit vector.
    NonunitNormal,
}

impl DefectKind {
    /// Every kind, sorted.
    pub(crate) const ALL: [Self; 28] = [
        Self::NonfiniteWeight,
        Self::NegativeWeight,
        Self::WeightsNotNormalized,
        Self::DuplicateInfluence,
        Self::JointIndexOutOfRange,
        Self::VertexIndexOutOfRange,
        Self::WeightSetMismatch,
        Self::NonaffineInverseBind,
        Self::InverseBindCount,
        Self::SkinWithoutWeights,
        Self::JointWithoutNode,
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
        Self::ChannelOnMatrixNode,
        Self::FaceIndexOutOfRange,
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
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// How a file stores weights, and so how nearly they can sum to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum WeightStorage {
    /// As text or in a precision that the importer does not tell.
    #[default]
    Unstated,
    /// f32.
    Float,
    /// Parts of 255.
    Unorm8,
    /// Parts of 65535.
    Unorm16,
    /// Parts of their sum, whatever it is: the format has its readers divide by it, or the file asks for no sum.
    Relative,
}
