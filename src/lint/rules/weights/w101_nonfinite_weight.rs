//! `W101`: nonfinite-weight.

use super::coverage::report_single;
use crate::lint::{Context, Findings, Offence, Rule, declare_rule};
use crate::rig::DefectKind;

declare_rule! {
    /// ## What it does
    /// Checks that every weight is finite: neither NaN nor infinite.
    ///
    /// ## Why is this bad?
    /// One NaN makes the whole blend NaN. The vertex has no position, and every triangle that uses it breaks: one
    /// graphics card leaves a hole, another flashes triangles across the image. The mesh's bounds may become NaN too,
    /// and the mesh vanishes.
    ///
    /// ## How to fix
    /// - Replace the weight with a finite number, and normalize the vertex again.
    /// - The usual cause is normalizing a vertex without weights, which divides 0 by 0. Assign the vertex to a joint
    ///   first (Blender: *Assign* to the bone's vertex group in Edit Mode; Maya: *Skin → Paint Skin Weights*).
    /// - Exporters: never divide by a sum of 0. Give such a vertex to the nearest joint, or to the root.
    ///
    /// ## References
    /// - glTF 2.0 §3.6.2.2 (floating-point data holds no NaN and no infinity); glTF-Validator `ACCESSOR_INVALID_FLOAT`.
    NonfiniteWeight, "W101", "nonfinite-weight", Error, attribute: "WEIGHTS_0"
}

impl Rule for NonfiniteWeight {
    fn needs(&self) -> &'static [DefectKind] {
        &[DefectKind::NonfiniteWeight]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        report_single(
            cx,
            out,
            |group, weight| (!weight.is_finite()).then(|| Offence::of(group, "weight")),
            |weight| format!("a weight is {weight}"),
        );
    }
}
