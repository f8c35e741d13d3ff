//! `C504`: implausible-duration.

use crate::lint::numbers::beside;
use crate::lint::rule::declare_rule;
use crate::lint::{Context, Findings, Limit, LimitRange, Offence, Rule, RuleMeta};
use crate::rig::{Clip, Driver};

/// An hour. Cut scenes and dances last minutes; 30 frames a second that are read as seconds reach an hour after two
/// minutes.
const LONGEST: Limit = Limit {
    key: "seconds",
    default: 3600.0,
    range: LimitRange::FROM_ZERO,
    about: "the longest a clip may last, in seconds",
};

/// 1 kHz. Motion is captured at up to some hundred frames a second; ticks that are taken for a thirtieth of what they are
/// reach a kilohertz from 30 frames a second on.
const DENSEST: Limit = Limit {
    key: "keys_per_second",
    default: 1000.0,
    range: LimitRange::FROM_ZERO,
    about: "the most keys a second that a track may have",
};

declare_rule! {
    /// ## What it does
    /// Tells of clips that last longer than an hour, or have a track with more than 1000 keys a second.
    ///
    /// ## Why is this bad?
    /// Hardly any clip is like that; a wrong tick rate makes one so. The character then seems frozen, or runs through the
    /// whole motion within a frame or two.
    ///
    /// ## How to fix
    /// - Look at the clip's duration in the tool that made it. If it differs, the exporter writes frames or milliseconds where
    ///   the format counts seconds, or the other way round.
    /// - Exporters: glTF counts in seconds, COLLADA too; FBX in 1/46186158000 s; DirectX .x in ticks of its own.
    /// - If the clip is as long as that: set `seconds` (the longest duration) or `keys_per_second` for it.
    ///
    /// ## References
    /// - glTF 2.0 §3.11: times are in seconds.
    ImplausibleDuration, "C504", "implausible-duration", Info, limits: [LONGEST, DENSEST]
}

impl Rule for ImplausibleDuration {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let longest = cx.limit(&Self::META, &LONGEST);
        let densest = cx.limit(&Self::META, &DENSEST);
        for clip in &cx.asset.clips {
            let (group, seconds) = (cx.clip(clip), clip.duration().0);
            if seconds > longest {
                out.add(Offence::above(&group, "clip", seconds, longest), |place| {
                    let hours = beside(seconds / 3600.0, longest / 3600.0, 1);
                    let message = format!("lasts {hours} h: wrong tick rate?");
                    (place, message)
                });
            } else if let Some((driver, density)) = densest_of(clip)
                && density > densest
            {
                out.add(Offence::above(&group, "clip", density, densest), |place| {
                    let density = beside(density, densest, 0);
                    let message =
                        format!("{density} keys a second, limit {densest}: wrong tick rate?");
                    (cx.at_driver(place, &driver), message)
                });
            }
        }
    }
}

/// The track with the most keys, and how many that are a second of the clip. Over the whole clip, for two keys side by
/// side are how many tools write a jump.
fn densest_of(clip: &Clip) -> Option<(Driver<'_>, f64)> {
    let seconds = clip.duration().0;
    let (driver, keys) = clip
        .drivers()
        .map(|driver| (driver, times_within(clip, &driver)))
        .reduce(|most, other| if other.1 > most.1 { other } else { most })?;
    #[expect(clippy::cast_precision_loss, reason = "fewer than 2^52 keys")]
    let spans = keys.saturating_sub(1) as f64;
    (seconds > 0.0).then_some((driver, spans / seconds))
}

/// How many different times of keys of `driver` lie within `clip`.
fn times_within(clip: &Clip, driver: &Driver<'_>) -> usize {
    let times = (0..driver.track.count()).map(|key| driver.track.time(key));
    let within = times.filter(|time| (clip.start.0..=clip.end.0).contains(time));
    let mut within: Vec<u64> = within.map(f64::to_bits).collect();
    within.sort_unstable();
    within.dedup();
    within.len()
}
