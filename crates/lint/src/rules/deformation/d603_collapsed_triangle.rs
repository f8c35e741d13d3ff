//! `D603`: collapsed-triangle.

use crate::analysis::deformation::bent::Bent;
use crate::core::findings::Counted;
use crate::core::numbers::{as_f64, percents};
use crate::core::reading::{Gauge, ReadingUnit};
use crate::rules::deformation::DISTORTING;
use crate::{Context, Findings, Follows, Limit, LimitRange, Offence, Rule, Sample, declare_rule};

/// A triangle that shrinks further is a line: it shows a fortieth of its texture, and its normal is random.
const RATIO: Limit = Limit::new("ratio", 0.025, LimitRange::PART)
    .about("area in the pose over area in the bind pose");

/// Creases of elbows, knees and eyelids swallow a few triangles on any good model. Twice the surface of the largest
/// crease among the tested models is no longer a crease.
const SHARE: Limit = Limit::new("share", 0.01, LimitRange::PART)
    .about("minimum share of the mesh's surface that must collapse at once");

/// Fewer triangles are slivers, however large their fraction of a coarse mesh.
const LEAST: Limit = Limit::new("triangles", 4.0, LimitRange::WHOLE)
    .about("minimum number of triangles that must collapse at once");

const COLLAPSED: Gauge = Gauge::new("collapsed surface", ReadingUnit::Part);

declare_rule! {
    CollapsedTriangle, "D603", "collapsed-triangle", Hint, Judged, limits = &[RATIO, SHARE, LEAST]
}

impl Rule for CollapsedTriangle {
    fn follows_from(&self) -> &'static [Follows] {
        DISTORTING
    }

    fn watches(&self) -> bool {
        true
    }

    fn watch(&self, cx: &Context<'_>, sample: &Sample<'_>, out: &mut Findings) {
        let limits = [RATIO, SHARE, LEAST].map(|limit| cx.limit(&Self::META, &limit));
        let [ratio, share, least] = limits;
        for bent in sample.bent() {
            let collapsed = collapsed(bent, ratio);
            let part = collapsed.area / collapsed.of;
            let enough = part >= share && as_f64(collapsed.found.count) >= least;
            let group = cx.mesh(bent.instance);
            if enough || collapsed.found.count == 0 || part < share {
                let part = if collapsed.found.count == 0 {
                    0.0
                } else {
                    part
                };
                out.measure(COLLAPSED, [part, share], || group.clone());
            }
            let Some([corner, ..]) = collapsed.found.which.filter(|_| enough) else {
                continue;
            };
            let offence =
                Offence::above(&group, "triangle", part, share).vertices(&collapsed.found.vertices);
            out.add_many(offence, collapsed.found.count, |subject| {
                let subject = sample.location(subject);
                let subject = cx.at_vertex(subject, bent.instance, corner as usize);
                let [part, share] = percents(part, share, 1);
                (
                    subject,
                    format!("{part} % of the surface collapses, limit {share} %"),
                )
            });
        }
    }
}

struct Collapsed {
    /// Corners.
    found: Counted<[u32; 3]>,
    /// The area of these triangles in the bind pose.
    area: f64,
    /// The area in the bind pose of all triangles that are not scaled to 0.
    of: f64,
}

fn collapsed(bent: &Bent<'_>, ratio: f64) -> Collapsed {
    let mut collapsed = Collapsed {
        found: Counted::default(),
        area: 0.0,
        of: 0.0,
    };
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a little more than the limit"
    )]
    let most = (1.01 * ratio * bent.most_area()).powi(2) as f32;
    for (triangle, areas) in bent.sizes().shrunk(most) {
        let [bound, posed] = areas.map(f64::from);
        let corners = bent.surface.pliant.corners[triangle];
        let scale = bent.least_area(corners);
        if posed < ratio * bound * scale && scale > 0.0 && bent.surface.trusts(corners) {
            collapsed.area += bound;
            collapsed.found.add(bound - posed / scale, corners);
        }
    }
    if collapsed.found.count > 0 {
        collapsed.of = bent.shown_area();
    }
    collapsed
}
