//! `C524`: animated-scale.

use crate::core::numbers::percents;
use crate::rig::{Keyed, TrackPart};
use crate::{Context, Findings, Limit, LimitRange, Offence, Rule, declare_rule};

/// 1e-4: far above the error of f32 decomposition in the scales of a baked clip (1e-6 to 1e-5), and invisible.
const CHANGE: Limit = Limit::new("change", 1e-4, LimitRange::FROM_ZERO)
    .about("maximum relative change of a scale within a clip");

declare_rule! {
    AnimatedScale, "C524", "animated-scale", Info, Proved, limits = &[CHANGE]
}

impl Rule for AnimatedScale {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &CHANGE);
        for clip in &cx.asset.clips {
            let group = cx.clip(clip);
            for driver in clip
                .drivers()
                .filter(|driver| driver.part == TrackPart::Scale)
            {
                let change = (0..3)
                    .map(|axis| change(driver.track, axis))
                    .fold(0.0, f64::max);
                if change > limit {
                    let offence = Offence::above(&group, "joint", change, limit);
                    out.add(offence.joint(driver.joint), |subject| {
                        let [percent, _] = percents(change, limit, 2);
                        (
                            subject.channel_id(driver.channel()),
                            format!("varies by {percent} %"),
                        )
                    });
                }
            }
        }
    }
}

/// The variation of the scale on `axis`, relative to its largest magnitude.
fn change(track: &dyn Keyed, axis: usize) -> f64 {
    let values = (0..track.count()).filter_map(|key| track.value(key).get(axis));
    let (mut min, mut max) = (f64::INFINITY, f64::NEG_INFINITY);
    for value in values.filter(|value| value.is_finite()) {
        (min, max) = (min.min(f64::from(*value)), max.max(f64::from(*value)));
    }
    let largest = max.abs().max(min.abs());
    if largest > 0.0 && largest.is_finite() {
        (max - min) / largest
    } else {
        0.0
    }
}
