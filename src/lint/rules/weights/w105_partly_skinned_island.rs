//! `W105`: partly-skinned-island.

use crate::lint::rules::rule::declare_rule;
use crate::lint::rules::weights::coverage;
use crate::lint::rules::weights::coverage::Gaps;
use crate::lint::{Context, Findings, Offence, Rule};

declare_rule! {
    /// ## What it does
    /// Checks that no connected piece of a skinned mesh is entirely unweighted while other pieces have weights.
    ///
    /// Pieces are connected by triangles, and across seams, where vertices share a position.
    ///
    /// ## Why is this bad?
    /// The piece (a button, an eye, a belt joined to the body later) stays where it was modelled when the character
    /// walks away, or collapses to a point, depending on the engine.
    ///
    /// ## How to fix
    /// - Weight the whole piece to the joint that it should follow.
    /// - Blender: select the piece (*L* over it in Edit Mode) and *Assign* it to the group of the bone that it should
    ///   follow, or make it an object of its own with that bone as its parent.
    /// - Maya: add the piece to the skin cluster (*Skin → Bind Skin*, or *Copy Skin Weights* from the body).
    /// - Exporters: write a weight of 1 for the joint that a rigid piece is attached to.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.3.3.
    PartlySkinnedIsland, "W105", "partly-skinned-island", Warning
}

impl Rule for PartlySkinnedIsland {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        for gaps in coverage::gaps(cx) {
            let group = cx.mesh(gaps.skinned.instance);
            for (first, vertices) in islands(&gaps) {
                // The largest island is reported.
                let offence = Offence {
                    badness: f64::from(vertices),
                    ..Offence::of(&group, "island")
                };
                out.add(offence, |location| {
                    let message =
                        format!("none of the {vertices} vertices of this piece has a weight");
                    (location.vertex(first), message)
                });
            }
        }
    }
}

/// The first vertex and the number of vertices of each unweighted island.
fn islands(gaps: &Gaps<'_>) -> Vec<(usize, u32)> {
    let mut found: Vec<Option<(usize, u32)>> = vec![None; gaps.left_out.len()];
    for (vertex, left_out) in gaps.vertices() {
        if left_out {
            let island = gaps.topology.islands[vertex] as usize;
            found[island].get_or_insert((vertex, 0)).1 += 1;
        }
    }
    found.into_iter().flatten().collect()
}
