//! `T404`: zero-scale.

use crate::analysis::joints;
use crate::rig::NodeId;
use crate::rules::transforms::axes::scale;
use crate::{Context, Findings, Limit, LimitRange, Rule, declare_rule};

/// The distance from 1 to the next f32: a part scaled by this vanishes beside any part that is not.
const SCALE: Limit =
    Limit::new("scale", 1.2e-7, LimitRange::PART).about("maximum factor that counts as 0");

declare_rule! {
    ZeroScale, "T404", "zero-scale", Warning, Proved, limits = &[SCALE]
}

impl Rule for ZeroScale {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &SCALE);
        let mut flags = cx.asset.bound_joints();
        joints::add_ancestors(cx.asset, &mut flags);
        let flat = |joint: NodeId| -> Vec<&'static str> {
            let rest = cx.asset.skeleton.get(joint).map(|joint| &joint.rest);
            let scale = rest.map(|rest| scale(rest).to_array());
            let axes = scale.into_iter().flatten().zip(["x", "y", "z"]);
            axes.filter(|(factor, _)| factor.abs() <= limit)
                .map(|(_, axis)| axis)
                .collect()
        };
        let all = joints::nodes(cx.asset);
        let flat_ones = all.filter(|joint| flags[joint.index()] && !flat(*joint).is_empty());
        joints::report_by_skin(cx, out, flat_ones, |first| {
            format!("its scale is 0 along {}", flat(first).join(", "))
        });
    }
}
