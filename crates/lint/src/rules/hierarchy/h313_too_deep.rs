//! `H313`: too-deep.

use crate::core::reading::{Gauge, ReadingUnit};
use crate::rig::{Asset, Location};
use crate::{Context, Findings, Limit, LimitRange, Offence, Rule, declare_rule};

/// Levels of nodes, with the root as the first. A figure has 10 to 30; hair and ropes with one joint per link have up
/// to about 100. Recursive readers and engines are not tested with deeper hierarchies.
const LEVELS: Limit =
    Limit::new("levels", 256.0, LimitRange::WHOLE).about("maximum number of levels of nodes");

const DEPTH: Gauge = Gauge::new("levels of nodes", ReadingUnit::Count);

declare_rule! {
    TooDeep, "H313", "too-deep", Hint, Judged, limits = &[LEVELS]
}

impl Rule for TooDeep {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let (limit, file) = (cx.limit(&Self::META, &LEVELS), Location::FILE);
        for ((id, _), level) in cx.asset.skeleton.iter().zip(levels(cx.asset)) {
            out.measure(DEPTH, [level.into(), limit], || file.clone().joint_id(id));
            if f64::from(level) <= limit {
                continue;
            }
            let offence = Offence::above(&file, "node", level.into(), limit);
            out.add(offence, |subject| {
                let message = format!("{level} levels deep, limit {limit}");
                (subject.joint_id(id), message)
            });
        }
    }
}

/// The level of each joint; a root is at level 1.
fn levels(asset: &Asset) -> Vec<u32> {
    let mut levels: Vec<u32> = Vec::with_capacity(asset.skeleton.len());
    for joint in asset.skeleton.nodes() {
        let above = joint.parent.map_or(0, |parent| levels[parent.index()]);
        levels.push(above.saturating_add(1));
    }
    levels
}
