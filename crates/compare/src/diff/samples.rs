//! The times at which two clips are compared.

use super::side::Side;

/// Maps times of the clip before to times of the clip after.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TimeMap {
    pub(super) rate: f64,
    pub(super) offset: f64,
}

impl TimeMap {
    pub(super) const IDENTITY: Self = Self {
        rate: 1.0,
        offset: 0.0,
    };

    pub(super) fn after(self, before: f64) -> f64 {
        self.rate * before + self.offset
    }

    pub(super) fn before(self, after: f64) -> f64 {
        (after - self.offset) / self.rate
    }
}

/// A time at which both clips are sampled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sample {
    /// In the clip before, and in the clip after.
    pub(super) times: [f64; 2],
    /// Whether each clip has a key there.
    pub(super) is_key: [bool; 2],
}

/// The samples of two clips.
#[derive(Debug)]
pub(super) struct Samples {
    pub(super) list: Vec<Sample>,
    /// How many there would be without a limit, and if a reference's frames outside the other clip could be compared.
    pub(super) all: usize,
    /// How much larger a distance may be between them than at them. `None` with a reference, which has nothing between its times,
    /// and where nothing between them was examined.
    pub(super) missed: Option<f64>,
}

impl Samples {
    /// At most `most` of them: the first, the last, and some between them, evenly.
    pub(super) fn thinned(&self, most: usize) -> Self {
        let (count, most) = (self.list.len(), most.max(2));
        let list = if count <= most {
            self.list.clone()
        } else {
            let kept = (0..most).map(|index| self.list[index * (count - 1) / (most - 1)]);
            kept.collect()
        };
        Self { list, ..*self }
    }
}

/// Times closer than this count as equal, in seconds: a twentieth of a frame at 500 frames per second.
#[doc(hidden)]
pub const SAME_TIME: f64 = 1e-4;

/// Whether one of `times`, which ascend, is `time`.
pub(super) fn contains(times: &[f64], time: f64) -> bool {
    let next = times.partition_point(|own| *own < time - SAME_TIME);
    times.get(next).is_some_and(|own| *own <= time + SAME_TIME)
}

/// The median distance of neighbours among `times`, which ascend; `None` for a single time.
pub(super) fn usual_step(times: &[f64]) -> Option<f64> {
    let mut steps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    steps.sort_by(f64::total_cmp);
    steps.get(steps.len() / 2).copied()
}

/// The keys of both clips where both run, and the ends of that range. A reference contributes only its own times.
pub(super) fn keys(sides: [&Side<'_>; 2], clips: [usize; 2], map: TimeMap) -> Samples {
    let [before, after] = [0, 1].map(|side: usize| &sides[side].clips[clips[side]]);
    let ends = |clip: [f64; 2]| [map.before(clip[0]), map.before(clip[1])];
    // On the time line before. A clip that runs backwards there has its ends swapped.
    let after_range = ends([after.start, after.end]);
    let (start, end) = (
        before.start.max(after_range[0].min(after_range[1])),
        before.end.min(after_range[0].max(after_range[1])),
    );
    // A reference has nothing between its samples, so the times are its own, whatever keys the other side has.
    let mut keys: Vec<(f64, usize)> = Vec::new();
    let is_model = sides.map(Side::is_model);
    if is_model[1] {
        keys.extend(before.keys.iter().map(|key| (*key, 0)));
    }
    if is_model[0] {
        keys.extend(after.keys.iter().map(|key| (map.before(*key), 1)));
    }
    if is_model == [false; 2] {
        // Two references are compared at the times that both have.
        let shared = before
            .keys
            .iter()
            .filter(|key| contains(&after.keys, map.after(**key)));
        keys.extend(shared.map(|key| (*key, 0)));
    }
    let frames = match is_model {
        [false, false] => before.keys.len() + after.keys.len() - keys.len(),
        _ => keys.len(),
    };
    if is_model == [true; 2] && start <= end {
        // The ends are keys of neither side.
        keys.extend([(start, 2), (end, 2)]);
    }
    keys.retain(|(time, _)| (start - SAME_TIME..=end + SAME_TIME).contains(time));
    keys.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut list: Vec<Sample> = Vec::new();
    for (time, side) in keys {
        // Keys of both sides at the same time become one sample.
        let is_same = |last: &&mut Sample| time - last.times[0] <= SAME_TIME;
        match list.last_mut().filter(is_same) {
            Some(last) => {
                if let Some(is_key) = last.is_key.get_mut(side) {
                    *is_key = true;
                }
            }
            None => list.push(Sample {
                times: [time, map.after(time)],
                is_key: [side == 0, side == 1],
            }),
        }
    }
    for sample in &mut list {
        sample.times = at_own_keys(sides, clips, sample);
    }
    let all = if is_model == [true; 2] {
        list.len()
    } else {
        frames
    };
    Samples {
        list,
        all,
        missed: None,
    }
}

/// The times of a sample, each at the side's own key, if it has one there. Files store keys in f32, and programs count frames in f64:
/// just before its key, a step would still hold the last value.
fn at_own_keys(sides: [&Side<'_>; 2], clips: [usize; 2], sample: &Sample) -> [f64; 2] {
    let rounding = rounding(sample.times);
    [0, 1].map(|side: usize| {
        let within = if sample.is_key[side] {
            SAME_TIME
        } else {
            rounding
        };
        sides[side].at_key(clips[side], sample.times[side], within)
    })
}

/// How far a time of one side may be from the same time of the other because of f32.
pub(super) fn rounding(times: [f64; 2]) -> f64 {
    f64::from(f32::EPSILON) * times[0].abs().max(times[1].abs())
}

/// The times at a fraction of both clips. With a reference, the nearest time that it has.
pub(super) fn at_phase(sides: [&Side<'_>; 2], clips: [usize; 2], phase: f64) -> [f64; 2] {
    let own = [0, 1].map(|side: usize| &sides[side].clips[clips[side]]);
    let references = [0, 1]
        .into_iter()
        .filter(|side: &usize| !sides[*side].is_model());
    let phase = references.fold(phase, |phase, side| {
        let clip = own[side];
        let phases = clip
            .keys
            .iter()
            .map(|key| (key - clip.start) / (clip.end - clip.start));
        let nearest = phases.min_by(|a, b| (a - phase).abs().total_cmp(&(b - phase).abs()));
        nearest.filter(|own| own.is_finite()).unwrap_or(phase)
    });
    own.map(|clip| clip.start + phase * (clip.end - clip.start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::Source;
    use crate::diff::testing::{reference, rising, with_sides};
    use crate::rig::Asset;
    use crate::units::Seconds;

    fn keyed(times: &[f64]) -> Asset {
        let keys: Vec<(f64, f32)> = times.iter().map(|time| (*time, 0.0)).collect();
        rising(&keys)
    }

    fn sampled(before: Source, after: Source, map: TimeMap) -> Samples {
        with_sides(&[before, after], |sides| keys(sides, [0, 0], map))
    }

    fn times(samples: &Samples) -> Vec<[f64; 2]> {
        samples.list.iter().map(|own| own.times).collect()
    }

    #[test]
    fn a_map_and_its_inverse_scale_and_shift() {
        let map = TimeMap {
            rate: 2.0,
            offset: 0.5,
        };
        assert_eq!(
            [map.after(1.0), map.before(2.5)].map(f64::to_bits),
            [2.5, 1.0].map(f64::to_bits)
        );
    }

    #[test]
    fn keys_of_both_sides_are_sampled_where_both_clips_run() {
        let mut before = keyed(&[0.0, 1.0]);
        before.clips[0].end = Seconds(2.0);
        let mut after = keyed(&[0.5, 1.5, 2.5]);
        after.clips[0].start = Seconds(0.5);
        let found = sampled(before.into(), after.into(), TimeMap::IDENTITY);
        let found: Vec<_> = found
            .list
            .iter()
            .map(|own| (own.times[0], own.is_key))
            .collect();
        let expected = [
            (0.5, [false, true]),
            (1.0, [true, false]),
            (1.5, [false, true]),
            (2.0, [false, false]),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn close_keys_are_one_sample_at_each_sides_own_time() {
        let [before, after] = [[0.0, 1.0], [0.0, 1.00005]].map(|times| keyed(&times).into());
        let found = sampled(before, after, TimeMap::IDENTITY);
        assert_eq!(times(&found), [[0.0; 2], [1.0, 1.00005]]);
        assert_eq!(found.list[1].is_key, [true; 2]);
    }

    /// In a clip that runs faster, another sample's key may be near in time.
    #[test]
    fn a_time_between_keys_stays_where_it_is() {
        let before = keyed(&[0.0, 1.0, 2.0]).into();
        let after = keyed(&[0.0, 0.500_075, 1.0]).into();
        let faster = TimeMap {
            rate: 0.5,
            offset: 0.0,
        };
        let found = times(&sampled(before, after, faster));
        assert_eq!(
            found,
            [[0.0; 2], [1.0, 0.5], [1.00015, 0.500_075], [2.0, 1.0]]
        );
    }

    #[test]
    fn a_frame_of_a_reference_is_compared_with_the_key_that_f32_makes_of_it() {
        let frames: Vec<f64> = (0..=24).map(|frame| f64::from(frame) / 24.0).collect();
        #[expect(clippy::cast_possible_truncation, reason = "as files store times")]
        let stored: Vec<f64> = frames.iter().map(|time| f64::from(*time as f32)).collect();
        let found = times(&sampled(
            reference(&frames),
            keyed(&stored).into(),
            TimeMap::IDENTITY,
        ));
        let expected: Vec<[f64; 2]> = frames
            .into_iter()
            .zip(stored)
            .map(|(a, b)| [a, b])
            .collect();
        assert_eq!(found, expected);
        let other = keyed(&[0.0, 1.00005]).into();
        let found = times(&sampled(reference(&[0.0, 1.0]), other, TimeMap::IDENTITY));
        assert_eq!(found, [[0.0; 2], [1.0; 2]]);
    }

    #[test]
    fn two_references_share_the_times_that_both_have() {
        let [before, after] = [&[0.0, 1.0, 2.0][..], &[0.0, 2.00005]].map(reference);
        let found = sampled(before, after, TimeMap::IDENTITY);
        assert_eq!(times(&found), [[0.0; 2], [2.0; 2]]);
        assert_eq!(found.all, 3);
    }

    #[test]
    fn thinned_samples_keep_both_ends() {
        let all = keyed(&[0.0, 1.0, 2.0, 3.0, 4.0]);
        let found = sampled(all.clone().into(), all.into(), TimeMap::IDENTITY).thinned(3);
        assert_eq!(times(&found), [[0.0; 2], [2.0; 2], [4.0; 2]]);
    }
}
