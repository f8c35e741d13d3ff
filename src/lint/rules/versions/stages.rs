//! One rule for each part of a rig that may differ from the original.

use super::{report, unset};
use crate::diff::Stage;
use crate::lint::{Context, Findings, Rule, declare_rule};

/// Declares a rule about the differences of some stages, as [`declare_rule`] does.
macro_rules! declare_version_rule {
    (
        $(#[doc = $doc:expr])+
        $name:ident, $code:literal, $slug:literal, $stages:expr
    ) => {
        declare_rule! {
            $(#[doc = $doc])+
            $name, $code, $slug, Error, requires: "compare.original" = "[compare]\noriginal = \"source/{stem}.glb\""
        }

        impl Rule for $name {
            fn uncheckable(&self, cx: &Context<'_>) -> Option<String> {
                unset(cx, &Self::META)
            }

            fn check(&self, cx: &Context<'_>, out: &mut Findings) {
                report(cx, $stages, out);
            }
        }
    };
}

declare_version_rule! {
    /// ## What it does
    /// Checks that the surface has the shape, size, triangles and morph targets of the original, and deforms like it where no
    /// other rule of this family names a cause.
    ///
    /// The original is the model that the file was made from: named by `--original`, or by `original` in `[compare]` of
    /// skincheck.toml, where `{stem}` stands for the file's name without its extension. The rules of this family report what
    /// `skincheck diff ORIGINAL FILE` calls differences, with the tolerance and the other settings of `[diff]`.
    ///
    /// ## Why is this bad?
    /// A conversion or a compression should change a model by no more than its precision. What exceeds that is a setting with too
    /// few bits, a spike, or a part that was lost.
    ///
    /// ## How to fix
    /// - Give the positions more bits, and keep all triangles and morph targets.
    /// - More bits: `gltfpack -vp 16`, `gltf-transform meshopt --quantize-position 16`,
    ///   `gltf-transform draco --quantize-position 14`.
    /// - If triangles or morph targets are missing: turn off simplification (`gltfpack` without `-si`) and pruning.
    /// - If the difference is intended: raise `tolerance` in `[diff]`, or `ignore` its kind there.
    ///
    /// ## References
    /// - `skincheck diff --help`.
    SurfaceChanged, "V901", "surface-changed", &[Stage::Files, Stage::Units, Stage::Meshes, Stage::Morphs, Stage::Surface]
}

declare_version_rule! {
    /// ## What it does
    /// Checks that vertices have the joints, the weights and the bind pose of the original.
    ///
    /// `V901` describes how the original is named and compared.
    ///
    /// ## Why is this bad?
    /// The model looks right at rest, and bends differently in every clip.
    ///
    /// ## How to fix
    /// - Keep as many influences per vertex as the original has, with at least 8 bits for each weight.
    /// - If joints are exchanged: the exporter renumbered the joints of a skin, but not the indices of its vertices.
    ///
    /// ## References
    /// - `skincheck diff --help`.
    BindingChanged, "V902", "binding-changed", &[Stage::Bind, Stage::Weights]
}

declare_version_rule! {
    /// ## What it does
    /// Checks that the clips of the original are there, with its times, keys and interpolation.
    ///
    /// `V901` describes how the original is named and compared.
    ///
    /// ## Why is this bad?
    /// Keys that a compressor drops or rounds let feet slide and hands miss what they hold.
    ///
    /// ## How to fix
    /// - Keep the keys of the original, or resample at its rate, with more bits.
    /// - Rate: `gltfpack -af 60`, or `-af 0` for all keys; `gltf-transform optimize --resample false`.
    /// - Bits: `gltfpack -at 16 -ar 16 -as 16`.
    ///
    /// ## References
    /// - `skincheck diff --help`.
    MotionChanged, "V903", "motion-changed", &[Stage::Clips, Stage::Timing, Stage::Keys, Stage::Interpolation]
}

declare_version_rule! {
    /// ## What it does
    /// Checks that the joints of the original are there, under their names and parents.
    ///
    /// `V901` describes how the original is named and compared.
    ///
    /// ## Why is this bad?
    /// Code that attaches weapons, ragdolls or clips of other files to joints looks them up by name.
    ///
    /// ## How to fix
    /// - Keep the nodes and their names.
    /// - `gltfpack -kn`, `gltf-transform optimize --prune false --join false`.
    ///
    /// ## References
    /// - `skincheck diff --help`.
    JointsChanged, "V904", "joints-changed", &[Stage::Hierarchy]
}

declare_version_rule! {
    /// ## What it does
    /// Checks that normals point where those of the original do. Materials and texture coordinates count if `count` in `[diff]`
    /// lists `materials` or `texture-coordinates`.
    ///
    /// `V901` describes how the original is named and compared.
    ///
    /// ## Why is this bad?
    /// Light moves over the surface in steps, and seams show.
    ///
    /// ## How to fix
    /// - Give the normals more bits.
    /// - `gltfpack -vn 12`, `gltf-transform meshopt --quantize-normal 12`.
    ///
    /// ## References
    /// - `skincheck diff --help`.
    ShadingChanged, "V905", "shading-changed", &[Stage::Normals, Stage::Materials]
}
