//! `W104`: unweighted-vertex.

use crate::lint::rules::rule::declare_rule;
use crate::lint::rules::weights::coverage;
use crate::lint::{Context, Findings, Offence, Rule};

declare_rule! {
    /// ## What it does
    /// Checks that every vertex of a skinned mesh has a weight that is not 0.
    ///
    /// A connected piece that has no weights at all, while other pieces of the mesh have, is told by W105 instead; vertices
    /// that no triangle uses do not count.
    ///
    /// ## Why is this bad?
    /// Engines differ in what they do with such a vertex: it stays where it was modelled, or it collapses to the origin.
    /// Either way the surface around it is drawn out to a long spike as soon as the character moves.
    ///
    /// ## How to fix
    /// - Blender: *Select → Select All by Trait → Ungrouped Vertices* in Edit Mode shows them; paint them, or *Assign* them to
    ///   a group of a deforming bone. A vertex only in groups of bones without *Deform* counts as one without weights.
    /// - Maya: *Skin → Edit Influences → Add Influence*, or paint; *Component Editor → Smooth Skins* shows rows of zeros.
    /// - Exporters: when small weights are cut, keep at least the largest.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.3.3: the weights of a vertex sum to 1, so that not all are 0.
    UnweightedVertex, "W104", "unweighted-vertex", Error
}

impl Rule for UnweightedVertex {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        for gaps in coverage::gaps(cx) {
            let group = cx.mesh(gaps.skinned.instance);
            for (vertex, left_out) in gaps.vertices() {
                if left_out {
                    continue;
                }
                out.add(Offence::of(&group, "vertex"), |place| {
                    let message = "no joint has a weight here".to_owned();
                    (place.vertex(vertex), message)
                });
            }
        }
    }
}
