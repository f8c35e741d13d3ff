//! `C504`: implausible-duration.

use crate::core::numbers::{as_f64, beside, median, sensible, significant};
use crate::core::reading::{Gauge, ReadingUnit};
use crate::rig::{Clip, Driver};
use crate::{Context, Findings, Limit, LimitRange, Offence, Rule, declare_rule};

/// An hour. Cut scenes and dances last minutes; 30 frames per second that are read as seconds reach an hour after two
/// minutes.
const LONGEST: Limit = Limit::new("seconds", 3600.0, LimitRange::FROM_ZERO)
    .about("maximum duration of a clip, in seconds");

/// 1 kHz. Motion is captured at up to a few hundred frames per second. Ticks read as a thirtieth of their length reach
/// a kilohertz from 30 frames per second.
const DENSEST: Limit = Limit::new("keys_per_second", 1000.0, LimitRange::FROM_ZERO)
    .about("maximum number of keys per second on one track");

/// 10 ms. No display shows a second frame of such a clip; ten seconds in milliseconds that are read as nanoseconds, or a
/// thousandth of a walk, are that short.
const SHORTEST: Limit = Limit::new("shortest", 0.01, LimitRange::FROM_ZERO)
    .about("minimum duration of a clip with motion, in seconds");

/// Ten seconds: milliseconds that are read as seconds are 33 s apart at 30 keys per second. Nobody holds ten poses that
/// long each.
const SPARSEST: Limit = Limit::new("seconds_per_key", 10.0, LimitRange::FROM_ZERO)
    .about("maximum time between most keys of a clip with at least ten, in seconds");

/// Fewer keys may be the poses of a slide show.
const MANY: usize = 10;

const DURATION: Gauge = Gauge::new("duration", ReadingUnit::Seconds);

declare_rule! {
    ImplausibleDuration, "C504", "implausible-duration", Hint, Judged,
    limits = &[LONGEST, SHORTEST, SPARSEST, DENSEST]
}

impl Rule for ImplausibleDuration {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let longest = cx.limit(&Self::META, &LONGEST);
        let sparsest = cx.limit(&Self::META, &SPARSEST);
        let shortest = cx.limit(&Self::META, &SHORTEST);
        let densest = cx.limit(&Self::META, &DENSEST);
        for clip in &cx.asset.clips {
            let (group, seconds) = (cx.clip(clip), clip.duration().0);
            out.measure(DURATION, [seconds, longest], || group.clone());
            if let Some(between) = between(clip).filter(|between| *between > sparsest) {
                let offence = Offence::above(&group, "clip", between, sparsest);
                out.add(offence, |subject| {
                    let between = sensible(between, 3);
                    let message = format!("its keys are {between} s apart: wrong unit of time?");
                    (subject, message)
                });
            } else if seconds > longest {
                let offence = Offence::above(&group, "clip", seconds, longest);
                out.add(offence, |subject| {
                    let hours = beside(seconds / 3600.0, longest / 3600.0, 1);
                    let message = format!("lasts {hours} h: wrong tick rate?");
                    (subject, message)
                });
            } else if seconds > 0.0 && seconds < shortest {
                let offence = Offence::below(&group, "clip", seconds, shortest);
                out.add(offence, |subject| {
                    let message = format!("lasts {}: wrong unit of time?", brief(seconds));
                    (subject, message)
                });
            } else if let Some((driver, density)) = densest_of(clip)
                && density > densest
            {
                let offence = Offence::above(&group, "clip", density, densest).info_if(true);
                out.add(offence, |subject| {
                    let density = beside(density, densest, 0);
                    let message =
                        format!("{density} keys per second, limit {densest}: wrong tick rate?");
                    (subject.channel_id(driver.channel()), message)
                });
            }
        }
    }
}

/// Such as `8 ms`.
fn brief(seconds: f64) -> String {
    let milliseconds = 1000.0 * seconds;
    if milliseconds < 0.001 {
        return "less than 0.001 ms".to_owned();
    }
    format!("{} ms", significant(milliseconds, 3))
}

/// The median time between the keys of a clip of many, in seconds.
fn between(clip: &Clip) -> Option<f64> {
    let times = clip.key_times();
    let steps = times.windows(2).map(|pair| pair[1].0 - pair[0].0);
    median(steps.collect()).filter(|_| times.len() > MANY)
}

/// The track with the most keys, and their number per second over the whole clip: many tools write a jump as two
/// adjacent keys.
fn densest_of(clip: &Clip) -> Option<(Driver<'_>, f64)> {
    let seconds = clip.duration().0;
    let (driver, keys) = clip
        .drivers()
        .map(|driver| (driver, times_within(clip, &driver)))
        .reduce(|most, other| if other.1 > most.1 { other } else { most })?;
    let spans = keys.saturating_sub(1);
    (seconds > 0.0).then(|| (driver, as_f64(spans) / seconds))
}

/// The number of distinct key times of `driver` within `clip`.
fn times_within(clip: &Clip, driver: &Driver<'_>) -> usize {
    let times = (0..driver.track.count()).map(|key| driver.track.time(key));
    let mut within: Vec<u64> = times
        .filter(|time| (clip.start.0..=clip.end.0).contains(time))
        .map(f64::to_bits)
        .collect();
    within.sort_unstable();
    within.dedup();
    within.len()
}
