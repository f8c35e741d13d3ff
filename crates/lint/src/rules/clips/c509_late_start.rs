//! `C509`: late-start.

use super::keys::Gap;
use super::paths::frame_seconds;
use crate::core::reading::{Gauge, ReadingUnit};
use crate::units::{Seconds, seconds};
use crate::{Context, Findings, Limit, LimitRange, Offence, Rule, declare_rule};

/// One: many tools count frames from 1, and begin one frame after 0.
const LATEST: Limit = Limit::new("frames", 1.0, LimitRange::FROM_ZERO)
    .about("maximum number of frames between the clip's start and a channel's first key");

/// The error of key times stored as f32 in a clip of a few minutes, in seconds.
const ROUNDING: f64 = 1e-4;

/// Counted, because clips that begin at frame 1 are at the limit by design.
const LATE: Gauge = Gauge::new("frames before a first key", ReadingUnit::Count);

declare_rule! {
    LateStart, "C509", "late-start", Hint, Judged, limits = &[LATEST]
}

impl Rule for LateStart {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &LATEST);
        for clip in &cx.asset.clips {
            let (group, frame) = (cx.clip(clip), frame_seconds(clip));
            let frames = |late: f64| (late - ROUNDING).max(0.0) / frame;
            let is_late = |late: f64| frames(late) > limit;
            let mut start = clip.start.0;
            let firsts = clip
                .drivers()
                .filter_map(|driver| Some(driver.track.ends()?.0));
            let earliest = firsts.fold(f64::INFINITY, f64::min);
            if earliest.is_finite() && is_late(earliest - start) {
                let late = earliest - start;
                start = earliest;
                out.measure(LATE, [frames(late), limit], || group.clone());
                let whole = group.clone().part("start");
                out.add(Offence::above(&whole, "clip", late / frame, limit), |_| {
                    let message = format!(
                        "all of its keys are {} after its start or later: was it cut from a longer timeline and not moved \
                        to its start?",
                        seconds(late)
                    );
                    (group.clone().at(Seconds(earliest)), message)
                });
            }
            for driver in clip.drivers() {
                let Some((first, _)) = driver.track.ends() else {
                    continue;
                };
                let late = first - start;
                out.measure(LATE, [frames(late), limit], || {
                    group.clone().joint_id(driver.joint)
                });
                if is_late(late) {
                    let offence = Offence::above(&group, "channel", late / frame, limit)
                        .info_if(!Gap::Before(late).cuts(cx, clip, &driver));
                    out.add(offence.joint(driver.joint), |subject| {
                        let subject = subject.channel_id(driver.channel()).at(Seconds(first));
                        (
                            subject,
                            format!("its first key is {} after the start", seconds(late)),
                        )
                    });
                }
            }
        }
    }
}
