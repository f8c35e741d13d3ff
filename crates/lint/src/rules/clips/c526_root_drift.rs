//! `C526`: root-drift.

use super::paths::{diagonal, drift, is_listed, pose_at, root};
use crate::core::numbers::percents;
use crate::core::reading::{Gauge, ReadingUnit};
use crate::{
    Context, Findings, Follows, Limit, LimitRange, Offence, Required, Rule, Through, declare_rule,
    follows,
};

/// Half a per cent: a centimetre per loop on a person. A walk with one loop per second is then half a metre off after a
/// minute.
const FARTHEST: Limit = Limit::new("diagonals", 0.005, LimitRange::FROM_ZERO)
    .about("maximum travel of the root along the ground in one loop, in diagonals of the model");

const DRIFT: Gauge = Gauge::new("travel of the root in a loop", ReadingUnit::Diagonals);

declare_rule! {
    RootDrift, "C526", "root-drift", Warning, Proved,
    limits = &[FARTHEST],
    requires = Some(Required { key: "clips.in-place", example: "[clips]\nin-place = [\"Walk*\"]" })
}

impl Rule for RootDrift {
    fn uncheckable(&self, cx: &Context<'_>) -> Option<String> {
        let set = !cx.settings.in_place.is_empty();
        cx.unset(&Self::META, set, "no in-place in [clips]")
    }

    fn follows_from(&self) -> &'static [Follows] {
        follows![Through::Mended => ["C530"]]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &FARTHEST);
        let Some(size) = diagonal(cx) else {
            return;
        };
        let clips = cx.asset.clips.iter();
        for clip in clips.filter(|clip| is_listed(&cx.settings.in_place, clip)) {
            let Some(root) = root(cx, clip) else {
                continue;
            };
            let [first, last] = [clip.start, clip.end].map(|time| pose_at(cx, clip, time));
            let distance = drift(cx, root, [&first, &last]).length() / size;
            let group = cx.clip(clip);
            out.measure(DRIFT, [distance, limit], || {
                group.clone().joint_id(root).at(clip.end)
            });
            if distance > limit {
                out.add(Offence::above(&group, "clip", distance, limit), |subject| {
                    let subject = subject.joint_id(root).at(clip.end);
                    let [distance, limit] = percents(distance, limit, 1);
                    let message = format!(
                        "travels {distance} % of the model's diagonal along the ground, limit {limit} %"
                    );
                    (subject, message)
                });
            }
        }
    }
}
