//! `C509`: late-start.

use super::keys::Gap;
use super::paths::frame_seconds;
use crate::units::{Seconds, seconds};
use crate::{Context, Findings, Limit, LimitRange, Offence, Rule, declare_rule};

/// One: many tools count frames from 1, and begin one frame after 0.
const LATEST: Limit = Limit::new("frames", 1.0, LimitRange::FROM_ZERO)
    .about("maximum number of frames between the clip's start and a channel's first key");

/// The error of key times stored as f32 in a clip of a few minutes, in seconds.
const ROUNDING: f64 = 1e-4;

declare_rule! {
    LateStart, "C509", "late-start", Hint, Judged, limits = &[LATEST]
}

impl Rule for LateStart {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &LATEST);
        for clip in &cx.asset.clips {
            let (group, frame) = (cx.clip(clip), frame_seconds(clip));
            for driver in clip.drivers() {
                let Some((first, _)) = driver.track.ends() else {
                    continue;
                };
                let late = first - clip.start.0;
                if late > limit * frame + ROUNDING {
                    let frames = late / frame;
                    let offence = Offence::above(&group, "channel", frames, limit)
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
