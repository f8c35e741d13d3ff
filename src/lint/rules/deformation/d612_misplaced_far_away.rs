//! `D612`: misplaced-far-away.

use crate::lens::Chosen;
use crate::lint::analysis::deformation::rest;
use crate::lint::core::numbers::diagonals_beside;
use crate::lint::{Context, Findings, Limit, LimitRange, Offence, Rule, Sample, declare_rule};
use crate::pose;

/// About a pixel on a model that fills the screen.
const DISTANCE: Limit = Limit::new("distance", 0.001, LimitRange::FROM_ZERO)
    .about("maximum distance between a joint and its position in the engine, over the model's diagonal at rest");

declare_rule! {
    MisplacedFarAway, "D612", "misplaced-far-away", OnRequest, limits = &[DISTANCE]
}

impl Rule for MisplacedFarAway {
    fn watches(&self) -> bool {
        true
    }

    fn watch(&self, cx: &Context<'_>, sample: &Sample<'_>, out: &mut Findings) {
        let lens = cx.settings.lens.as_ref();
        let placed = lens.and_then(|lens| Some((lens, lens.placement()?)));
        let (Some((lens, placement)), Some(rest)) = (placed, rest(cx)) else {
            return;
        };
        let limit = cx.limit(&Self::META, &DISTANCE);
        let mut nodes = sample.pose.nodes.clone();
        pose::place(cx.asset, placement, &mut nodes);
        let joints = cx.asset.skins.iter().flat_map(|skin| &skin.joints);
        let lost = joints.map(|joint| {
            let [exact, placed] =
                [&sample.pose.nodes, &nodes].map(|nodes| nodes[joint.index()].w_axis);
            let lost = (placed - exact).truncate().as_dvec3().length();
            (lost / rest.size, *joint)
        });
        let worst = lost
            .filter(|(lost, _)| lost.is_finite())
            .max_by(|(one, _), (other, _)| one.total_cmp(other));
        let Some((worst, joint)) = worst.filter(|(worst, _)| *worst > limit) else {
            return;
        };
        let group = crate::lint::Subject::FILE;
        out.add(Offence::above(&group, "pose", worst, limit), |subject| {
            let subject = sample.subject(subject).of_joint(joint);
            (subject, reported(lens, worst, limit))
        });
    }
}

fn reported(lens: &Chosen, worst: f64, limit: f64) -> String {
    let [worst, limit] = diagonals_beside(worst, limit, 2);
    let title = lens.lens().title;
    format!("misplaced by {worst} in {title} this far from the origin, limit {limit} %")
}
