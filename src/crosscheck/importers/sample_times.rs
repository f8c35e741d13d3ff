//! The sample times at which two clips are compared.
//!
//! `diff` samples at keys, because it tells an error at keys from one between them. Here, the tracks tell that.

use super::tolerance;
use crate::rig::Clip;

/// The times to compare `clips` at, in order: just after each key of either, and in the middle between neighbours.
///
/// Not exactly at key times: where a value jumps, a time within tolerance is before the jump for one importer and after
/// it for the other. The times cover the interval that both clips share, or the union if they share none.
///
/// * `most` – the most times. If there are more, every second, third, … pair of key and midpoint is used.
pub(super) fn sample_times(clips: [&Clip; 2], most: usize) -> Vec<f64> {
    let keys = merged(key_times(clips));
    let mut pairs = Vec::with_capacity(keys.len());
    for (index, &key) in keys.iter().enumerate() {
        let after = key + 2.0 * tolerance::times(key);
        let next = keys.get(index + 1);
        let middle = next.map(|next| key.midpoint(*next));
        pairs.push((after, middle.filter(|middle| *middle > after)));
    }
    let step = (2 * pairs.len()).div_ceil(most.max(2)).max(1);
    let last = pairs.last().map(|(after, _)| *after);
    let taken = pairs.into_iter().step_by(step);
    let mut sample_times: Vec<f64> = taken
        .flat_map(|(after, middle)| [Some(after), middle])
        .flatten()
        .collect();
    if sample_times.last() < last.as_ref() {
        sample_times.extend(last);
    }
    sample_times
}

/// The key times of both clips, with both ends, where both clips run.
fn key_times(clips: [&Clip; 2]) -> Vec<f64> {
    let [a, b] = clips.map(|clip| [clip.start.0, clip.end.0]);
    let shared = [a[0].max(b[0]), a[1].min(b[1])];
    let range = if shared[0] <= shared[1] {
        shared
    } else {
        [a[0].min(b[0]), a[1].max(b[1])]
    };
    let mut times = range.to_vec();
    for clip in clips {
        times.extend(clip.drivers().flat_map(|driver| driver.track.times()));
    }
    times.retain(|time| (range[0]..=range[1]).contains(time));
    times
}

/// Ascending; of times within the tolerance of each other, the latest is kept.
fn merged(mut times: Vec<f64>) -> Vec<f64> {
    times.sort_by(f64::total_cmp);
    let mut merged: Vec<f64> = Vec::with_capacity(times.len());
    for time in times {
        match merged.last_mut() {
            Some(last) if time - *last <= tolerance::times(time) => *last = time,
            _ => merged.push(time),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pose::rigs::clip;

    #[test]
    fn a_clip_without_keys_is_sampled_from_end_to_end() {
        let [a, b] = [clip("a", 0.0, 2.0), clip("a", 1.0, 2.0)];
        let seen = sample_times([&a, &b], 100);
        assert!(seen[0] > 1.0 && seen[0] < 1.001, "{seen:?}");
        assert!((seen[1] - 1.5).abs() < 1e-12, "{seen:?}");
        assert!(seen[2] > 2.0 && seen.len() == 3, "{seen:?}");
    }

    #[test]
    fn clips_without_a_common_time_are_still_compared() {
        let [a, b] = [clip("a", 0.0, 1.0), clip("a", 2.0, 3.0)];
        let seen = sample_times([&a, &b], 100);
        assert!(seen[0] < 0.1 && seen[seen.len() - 1] > 2.9, "{seen:?}");
    }

    #[test]
    fn times_that_differ_by_rounding_are_one() {
        assert_eq!(merged(vec![0.5, 0.5 + 1e-9, 0.25]).len(), 2);
        assert_eq!(merged(vec![0.5, 0.5 + 1e-4]).len(), 2);
    }
}
