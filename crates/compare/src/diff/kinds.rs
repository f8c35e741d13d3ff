//! What a comparison may find, by stage.

use serde::Deserialize;

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

/// Makes the enum of the kinds from the stage, the meaning and the name in lower case with hyphens of each.
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

            /// The meaning, in one line.
            #[must_use]
            pub fn about(self) -> &'static str {
                match self {
                    $(Self::$kind => concat!($($doc),+).trim_ascii(),)+
                }
            }

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

kinds! {
    /// A model of the folder before has no counterpart in AFTER, or only the first importer can read it.
    Files ModelMissing = "model-missing",
    /// A model of the folder after has no counterpart in BEFORE, or only the second importer can read it.
    Files ModelAdded = "model-added",
    /// The whole model is scaled, rotated, mirrored or moved, and the stated units and axes do not explain it.
    Units Similarity = "similarity",
    /// A surface has no counterpart in AFTER.
    Meshes MeshMissing = "mesh-missing",
    /// A surface has no counterpart in BEFORE.
    Meshes MeshAdded = "mesh-added",
    /// Vertices differ before any joint moves them, or a surface is moved as a whole relative to its joints.
    Meshes MeshShape = "mesh-shape",
    /// A surface is hidden at other times.
    Meshes Visibility = "visibility",
    /// Triangles are missing, added, duplicated or inside out.
    Meshes Triangles = "triangles",
    /// Joints bind the mesh in a different pose.
    Bind BindPose = "bind-pose",
    /// A joint, or a node that moves no vertex, has a different rest pose.
    Bind RestPose = "rest-pose",
    /// Vertices have other joints or weights: cut to the largest, rounded, exchanged or different.
    Weights Weights = "weights",
    /// Vertices are skinned with another method.
    Weights SkinningMethod = "skinning-method",
    /// A morph target is missing, has different offsets or normals, or no longer changes normals.
    Morphs MorphShape = "morph-shape",
    /// Morph weights are animated differently.
    Morphs MorphWeights = "morph-weights",
    /// Morph targets have other names.
    Morphs MorphRenamed = "morph-renamed",
    /// An expression sets other morph targets or values of materials, acts differently on other expressions, or is missing.
    Morphs Expressions = "expressions",
    /// A clip has no counterpart in AFTER.
    Clips ClipMissing = "clip-missing",
    /// A clip has no counterpart in BEFORE.
    Clips ClipAdded = "clip-added",
    /// A clip has another name.
    Clips ClipRenamed = "clip-renamed",
    /// Clips have each other's names, or one has the motion of another.
    Clips ClipsSwapped = "clips-swapped",
    /// A clip runs earlier, later, faster or slower.
    Timing Timing = "timing",
    /// A clip starts or ends at a different time.
    Timing ClipRange = "clip-range",
    /// A component of a joint's motion is missing, or its keys at the start or the end of a clip.
    Keys KeysMissing = "keys-missing",
    /// The model no longer travels, or travels along a different path.
    Keys RootMotion = "root-motion",
    /// A joint moves differently: by a constant offset, at other times, with scaled translations, or otherwise.
    Keys Keys = "keys",
    /// Keys are right, but too far apart.
    Interpolation Resampled = "resampled",
    /// Keys are right, and values between them differ: stepped, along the long arc of a rotation, or otherwise.
    Interpolation Interpolation = "interpolation",
    /// Normals are missing after, or point in other directions although positions agree.
    Normals Normals = "normals",
    /// Tangents have the other handedness, or point in other directions.
    Normals Tangents = "tangents",
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
    /// A joint has another name, or two joints have each other's.
    Hierarchy JointRenamed = "joint-renamed",
    /// A joint has another parent.
    Hierarchy JointReparented = "joint-reparented",
}

impl Kind {
    /// The kind with a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }
}
