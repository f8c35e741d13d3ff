//! The classic mistakes of this field, by name.

use Stage::{Drawing, Hierarchy, Import, Palette, Sampling, Skinning};

/// The stage of the data flow that a fault belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    Import,
    Sampling,
    Hierarchy,
    Palette,
    Skinning,
    Drawing,
}

macro_rules! faults {
    ($($(#[doc = $doc:literal])+ $stage:ident $name:ident,)+) => {
        /// One step with a mistake.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Fault {
            $($(#[doc = $doc])+ $name,)+
        }

        impl Fault {
            /// Every fault, in the order of the data flow.
            pub(super) const ALL: &[Self] = &[$(Self::$name,)+];

            /// The stage that it belongs to.
            pub(super) fn stage(self) -> Stage {
                match self {
                    $(Self::$name => $stage,)+
                }
            }

            /// The mistake, in one line.
            pub(super) fn description(self) -> &'static str {
                match self {
                    $(Self::$name => concat!($($doc),+).trim_start(),)+
                }
            }
        }
    };
}

faults! {
    /// times in ticks are read as seconds
    Import TicksAsSeconds,
    /// a tick rate of 0 is divided by, so that no time passes
    Import RateZero,
    /// quaternions stored x y z w are read w first
    Import QuaternionWFirst,
    /// inverse bind matrices are read by rows where the file has columns
    Import TransposedInverseBind,
    /// the node's matrix is read by rows where the file has columns
    Import TransposedNodes,
    /// only the first four influences are read, and their sum is not restored to 1
    Import FifthInfluenceDropped,
    /// morph targets are read as positions, not as offsets
    Import MorphsAsPositions,
    /// the last channel of each clip is lost
    Import LastChannelLost,
    /// units are applied to the vertices and not to the skeleton
    Import UnitsOfMeshOnly,
    /// every clip is read with the channels of the first
    Import OneClipForAll,

    /// rotations follow the longer arc where keys have opposite signs
    Sampling NoShortestPath,
    /// rotations are blended by components and not normalized
    Sampling NotNormalized,
    /// a joint without a translation track moves to its parent's origin
    Sampling TranslationIdentity,
    /// a joint without a rotation track takes the axes of its parent
    Sampling RotationIdentity,
    /// a joint without a scale track has scale 1
    Sampling ScaleIdentity,
    /// a looping clip shows its start at its end
    Sampling EndIsStart,
    /// the first span is extended to times before the first key
    Sampling BeforeFirstKey,
    /// after the end of its track, a joint is at rest
    Sampling AfterLastKey,
    /// step keys are interpolated
    Sampling StepAsLinear,
    /// cubic keys are joined by straight lines
    Sampling CubicAsLinear,
    /// tangents are not multiplied with the length of their span
    Sampling TangentsUnscaled,
    /// frames are found by index, as if keys were evenly spaced
    Sampling KeyByIndex,
    /// the nearest key is used
    Sampling NoInterpolation,

    /// child times parent instead of parent times child
    Hierarchy ChildTimesParent,
    /// scale is applied after rotation
    Hierarchy ScaleAfterRotation,
    /// translation is rotated by the joint's own rotation
    Hierarchy TranslationFirst,
    /// the root's transform is left out
    Hierarchy RootDropped,
    /// the root's transform is applied twice
    Hierarchy RootTwice,
    /// the global inverse of the root is multiplied from the left, although vertices are to be in world space
    Hierarchy RootInverse,
    /// nodes that no skin binds are left out of the chain
    Hierarchy UnboundSkipped,

    /// the factors of the palette's product are swapped
    Palette SwappedProduct,
    /// the bind matrix is used without being inverted
    Palette NotInverted,
    /// the inverse bind matrix is left out
    Palette NoInverseBind,
    /// joints past the hundredth do not move their vertices
    Palette ClippedAt100,
    /// all meshes use the first skin's palette
    Palette FirstSkinForAll,

    /// slots are used as joint ids
    Skinning SlotAsJoint,
    /// the weight at the joint's index is used, not the one at the influence's index
    Skinning WeightsByJoint,
    /// ids arrive as floats whose bits are read as integers
    Skinning IdsThroughFloat,
    /// weights are used without normalization
    Skinning NotRenormalized,
    /// the four largest weights are used without scaling them up for the others
    Skinning CutNotRenormalized,
    /// a vertex without weight moves to the origin
    Skinning WeightlessAtOrigin,
    /// a vertex without weight follows the first joint
    Skinning WeightlessByFirst,
    /// the node of a skinned mesh moves it once more
    Skinning NodeOnTop,
    /// a mesh without skin stays where it was modelled
    Skinning StaticAtOrigin,
    /// morph targets are added after skinning
    Skinning MorphAfterSkinning,
    /// morph weights are not animated
    Skinning MorphsAtRest,
    /// normals are transformed by the 3x3 part itself
    Skinning NormalsByMatrix,
    /// normals are translated like positions
    Skinning NormalsTranslated,
    /// normals are not transformed
    Skinning NormalsUnskinned,
    /// mirrored normals point inwards
    Skinning MirroredNormals,
    /// tangents are not transformed
    Skinning TangentsUnskinned,
    /// normals are not normalized
    Skinning NormalsUnscaled,

    /// v of texture coordinates is flipped
    Drawing FlippedV,
    /// front faces are clockwise
    Drawing FlippedWinding,
    /// the second mesh's triangles index into the first mesh's vertices
    Drawing BaseVertexForgotten,
    /// the image is upside down
    Drawing UpsideDown,
    /// the image is mirrored
    Drawing LeftIsRight,
    /// the farther surface hides the nearer
    Drawing DepthReversed,
    /// pixels are sampled at their corners
    Drawing HalfPixelOff,
    /// light is written without the sRGB curve
    Drawing LinearWritten,
    /// the texture is wrapped one texel off
    Drawing TexelOff,
    /// alpha masks are ignored
    Drawing MaskIgnored,
    /// blended surfaces are drawn opaque
    Drawing BlendIgnored,
    /// back faces of one-sided materials are drawn
    Drawing BackFacesDrawn,
    /// the last triangle is missing
    Drawing LastTriangleMissing,
}
