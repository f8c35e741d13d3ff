//! The losses of an importer, measured on a model that another one has read.

use std::fmt;

/// Parts of a model that an importer would lose, or read differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loss {
    /// The kind of loss.
    pub kind: LossKind,
    /// The number of affected tracks, clips, joints or meshes.
    pub count: usize,
}

/// The loss of a part of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum LossKind {
    /// The file is of a version that it refuses.
    File,
    /// The whole rig is lost; only meshes are read.
    Rig,
    /// Tracks with steps or curves become linear.
    Interpolation,
    /// Clips that do not begin at 0 are moved there.
    ClipStart,
    /// Joints inherit the scale of their parents wrongly.
    InheritedScale,
    /// Weights and positions stored as integers are read as floats.
    Integers,
    /// Morph targets rest at full weight.
    RestMorphWeights,
    /// Meshes that are bound to joints in several ways are bound in one of them.
    Bindings,
    /// Joints with the same name are confused.
    SharedNames,
}

impl LossKind {
    /// For machines.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Rig => "rig",
            Self::Interpolation => "interpolation",
            Self::ClipStart => "clip-start",
            Self::InheritedScale => "inherited-scale",
            Self::Integers => "integers",
            Self::RestMorphWeights => "rest-morph-weights",
            Self::Bindings => "bindings",
            Self::SharedNames => "shared-names",
        }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (one, many, fate) = match self.kind {
            LossKind::File => return f.write_str("the whole file (it refuses this version)"),
            LossKind::Rig => return f.write_str("joints, weights and clips"),
            LossKind::Interpolation => {
                ("track", "tracks", "the steps and curves (read as straight)")
            }
            LossKind::ClipStart => ("clip", "clips", "the start (moved to 0)"),
            LossKind::InheritedScale => ("joint", "joints", "the inherit types"),
            LossKind::Integers => (
                "mesh",
                "meshes",
                "the integers (weights or positions, read as floats)",
            ),
            LossKind::RestMorphWeights => (
                "mesh",
                "meshes",
                "the rest weights (read as 1) of the morph targets",
            ),
            LossKind::Bindings => ("mesh", "meshes", "all bindings but one"),
            LossKind::SharedNames => (
                "joint",
                "joints",
                "the identity (others have the same name)",
            ),
        };
        let things = if self.count == 1 { one } else { many };
        write!(f, "{fate} of {} {things}", self.count)
    }
}
