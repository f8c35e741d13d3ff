//! `D602`: overstretched-edge.

use super::Counted;
use super::bent::Bent;
use crate::lint::rule::declare_rule;
use crate::lint::{Context, Findings, Limit, Moment, Offence, Rule, RuleMeta};

/// A knee, an elbow or a shoulder stretches its outside to two or three times its length; a mouth that opens, or a
/// wing that spreads, to some more. Past that, neighbours follow joints that have nothing to do with each other.
const RATIO: Limit = Limit {
    key: "ratio",
    default: 4.0,
    about: "length in the pose over length as bound",
};

/// A spike that is seen reaches far; armpits and hips of good models stretch the short edges of their creases to six times
/// their length, and those stay below a twentieth of the model.
const VISIBLE: Limit = Limit {
    key: "visible",
    default: 0.05,
    about: "least length in the pose of an edge that counts, over the diagonal of its mesh",
};

declare_rule! {
    /// ## What it does
    /// Looks for edges of a skinned mesh that are stretched to more than `ratio` times (4) their length in some pose.
    ///
    /// Every clip is looked at, at its keys and between them; of a model without clips each joint, but for the bones within
    /// palms, is turned by 30° to either side about each of its axes. Lengths are those of the mesh as bound and morphed, times the scale of the
    /// joints that pull at either end. So neither units nor scaled joints stretch anything; what does is two ends that
    /// follow different joints. Edges shorter than `visible` (0.05) of the diagonal of their mesh do not count, nor do
    /// those of vertices without weights, which `W104` tells of.
    ///
    /// ## Why is this bad?
    /// A vertex that follows the wrong joint draws a spike or a web across the model: from hand to hip, from finger to
    /// finger, from one leg to the other. In the rest pose nothing is to be seen.
    ///
    /// ## How to fix
    /// - Blender: select the vertex (*Edit Mode*, *N* panel → *Item* → *Vertex Weights*) and take it out of the group
    ///   that does not belong there, or *Weights → Limit Total* and *Smooth* around it.
    /// - Maya: *Skin → Edit Smooth Skin → Prune Small Weights*, or paint the stray joint away.
    /// - Automatic weights bleed between parts that are close in the rest pose: bind in a pose where they are apart.
    /// - A part that is meant to part from the rest should not share edges with it.
    ///
    /// ## References
    /// - N. Magnenat-Thalmann, R. Laperrière, D. Thalmann, "Joint-dependent local deformations for hand animation and
    ///   object grasping", Graphics Interface 1988.
    OverstretchedEdge, "D602", "overstretched-edge", Warning, limits: [RATIO, VISIBLE]
}

impl Rule for OverstretchedEdge {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn watches(&self) -> bool {
        true
    }

    fn watch(&self, cx: &Context<'_>, moment: &Moment<'_>, out: &mut Findings) {
        let [ratio, visible] = [RATIO, VISIBLE].map(|limit| cx.limit(&Self::META, &limit));
        for bent in moment.bent() {
            let found = stretched(bent, ratio, visible);
            let Some([a, b]) = found.which else {
                continue;
            };
            let group = cx.mesh(bent.instance);
            let offence = Offence::above(&group, "edge", found.worst, ratio);
            out.add_many(offence, found.count, |place| {
                let place = cx.at_vertex(moment.place(cx.asset, place), bent.instance, a as usize);
                let by = found.worst;
                (
                    place,
                    format!("edge to vertex {b} stretched {by:.1}×, limit {ratio}"),
                )
            });
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a limit needs no more digits"
)]
fn stretched(bent: &Bent<'_>, ratio: f64, visible: f64) -> Counted<[u32; 2]> {
    let surface = bent.surface;
    let (ratio, visible) = (ratio as f32, visible as f32 * surface.diagonal);
    let (bound, posed) = (&*bent.bound, bent.posed.positions.as_slice());
    let mut found = Counted::default();
    let (lengths, uniform) = (bent.bound_lengths(), bent.uniform_stretch());
    for &edge in &surface.pliant.edges {
        let index = edge as usize;
        let [a, b] = surface.topology.edges[index];
        let (a_index, b_index) = (a as usize, b as usize);
        let scale = uniform.unwrap_or_else(|| bent.stretch([a, b]));
        let square = posed[a_index].distance_squared(posed[b_index]);
        let least = visible * scale;
        // Few edges are so long, and only of those it matters how long exactly and what they were.
        if square < 0.99 * (least * least) {
            continue;
        }
        let length = square.sqrt();
        if !(length > least && length.is_finite()) {
            continue;
        }
        let measured = || bound[a_index].distance(bound[b_index]);
        let own = lengths.map_or_else(measured, |lengths| lengths[index]) * scale;
        // An edge without a length is a seam or a flaw, and none that stretches.
        if length > ratio * own && own > 0.0 && surface.trusts([a, b]) {
            found.add(f64::from(length / own), [a, b]);
        }
    }
    found
}
