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
    /// ## What it does
    /// Checks that the engine of `--as` misplaces no joint by more than `distance` (0.001) of the model's diagonal where
    /// `--at` holds the model. The rule is checked if both are given.
    ///
    /// An engine whose matrices hold world positions in f32 rounds them to 1 mm at 10 km from the origin, to 8 mm at
    /// 100 km.
    ///
    /// ## Why is this bad?
    /// Each joint is rounded separately, and again in each frame: the surface jitters, and fingers and faces break first.
    ///
    /// ## How to fix
    /// - Keep the camera and the character near the origin, and move the world instead, as with a *floating origin*.
    /// - three.js: subtract the position of a root from the bones' matrices before `Skeleton.update` stores them.
    /// - Animate in the model's space, and place the model by the node above its skeleton and mesh.
    ///
    /// ## References
    /// - C. Thorne, "Using a Floating Origin to Improve Fidelity and Performance of Large, Distributed Virtual Worlds",
    ///   Cyberworlds 2005.
    MisplacedFarAway, "D612", "misplaced-far-away", OnRequest, limits: [DISTANCE]
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
