//! `W104`: unweighted-vertex.

use crate::lint::rules::weights::coverage;
use crate::lint::{Context, Findings, Offence, Rule, declare_rule};

declare_rule! {
    /// ## What it does
    /// Checks that every vertex of a skinned mesh has a nonzero weight.
    ///
    /// Vertices outside all triangles do not count. `W105` reports connected pieces that are unweighted as a whole.
    ///
    /// ## Why is this bad?
    /// Depending on the engine, the vertex stays where it was modelled or collapses to the origin. Either way it pulls
    /// the surface into a long spike as soon as the character moves.
    ///
    /// ## How to fix
    /// - Weight the vertex to the joint that should move it.
    /// - Blender: *Select → Select All by Trait → Ungrouped Vertices* in Edit Mode shows them. Paint them, or *Assign*
    ///   them to a deforming bone's group. A vertex whose groups all belong to bones without *Deform* counts as
    ///   unweighted.
    /// - Maya: *Component Editor → Smooth Skins* shows rows of zeros. Paint them, or use *Skin → Edit Influences → Add
    ///   Influence*.
    /// - Exporters: when dropping small weights, keep at least the largest.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.3.3: the weights of a vertex sum to 1, so not all of them can be 0.
    UnweightedVertex, "W104", "unweighted-vertex", Error, attribute: "WEIGHTS_0"
}

impl Rule for UnweightedVertex {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        for gaps in coverage::gaps(cx) {
            let group = cx.mesh(gaps.skinned.instance);
            for (vertex, left_out) in gaps.vertices() {
                if left_out {
                    continue;
                }
                out.add(Offence::of(&group, "vertex").vertex(vertex), |subject| {
                    let message = "no joint has a weight here".to_owned();
                    (subject.vertex(vertex), message)
                });
            }
        }
    }
}
