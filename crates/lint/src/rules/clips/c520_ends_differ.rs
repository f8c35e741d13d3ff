//! `C520`: ends-differ.

use super::keys::Gap;
use crate::core::numbers::beside;
use crate::core::reading::{Gauge, ReadingUnit};
use crate::rig::{Clip, Driver};
use crate::units::Seconds;
use crate::{Context, Findings, Limit, LimitRange, Offence, Rule, declare_rule};

/// A millisecond: the coarsest unit of time in formats and readers, and far below the frame by which a clip is cut
/// short.
const APART: Limit = Limit::new("seconds", 1e-3, LimitRange::FROM_ZERO)
    .about("maximum time between the last keys of channels, in seconds");

const EARLY: Gauge = Gauge::new("time between last keys", ReadingUnit::Seconds);

declare_rule! {
    EndsDiffer, "C520", "ends-differ", Hint, Judged, limits = &[APART]
}

impl Rule for EndsDiffer {
    /// Of the track that ends first.
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let apart = cx.limit(&Self::META, &APART);
        for clip in &cx.asset.clips {
            let group = cx.clip(clip);
            let latest = ends(clip).map(|(_, end)| end).fold(f64::MIN, f64::max);
            for (driver, end) in ends(clip) {
                let early = latest - end;
                out.measure(EARLY, [early, apart], || {
                    group.clone().joint_id(driver.joint)
                });
                if early <= apart {
                    continue;
                }
                let offence = Offence::above(&group, "channel", early, apart)
                    .info_if(!Gap::After(early).cuts(cx, clip, &driver));
                out.add(offence.joint(driver.joint), |subject| {
                    let subject = subject.channel_id(driver.channel()).at(Seconds(end));
                    let early = beside(early, apart, 3);
                    (
                        subject,
                        format!("its last key is {early} s before the others'"),
                    )
                });
            }
        }
    }
}

/// The tracks with more than one key, and when they end.
fn ends(clip: &Clip) -> impl Iterator<Item = (Driver<'_>, f64)> {
    let several = clip.drivers().filter(|driver| driver.track.count() > 1);
    several.filter_map(|driver| Some((driver, driver.track.ends()?.1)))
}
