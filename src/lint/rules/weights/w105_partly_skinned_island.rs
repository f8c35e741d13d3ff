//! `W105`: partly-skinned-island.

use crate::lint::core::numbers::as_f64;
use crate::lint::rules::weights::coverage;
use crate::lint::rules::weights::coverage::Gaps;
use crate::lint::{Context, Findings, Offence, Rule, declare_rule};

declare_rule! {
    /// ## What it does
    /// Checks that no connected piece of a skinned mesh is entirely unweighted while other pieces have weights.
    ///
    /// Pieces are connected by triangles, and across seams, where vertices share a position.
    ///
    /// ## Why is this bad?
    /// When the character walks away, the piece (for example a button, an eye or a belt) stays where it was modelled or
    /// collapses to a point, depending on the engine.
    ///
    /// ## How to fix
    /// - Weight the whole piece to the joint that should move it.
    /// - Blender: select the piece (*L* over it in Edit Mode) and *Assign* it to the bone's vertex group, or make it a
    ///   separate object with the bone as its parent.
    /// - Maya: add the piece to the skin cluster (*Skin → Bind Skin*, or *Copy Skin Weights* from the body).
    /// - Exporters: weight a rigid piece to its joint with 1.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.3.3.
    PartlySkinnedIsland, "W105", "partly-skinned-island", Warning, attribute: "WEIGHTS_0"
}

impl Rule for PartlySkinnedIsland {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        for gaps in coverage::gaps(cx) {
            let group = cx.mesh(gaps.skinned.instance);
            for vertices in islands(&gaps) {
                let count = vertices.len();
                // The largest island is reported.
                let offence = Offence {
                    badness: as_f64(count),
                    ..Offence::of(&group, "island")
                };
                out.add(offence.vertices(&vertices), |subject| {
                    let message =
                        format!("none of the {count} vertices of this piece has a weight");
                    (subject.vertex(vertices[0] as usize), message)
                });
            }
        }
    }
}

/// The vertices of each unweighted island.
fn islands(gaps: &Gaps<'_>) -> Vec<Vec<u32>> {
    let mut found = vec![Vec::new(); gaps.left_out.len()];
    for (vertex, left_out) in gaps.vertices() {
        if left_out {
            let island = gaps.topology.islands[vertex] as usize;
            found[island].extend(u32::try_from(vertex));
        }
    }
    found.retain(|vertices| !vertices.is_empty());
    found
}
