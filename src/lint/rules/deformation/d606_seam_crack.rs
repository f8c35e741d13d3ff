//! `D606`: seam-crack.

use crate::lint::analysis::deformation::bodies::length;
use crate::lint::analysis::deformation::rest;
use crate::lint::core::findings::Counted;
use crate::lint::core::numbers::percents;
use crate::lint::{
    Context, Findings, Follows, Limit, LimitRange, Offence, Rule, Sample, Through, declare_rule,
    follows,
};

/// About a pixel on a model that fills the screen, where cracks become visible; f32 skinning of two equal vertices is
/// exact.
const GAP: Limit = Limit::new("gap", 0.001, LimitRange::FROM_ZERO)
    .about("distance between the two sides, over the model's diagonal at rest");

declare_rule! {
    /// ## What it does
    /// Looks for seams that tear: in some pose, coincident vertices on an edge shared by two triangles separate by more
    /// than `gap` (0.001) of the model's diagonal.
    ///
    /// At a seam, a mesh has several vertices at one position because their texture coordinates, normals or colours
    /// differ. Corners that merely touch, for example of stacked boxes, are not seams. `W113` compares the weights of
    /// these vertices without posing them; this rule measures how far they separate.
    ///
    /// ## Why is this bad?
    /// The background shows through a crack that opens and closes with the motion.
    ///
    /// ## How to fix
    /// - Give the vertices on both sides of the seam the same weights and morph offsets.
    /// - Blender: *Merge by Distance* if the split is unintended. Otherwise copy the weights (*Data Transfer*, *Nearest
    ///   Vertex*) from one side of the seam to the other.
    /// - Maya: *Skin → Copy Skin Weights* with *Closest Point*, or *Weight Hammer* on both vertices.
    /// - Exporters and optimizers: compute, limit and quantize weights before splitting vertices, or treat equal
    ///   positions alike. Morph targets need the same offsets on both sides.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.2: attributes belong to vertices, so a seam needs several at one position.
    SeamCrack, "D606", "seam-crack", Warning, limits: [GAP]
}

impl Rule for SeamCrack {
    fn follows_from(&self) -> &'static [Follows] {
        follows![
            Through::Vertices => ["W101", "W102", "W104", "W105", "W113", "W114"],
            Through::Between => ["C538"],
        ]
    }

    fn watches(&self) -> bool {
        true
    }

    fn watch(&self, cx: &Context<'_>, sample: &Sample<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &GAP);
        let Some(diagonal) = rest(cx).map(|rest| rest.size) else {
            return;
        };
        for bent in sample.bent() {
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
            out.add_many(offence.vertices(&found.vertices), found.count, |subject| {
                let subject = cx.at_vertex(sample.subject(subject), bent.instance, a as usize);
                let [gap, limit] = percents(found.worst, limit, 2);
                let words =
                    format!("{gap} % of the diagonal away from vertex {b}, limit {limit} %");
                (subject, words)
            });
        }
    }
}
