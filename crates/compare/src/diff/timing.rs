//! Finds clips that are only shifted in time or played at another speed.

use super::difference::Difference;
use super::kinds::Kind;
use super::reach::Rigs;
use super::samples::{SAME_TIME, TimeMap, rounding};
use super::side::{Clip, Posed, Side};
use super::words::{self, significant, span};
use crate::pose::frames_in;
use crate::units::{Seconds, seconds};

/// The number of times at which a candidate is tried.
const TRIED: usize = 24;

/// The golden ratio: its multiples spread most evenly between whole numbers.
const GOLDEN: f64 = 1.618_033_988_749_895;

/// The fewest times at which a shift or stretch must fit: any two short clips agree somewhere.
const LEAST_SEEN: usize = 3;

/// The steps of a search for a shift in either direction, and the number of refinements.
const STEPS: i32 = 60;
const REFINEMENTS: usize = 24;

/// A timing explains a difference if the remaining error is less than this fraction of it.
const EXPLAINS: f64 = 0.1;

/// A timing is right if it explains three quarters of the joints that are off, and at least this many.
const FEWEST_JOINTS: usize = 3;

/// Units that programs count time in: how many are in a second.
const COUNTED: [(f64, &str); 9] = [
    (24.0, "frame numbers at 24 per second"),
    (25.0, "frame numbers at 25 per second"),
    (30.0, "frame numbers at 30 per second"),
    (48.0, "frame numbers at 48 per second"),
    (50.0, "frame numbers at 50 per second"),
    (60.0, "frame numbers at 60 per second"),
    (100.0, "hundredths of a second"),
    (120.0, "frame numbers at 120 per second"),
    (1000.0, "milliseconds"),
];

/// The tolerance of a clip's start and end: a thousandth of a second, since formats count in milliseconds.
#[doc(hidden)]
pub const SAME_RANGE: f64 = 1.5e-3;

/// The map from the times of one clip to those of the other.
///
/// * `limit` – differences up to this length are ignored.
pub(super) fn recognize(rigs: &Rigs<'_>, clips: [usize; 2], limit: f64) -> TimeMap {
    let sides = rigs.sides;
    let [before, after] = [0, 1].map(|side: usize| &sides[side].clips[clips[side]]);
    let seen = tried_times(sides, clips, TimeMap::IDENTITY).len();
    let least = LEAST_SEEN.max(seen / 2);
    let as_is = cost(rigs, clips, TimeMap::IDENTITY, 1, f64::INFINITY);
    let cost = |map: TimeMap, most: f64| cost(rigs, clips, map, least, most);
    // Clips whose times are in different units share few times, at which they may agree.
    if as_is <= EXPLAINS * limit
        && seen >= LEAST_SEEN.min(times(sides, clips, TimeMap::IDENTITY).len())
    {
        return TimeMap::IDENTITY;
    }
    // Clips may begin long before their first key.
    let ends = [before, after].map(|clip| {
        let [first, last] = [clip.keys.first(), clip.keys.last()].map(Option::<&f64>::copied);
        [first.unwrap_or(clip.start), last.unwrap_or(clip.end)]
    });
    let stretched = |rate: f64| TimeMap {
        rate,
        offset: ends[1][0] - rate * ends[0][0],
    };
    let shifted = |offset: f64| TimeMap { rate: 1.0, offset };
    let durations = ends.map(|[first, last]| last - first);
    let mut candidates = vec![shifted(ends[1][0] - ends[0][0])];
    if durations.into_iter().all(|duration| duration > SAME_TIME) {
        let rate = durations[1] / durations[0];
        // A reference may end a frame early, so its duration shows the unit of its times only roughly.
        let units = COUNTED
            .iter()
            .flat_map(|(count, _)| [*count, 1.0 / count])
            .filter(|unit| (0.5..2.0).contains(&(unit / rate)));
        for rate in std::iter::once(rate).chain(units) {
            candidates.extend([stretched(rate), TimeMap { rate, offset: 0.0 }]);
        }
    }
    // Clips that share no time are shifted, whatever else differs; that one is faster must show.
    let enough = |map: &TimeMap| {
        let is_shift = (map.rate - 1.0).abs() < f64::EPSILON;
        let largest = match (as_is.is_finite(), is_shift) {
            (true, _) => EXPLAINS * as_is.max(limit),
            (false, true) => f64::MAX,
            (false, false) => limit,
        };
        cost(*map, largest) <= largest
    };
    let plain = candidates.iter().copied().find(enough);
    if let Some(map) = plain {
        return map;
    }
    if as_is <= limit {
        return TimeMap::IDENTITY;
    }
    // Other faults of a few joints may add to the error of all below them.
    if let Some(as_is) = own_errors(rigs, clips, TimeMap::IDENTITY) {
        let fits_most = |map: &TimeMap| {
            let mapped = own_errors(rigs, clips, *map);
            mapped.is_some_and(|mapped| explains_most(&as_is, &mapped, limit))
        };
        if let Some(map) = candidates.into_iter().find(fits_most) {
            return map;
        }
    }
    // Finds a shift that the ends do not show: on a grid first, then between the neighbours of the best candidate.
    let widest = (0.5 * durations[0]).min(1.0);
    let step = widest / f64::from(STEPS);
    let grid = (-STEPS..=STEPS).map(|index| f64::from(index) * step);
    let (mut best, mut coarse) = (f64::INFINITY, 0.0);
    for offset in grid {
        let own = cost(shifted(offset), best);
        if own < best {
            (best, coarse) = (own, offset);
        }
    }
    if best.is_infinite() {
        return TimeMap::IDENTITY;
    }
    let (mut low, mut high) = (coarse - step, coarse + step);
    for _ in 0..REFINEMENTS {
        let third = (high - low) / 3.0;
        let earlier = cost(shifted(low + third), f64::INFINITY);
        if earlier < cost(shifted(high - third), earlier) {
            high -= third;
        } else {
            low += third;
        }
    }
    let map = shifted(low.midpoint(high));
    if enough(&map) { map } else { TimeMap::IDENTITY }
}

/// The mean over some times of the largest error of any joint, or of any morph weight relative to the model. Infinite
/// if the clips share fewer than `least` times, or if it exceeds `most`, as most shifts of a search do at their first times.
fn cost(rigs: &Rigs<'_>, clips: [usize; 2], map: TimeMap, least: usize, most: f64) -> f64 {
    let times = tried_times(rigs.sides, clips, map);
    if times.len() < least {
        return f64::INFINITY;
    }
    #[expect(clippy::cast_precision_loss, reason = "a small count")]
    let count = times.len() as f64;
    let mut sum = 0.0;
    for times in times {
        let poses = rigs.poses(Some(clips), times);
        let displacements = rigs.displacements(&poses);
        sum += rigs.largest_error(&displacements) + morph_error(rigs, &poses);
        if sum > most * count {
            return f64::INFINITY;
        }
    }
    sum / count
}

/// The largest error of each relevant joint relative to its parent; `None` if too few times are in both clips.
fn own_errors(rigs: &Rigs<'_>, clips: [usize; 2], map: TimeMap) -> Option<Vec<f64>> {
    let times = tried_times(rigs.sides, clips, map);
    let own = times.iter().map(|times| {
        let poses = rigs.poses(Some(clips), *times);
        rigs.own_errors(&rigs.displacements(&poses))
    });
    let largest = own.reduce(|a, b| a.into_iter().zip(b).map(|(a, b)| a.max(b)).collect());
    largest.filter(|_| times.len() >= LEAST_SEEN)
}

/// Whether a map explains the errors of most joints that are off.
fn explains_most(as_is: &[f64], mapped: &[f64], limit: f64) -> bool {
    let errors = as_is.iter().zip(mapped);
    let off: Vec<(&f64, &f64)> = errors.filter(|(as_is, _)| **as_is > limit).collect();
    let explained = off
        .iter()
        .filter(|(as_is, mapped)| **mapped <= EXPLAINS * **as_is)
        .count();
    explained >= FEWEST_JOINTS && 4 * explained >= 3 * off.len()
}

fn morph_error(rigs: &Rigs<'_>, [before, after]: &[Posed; 2]) -> f64 {
    if !rigs.sides.iter().all(|side| side.is_model()) {
        return 0.0;
    }
    let lists = before.morphs.iter().zip(&after.morphs);
    let apart = lists.flat_map(|(a, b)| a.iter().zip(b).map(|(a, b)| f64::from((a - b).abs())));
    let reach = rigs.reaches.iter().copied().fold(0.0, f64::max);
    0.1 * reach * apart.fold(0.0, f64::max)
}

/// The [`times`] at which both clips run.
fn tried_times(sides: [&Side<'_>; 2], clips: [usize; 2], map: TimeMap) -> Vec<[f64; 2]> {
    let [before, after] = [0, 1].map(|side: usize| &sides[side].clips[clips[side]]);
    let inside = |times: &[f64; 2]| {
        let fits = |time: f64, clip: &Clip| {
            (clip.start - SAME_TIME..=clip.end + SAME_TIME).contains(&time)
        };
        fits(times[0], before) && fits(times[1], after)
    };
    let all = times(sides, clips, map).into_iter();
    all.filter(inside).collect()
}

/// Some of a reference's own times, or times spread over the clip before.
fn times(sides: [&Side<'_>; 2], clips: [usize; 2], map: TimeMap) -> Vec<[f64; 2]> {
    let [before, after] = [0, 1].map(|side: usize| &sides[side].clips[clips[side]]);
    let both = |before: f64| [before, map.after(before)];
    let at_key = |times: [f64; 2]| {
        let within = rounding(times);
        [0, 1].map(|side: usize| sides[side].at_key(clips[side], times[side], within))
    };
    let thin = |keys: &[f64]| -> Vec<f64> {
        let step = keys.len().div_ceil(TRIED).max(1);
        keys.iter().copied().step_by(step).collect()
    };
    match sides.map(Side::is_model) {
        [false, _] => thin(&before.keys)
            .into_iter()
            .map(both)
            .map(at_key)
            .collect(),
        [true, false] => {
            let keys = thin(&after.keys).into_iter();
            keys.map(|key| at_key([map.before(key), key])).collect()
        }
        [true, true] => {
            // Unevenly: at one phase of every frame, a shift would explain any curve between two keys.
            #[expect(clippy::cast_precision_loss, reason = "a small count")]
            let phase = |index: usize| {
                let index = index as f64;
                (index + (0.37 + GOLDEN * index).fract()) / TRIED as f64
            };
            let duration = before.end - before.start;
            let times = (0..TRIED).map(|index| before.start + duration * phase(index));
            times.map(both).collect()
        }
    }
}

/// The findings about the timing of two clips.
///
/// * `is_accepted` – whether another timing is not a difference.
pub(super) fn findings(
    sides: [&Side<'_>; 2],
    clips: [usize; 2],
    map: TimeMap,
    is_accepted: bool,
) -> Vec<Difference> {
    let [before, after] = [0, 1].map(|side: usize| &sides[side].clips[clips[side]]);
    let name = &before.name;
    let mut findings = Vec::new();
    let mut add = |message, effect: String| {
        let finding = sides[0]
            .in_clip(Kind::Timing.found(message), clips[0])
            .caused(effect);
        findings.push(finding.remark_if(is_accepted));
    };
    let frames = |seconds: f64| in_frames([before, after], seconds);
    if (map.rate - 1.0).abs() > 1e-4 {
        let factor = if map.rate > 1.0 {
            map.rate
        } else {
            1.0 / map.rate
        };
        let speed = if map.rate > 1.0 { "slower" } else { "faster" };
        let message = format!(
            "clip \"{name}\" runs {} times {speed} after: {} instead of {}{}",
            words::factor(factor),
            seconds(after.end - after.start),
            seconds(before.end - before.start),
            counted(map.rate)
        );
        add(message, format!("{} times", words::factor(map.rate)));
    } else if map.offset.abs() > SAME_RANGE {
        let (seconds, when) = (
            map.offset.abs(),
            if map.offset > 0.0 { "later" } else { "earlier" },
        );
        let message = format!(
            "clip \"{name}\" runs {} s {when} after{}",
            significant(seconds),
            frames(seconds)
        );
        add(message, format!("{} s", significant(map.offset)));
    }
    findings.extend(range_finding(sides, clips, map, frames));
    findings
}

/// `; the times before look like milliseconds`, or nothing.
fn counted(rate: f64) -> String {
    let factor = rate.max(1.0 / rate);
    let mut units = COUNTED.iter();
    let unit = units.find(|(count, _)| (count / factor - 1.0).abs() < 2e-3);
    unit.map_or_else(String::new, |(_, unit)| {
        let side = if rate < 1.0 { "before" } else { "after" };
        format!("; the times {side} look like {unit}, and must be in seconds")
    })
}

/// The finding that one clip lacks the start or the end of the other. A reference lacks neither what is shorter than one of its
/// steps nor times at which the other clip has no keys yet or any longer.
///
/// * `frames` – shows seconds as a number of frames.
fn range_finding(
    sides: [&Side<'_>; 2],
    clips: [usize; 2],
    map: TimeMap,
    frames: impl Fn(f64) -> String,
) -> Option<Difference> {
    let own = [0, 1].map(|side: usize| &sides[side].clips[clips[side]]);
    let ends = [0, 1].map(|side: usize| {
        let Clip {
            start,
            end,
            ref keys,
            ..
        } = *own[side];
        match (sides[1 - side].is_model(), keys.first(), keys.last()) {
            (false, Some(first), Some(last)) => [first.max(start), last.min(end)],
            _ => [start, end],
        }
    });
    let others = [
        ends[1].map(|time| map.before(time)),
        ends[0].map(|time| map.after(time)),
    ];
    let mut lacks = Vec::new();
    for side in [1, 0] {
        let clip = own[side];
        let step = |keys: Option<&[f64; 2]>| match keys {
            Some([a, b]) if !sides[side].is_model() => b - a - SAME_RANGE,
            _ => 0.0,
        };
        let ends = [
            (
                "first",
                clip.start - others[side][0],
                clip.keys.first_chunk::<2>(),
            ),
            (
                "last",
                others[side][1] - clip.end,
                clip.keys.last_chunk::<2>(),
            ),
        ];
        for (which, lost, keys) in ends {
            if lost > SAME_RANGE.max(step(keys)) {
                let when = if side == 1 {
                    "missing after"
                } else {
                    "missing before"
                };
                let amount = significant(lost);
                lacks.push(format!("its {which} {amount} s{} are {when}", frames(lost)));
            }
        }
    }
    if lacks.is_empty() {
        return None;
    }
    let name = &own[0].name;
    let [before, after] = own.map(|clip| span(&[clip.start, clip.end]));
    let message = format!(
        "clip \"{name}\" runs from {after} after, not from {before}: {}",
        lacks.join(", and ")
    );
    Some(sides[0].in_clip(Kind::ClipRange.found(message), clips[0]))
}

/// ` (8 frames at 24 per second)`, or nothing if the rate is unknown or the time no whole number of frames.
pub(super) fn in_frames(clips: [&Clip; 2], seconds: f64) -> String {
    let rate = clips[0].frame_rate.or(clips[1].frame_rate);
    let frames = rate.map(|rate| (frames_in(Seconds(seconds), rate), rate));
    match frames {
        Some((1.0, rate)) => format!(" (1 frame at {rate} per second)"),
        Some((count, rate)) if count > 1.0 && count.fract() == 0.0 => {
            format!(" ({count} frames at {rate} per second)")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::Source;
    use crate::diff::testing::{reference, rising, with_rigs, with_sides};
    use crate::rig::Asset;

    /// Four heights that no shift or stretch carries onto each other, at these times of a second, and then another one.
    fn hops(time: impl Fn(f64) -> f64, rest: Option<f64>) -> Asset {
        let keys = [(0.0, 0.0), (0.25, 1.0), (0.5, 0.2), (1.0, 0.7)];
        let keys = keys.map(|(own, height)| (time(own), height));
        let rest = rest.map(|rest| (time(rest), -1.0));
        let mut asset = rising(&keys.into_iter().chain(rest).collect::<Vec<_>>());
        asset.clips[0].start = Seconds(time(0.0));
        asset
    }

    fn recognized(after: Asset) -> TimeMap {
        let sources = [hops(|time| time, None), after].map(Source::from);
        with_rigs(&sources, |rigs| recognize(rigs, [0, 0], 1e-3))
    }

    #[test]
    fn another_speed_is_recognized() {
        let map = recognized(hops(|time| 2.0 * time, None));
        assert!(
            (map.rate - 2.0).abs() < 1e-9 && map.offset.abs() < 1e-9,
            "{map:?}"
        );
        assert_eq!(recognized(hops(|time| time, None)), TimeMap::IDENTITY);
    }

    #[test]
    fn a_shift_by_the_first_keys_is_recognized_however_long_both_clips_are() {
        for rest in [None, Some(2.0)] {
            let map = recognized(hops(|time| time + 3.0, rest));
            let expected = TimeMap {
                rate: 1.0,
                offset: 3.0,
            };
            assert_eq!(map, expected);
        }
    }

    #[test]
    fn a_timing_explains_most_joints_from_three_quarters_on() {
        let as_is = [1.0, 1.0, 1.0, 1.0, 1.0, 0.01];
        let explains = |mapped: [f64; 6]| explains_most(&as_is, &mapped, 0.1);
        assert!(explains([0.0, 0.0, 0.0, 0.0, 1.0, 1.0]));
        assert!(!explains([0.0, 0.0, 0.0, 1.0, 1.0, 0.0]));
        assert!(!explains_most(&as_is[..2], &[0.0; 2], 0.1));
    }

    fn told(sources: &[Source; 2], map: TimeMap) -> Vec<String> {
        let found = with_sides(sources, |sides| findings(sides, [0, 0], map, false));
        found.into_iter().map(|own| own.finding.message).collect()
    }

    #[test]
    fn a_shift_is_later_or_earlier() {
        let shifted = |offset: f64| {
            let sources = [hops(|time| time, None), hops(|time| time + offset, None)];
            told(&sources.map(Source::from), TimeMap { rate: 1.0, offset })
        };
        assert_eq!(shifted(0.5), ["clip \"rise\" runs 0.5 s later after"]);
        assert_eq!(shifted(-0.5), ["clip \"rise\" runs 0.5 s earlier after"]);
    }

    #[test]
    fn either_end_of_a_clip_may_be_missing() {
        let cut = |start: f64, end: f64| {
            let mut after = hops(|time| time, None);
            (after.clips[0].start, after.clips[0].end) = (Seconds(start), Seconds(end));
            let sources = [hops(|time| time, None), after].map(Source::from);
            told(&sources, TimeMap::IDENTITY).concat()
        };
        assert!(cut(0.25, 1.0).ends_with(": its first 0.25 s are missing after"));
        assert!(cut(0.0, 0.75).ends_with(": its last 0.25 s are missing after"));
        assert!(cut(0.0, 1.25).ends_with(": its last 0.25 s are missing before"));
        assert_eq!(cut(0.0, 1.0), "");
    }

    #[test]
    fn what_is_shorter_than_a_step_of_a_reference_is_not_missing() {
        let told = |end: f64| {
            let after = rising(&[(0.0, 0.0), (end, 0.0)]).into();
            told(&[reference(&[0.0, 0.5, 1.0]), after], TimeMap::IDENTITY).len()
        };
        assert_eq!([1.3, 1.6].map(told), [0, 1]);
    }

    #[test]
    fn a_time_is_told_in_whole_frames() {
        let clip = |frame_rate| Clip {
            name: String::new(),
            unnamed: false,
            start: 0.0,
            end: 1.0,
            keys: Vec::new(),
            frame_rate,
        };
        let known = [&clip(None), &clip(Some(24.0))];
        assert_eq!(in_frames(known, 0.25), " (6 frames at 24 per second)");
        assert_eq!(in_frames(known, 1.0 / 24.0), " (1 frame at 24 per second)");
        assert_eq!(in_frames(known, 0.26), "");
        assert_eq!(in_frames(known, 0.0), "");
        assert_eq!(in_frames([&clip(None); 2], 0.25), "");
    }
}
