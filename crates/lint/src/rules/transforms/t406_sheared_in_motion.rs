//! `T406`: sheared-in-motion.

use crate::analysis::joints;
use crate::core::numbers::beside;
use crate::core::reading::{Gauge, ReadingUnit};
use crate::pose::{model_pose, rest};
use crate::rig::{Location, NodeId};
use crate::rules::transforms::axes::{axes, is_sheared, longest, shear};
use crate::{
    Context, Findings, Follows, Limit, LimitRange, Offence, Rule, Sample, Source, Through,
    declare_rule, follows,
};

/// The sine of the deviation of two of a joint's axes from a right angle. An engine that drops the shear moves a vertex
/// by that fraction of its distance from the joint. Vertices are up to about a quarter of the model's diagonal away, so
/// 0.04 makes a hundredth of the diagonal, which nobody overlooks.
pub(super) const SHEAR: Limit = Limit::new("shear", 0.04, LimitRange::PART).about(
    "maximum sine of the angle by which two axes of a joint deviate from perpendicular in a clip",
);

/// Less than this part of the limit is not measured: most joints have none.
const MEASURED: f64 = 0.25;

const SHEARED: Gauge = Gauge::new("shear of a joint in a clip", ReadingUnit::Part);

declare_rule! {
    ShearedInMotion, "T406", "sheared-in-motion", Hint, Judged, limits = &[SHEAR]
}

impl Rule for ShearedInMotion {
    fn follows_from(&self) -> &'static [Follows] {
        follows![Through::Mended => ["T402", "T403"]]
    }

    fn watches(&self) -> bool {
        true
    }

    fn watch(&self, cx: &Context<'_>, sample: &Sample<'_>, out: &mut Findings) {
        let Source::Clip(clip, _) = sample.source else {
            return;
        };
        let limit = cx.limit(&Self::META, &SHEAR);
        // Few poses have shear, so only these are examined further.
        let sheared = sheared(sample, MEASURED * limit);
        if sheared.is_empty() {
            return;
        }
        let followed = joints::followed(cx.asset);
        let rest = model_pose(cx.asset, &rest(cx.asset)).nodes;
        let group = cx.clip(&cx.asset[clip]);
        for joint in sheared.iter().filter(|joint| followed[joint.index()]) {
            let (now, before) = (axes(&sample.pose[*joint]), axes(&rest[joint.index()]));
            let size = longest(&now).max(longest(&before));
            let shear = shear(&now, size);
            let shear_at_rest = self::shear(&before, longest(&before));
            if shear <= limit + shear_at_rest {
                let added = (shear - shear_at_rest).max(0.0);
                out.measure(SHEARED, [added, limit], || Location::FILE.joint_id(*joint));
                continue;
            }
            out.measure(SHEARED, [shear, limit], || Location::FILE.joint_id(*joint));
            out.add(Offence::above(&group, "joint", shear, limit), |_| {
                let subject = sample.location(Location::FILE.joint_id(*joint));
                let shear = beside(shear, limit, 2);
                (subject, format!("sheared by {shear}, limit {limit}"))
            });
        }
    }
}

/// The joints of a pose whose axes are sheared by more than `limit`.
fn sheared(sample: &Sample<'_>, limit: f64) -> Vec<NodeId> {
    let all = (0..sample.pose.nodes.len()).map(NodeId::from_index);
    all.filter(|joint| is_sheared(&sample.pose[*joint], limit))
        .collect()
}
