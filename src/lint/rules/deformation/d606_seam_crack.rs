//! `D606`: seam-crack.

use crate::lint::analysis::deformation::rest;
use crate::lint::analysis::deformation::shape::length;
use crate::lint::core::counted::Counted;
use crate::lint::core::numbers::percents;
use crate::lint::rules::rule::declare_rule;
use crate::lint::{Context, Findings, Limit, LimitRange, Moment, Offence, Rule};

/// About a pixel of a model that fills the screen, which is where a crack begins to be seen; f32 skinning of two equal
/// vertices is off by nothing.
const GAP: Limit = Limit {
    key: "gap",
    default: 0.001,
    range: LimitRange::FROM_ZERO,
    about: "distance over the diagonal of the model at rest",
};

declare_rule! {
    /// ## What it does
    /// Looks for seams that tear: vertices at one place, on an edge that two triangles share, which come apart in some
    /// pose by more than `gap` (0.001) of the model's diagonal.
    ///
    /// A seam is where a mesh has several vertices at one place because they differ in texture coordinates, normals or
    /// colours. Corners that merely touch, as those of stacked boxes, are none. `W113` looks at the weights of the same
    /// vertices without posing them; this rule tells how far they part.
    ///
    /// ## Why is this bad?
    /// A line of background shows through the model, opening and closing with the motion.
    ///
    /// ## How to fix
    /// - Blender: *Merge by Distance* if the split is not meant; else copy the weights (*Data Transfer*, *Nearest
    ///   Vertex*) from one side of the seam to the other. Paint weights with *Mirror* and *Topology* off at seams.
    /// - Maya: *Skin → Copy Skin Weights* with *Closest Point*, or *Weight Hammer* on both vertices.
    /// - Exporters and optimizers: compute, limit and quantize weights before vertices are split, or treat equal places
    ///   equally. Morph targets need the same offsets on both sides.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.2: attributes belong to vertices, so that a seam needs several at one place.
    SeamCrack, "D606", "seam-crack", Warning, limits: [GAP]
}

impl Rule for SeamCrack {
    fn watches(&self) -> bool {
        true
    }

    fn watch(&self, cx: &Context<'_>, moment: &Moment<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &GAP);
        let Some(diagonal) = rest(cx).map(|rest| rest.size) else {
            return;
        };
        for bent in moment.bent() {
            let mut found = Counted::default();
            for &[a, b] in &bent.surface.seams {
                let gap = f64::from(length([a, b], bent.posed)) / diagonal;
                if gap > limit && gap.is_finite() {
                    found.add(gap, [a, b]);
                }
            }
            let Some([a, b]) = found.which else {
                continue;
            };
            let group = cx.mesh(bent.instance);
            let offence = Offence::above(&group, "pair of vertices", found.worst, limit);
            out.add_many(offence, found.count, |place| {
                let place = cx.at_vertex(moment.place(cx.asset, place), bent.instance, a as usize);
                let [gap, limit] = percents(found.worst, limit, 2);
                let words =
                    format!("{gap} % of the diagonal away from vertex {b}, limit {limit} %");
                (place, words)
            });
        }
    }
}
