//! `D606`: seam-crack.

use crate::analysis::deformation::bodies::length;
use crate::analysis::deformation::rest;
use crate::core::findings::Counted;
use crate::core::numbers::percents;
use crate::core::reading::{Gauge, ReadingUnit};
use crate::{
    Context, Findings, Follows, Limit, LimitRange, Offence, Rule, Sample, Through, declare_rule,
    follows,
};

/// About a pixel on a model that fills the screen, where cracks become visible; f32 skinning of two equal vertices is
/// exact.
const GAP: Limit = Limit::new("gap", 0.001, LimitRange::FROM_ZERO)
    .about("distance between the two sides, over the model's diagonal at rest");

const CRACK: Gauge = Gauge::new("gap of a seam", ReadingUnit::Diagonals);

declare_rule! {
    SeamCrack, "D606", "seam-crack", Hint, Judged, limits = &[GAP]
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
            let (mut found, mut widest) = (Counted::default(), (-1.0, None));
            for &[a, b] in &bent.surface.seams {
                let gap = f64::from(length([a, b], bent.posed)) / diagonal;
                if gap > widest.0 {
                    widest = (gap, Some(a as usize));
                }
                if gap > limit && gap.is_finite() {
                    found.add(gap, [a, b]);
                }
            }
            if let (gap, Some(vertex)) = widest {
                out.measure(CRACK, [gap, limit], || {
                    cx.mesh(bent.instance).vertex(vertex)
                });
            }
            let Some([a, b]) = found.which else {
                continue;
            };
            let group = cx.mesh(bent.instance);
            let offence = Offence::above(&group, "pair of vertices", found.worst, limit);
            out.add_many(offence.vertices(&found.vertices), found.count, |subject| {
                let mut subject = cx.at_vertex(sample.location(subject), bent.instance, a as usize);
                subject.ids.other_vertex = Some(b as usize);
                let [gap, limit] = percents(found.worst, limit, 2);
                let words =
                    format!("{gap} % of the diagonal away from vertex {b}, limit {limit} %");
                (subject, words)
            });
        }
    }
}
