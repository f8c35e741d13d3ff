//! What a comparison may find, by stage.

use serde::Deserialize;

use crate::finding::{Cause, Code, Finding, Level, Measure, Unit, kinds};
use crate::rig::{ClipId, InstanceId, Location, NodeId};
use crate::units::Seconds;

/// The stage at fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Stage {
    /// The models of two folders.
    Files,
    /// Axes and units.
    Units,
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
    /// Materials, and where their textures are.
    Materials,
    /// No single stage.
    Surface,
    /// Joints and their parents.
    Hierarchy,
}

impl Stage {
    /// In lower case, for people and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::Units => "units",
            Self::Meshes => "meshes",
            Self::Bind => "bind pose",
            Self::Weights => "weights",
            Self::Morphs => "morphs",
            Self::Clips => "clips",
            Self::Timing => "timing",
            Self::Keys => "keys",
            Self::Interpolation => "interpolation",
            Self::Normals => "normals",
            Self::Materials => "materials",
            Self::Surface => "surface",
            Self::Hierarchy => "hierarchy",
        }
    }
}

macro_rules! staged {
    ($($(#[doc = $doc:literal])+ $stage:ident $kind:ident = $name:literal,)+) => {
        kinds! {
            /// The kind of a finding.
            #[derive(Deserialize)]
            Kind:
            $($(#[doc = $doc])+ #[serde(rename = $name)] $kind = $name,)+
        }

        impl Kind {
            /// The stage that it comes from.
            #[must_use]
            pub fn stage(self) -> Stage {
                match self {
                    $(Self::$kind => Stage::$stage,)+
                }
            }
        }
    };
}

staged! {
    /// A model of the folder before has no counterpart in AFTER, or only the first importer can read it.
    Files ModelMissing = "model-missing",
    /// A model of the folder after has no counterpart in BEFORE, or only the second importer can read it.
    Files ModelAdded = "model-added",
    /// The whole model is larger or smaller by a factor that the stated units do not explain.
    Units Scale = "scale",
    /// The whole model is rotated, and the stated axes do not explain it.
    Units Rotation = "rotation",
    /// The whole model is mirrored.
    Units Mirror = "mirror",
    /// The whole model is translated.
    Units Shift = "shift",
    /// A surface has no counterpart in AFTER.
    Meshes MeshMissing = "mesh-missing",
    /// A surface has no counterpart in BEFORE.
    Meshes MeshAdded = "mesh-added",
    /// A surface is moved as a whole relative to its joints.
    Meshes MeshMoved = "mesh-moved",
    /// Vertices differ before any joint moves them.
    Meshes MeshShape = "mesh-shape",
    /// A surface is hidden at other times.
    Meshes Visibility = "visibility",
    /// Triangles are missing.
    Meshes TrianglesMissing = "triangles-missing",
    /// There are more triangles, or some are duplicated.
    Meshes TrianglesAdded = "triangles-added",
    /// Triangles are inside out.
    Meshes Winding = "winding",
    /// Joints bind the mesh in a different pose.
    Bind BindPose = "bind-pose",
    /// A joint has a different rest pose.
    Bind RestPose = "rest-pose",
    /// Only the largest weights of each vertex are left.
    Weights WeightsCut = "weights-cut",
    /// Weights are coarsely quantized.
    Weights WeightsRounded = "weights-rounded",
    /// The weights of two joints are exchanged.
    Weights WeightsSwapped = "weights-swapped",
    /// Vertices have other joints or weights.
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
    /// A clip has no counterpart in AFTER.
    Clips ClipMissing = "clip-missing",
    /// A clip has no counterpart in BEFORE.
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
    /// The model no longer travels, or travels along a different path.
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
    /// A rotation takes the long arc between two keys.
    Interpolation LongWay = "long-way",
    /// Keys are right, and values between them differ.
    Interpolation Interpolation = "interpolation",
    /// Normals are missing after.
    Normals NormalsMissing = "normals-missing",
    /// Normals point in other directions although positions agree.
    Normals Normals = "normals",
    /// Triangles have another material.
    Materials Materials = "materials",
    /// The texture coordinates of a surface differ.
    Materials TextureCoordinates = "texture-coordinates",
    /// The models have almost nothing in common; nothing else is compared.
    Surface Unrelated = "unrelated",
    /// Surfaces differ, and no single stage explains it.
    Surface Unexplained = "unexplained",
    /// A joint has no counterpart in AFTER.
    Hierarchy JointMissing = "joint-missing",
    /// A joint has no counterpart in BEFORE.
    Hierarchy JointAdded = "joint-added",
    /// A joint has another name.
    Hierarchy JointRenamed = "joint-renamed",
    /// A joint has another parent.
    Hierarchy JointReparented = "joint-reparented",
    /// Two joints have each other's name.
    Hierarchy JointsSwapped = "joints-swapped",
}

impl Kind {
    /// The kind with a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// The kind of a finding of a comparison; `None` for others.
    #[must_use]
    pub fn of(finding: &Finding) -> Option<Self> {
        Self::named(finding.code.0)
    }

    /// A difference of this kind.
    ///
    /// * `message` – a sentence without a full stop, which names its subject.
    pub(crate) fn finding(self, message: impl Into<String>) -> Finding {
        Finding::new(Code(self.name()), Level::Error, Location::FILE, message)
    }
}

/// The index of a mesh, joint or clip of the model before. The ids of a difference are its ids; what only the model after
/// has is stated by name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Before(pub(super) usize);

/// The subject and the measure of a difference.
impl Finding {
    pub(super) fn remark(mut self) -> Self {
        self.level = Level::Info;
        self
    }

    pub(super) fn remark_if(self, is_remark: bool) -> Self {
        if is_remark { self.remark() } else { self }
    }

    pub(super) fn joint(mut self, name: &str, id: Option<Before>) -> Self {
        self.location.joint = Some(name.to_owned());
        self.location.ids.node = id.map(|Before(joint)| NodeId::from_index(joint));
        self
    }

    pub(super) fn mesh(mut self, name: &str, id: Option<Before>) -> Self {
        self.location.mesh = Some(name.to_owned());
        self.location.ids.instance = id.map(|Before(surface)| InstanceId::from_index(surface));
        self
    }

    pub(crate) fn clip(mut self, name: &str, id: Option<Before>) -> Self {
        self.location.clip = Some(name.to_owned());
        self.location.ids.clip = id.map(|Before(clip)| ClipId::from_index(clip));
        self
    }

    pub(super) fn at(mut self, time: f64) -> Self {
        self.location.time = Some(Seconds(time));
        self
    }

    /// * `displacement` – the largest that results.
    pub(super) fn by(mut self, displacement: f64) -> Self {
        self.measure = Some(Measure {
            unit: Unit::Length,
            value: displacement,
            limit: None,
        });
        self
    }

    pub(super) fn caused(mut self, cause: String) -> Self {
        self.cause = Some(Cause::Words(cause));
        self
    }
}
