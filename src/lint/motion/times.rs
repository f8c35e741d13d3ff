//! The moments of a clip that stand for all of it.

use serde::Serialize;

use crate::lint::settings::ClipMoments;
use crate::rig::Clip;
use crate::units::Seconds;

/// Moments of all clips of a model together that rules watch, as long as each clip has [`LEAST_MOMENTS`]. Of more, evenly
/// many are left out, middles before keys, and the report says so ([`Thinned`]).
///
/// A quarter of a minute at 30 keys a second is seen whole. Clips of a library of 76 have the same poses many times over
/// (each starts and ends in the same stance), and what is weighted wrongly shows in many of them: of 200 faults planted in
/// the weights of such a model, twice as many moments told one that these did not, and did not tell another that these
/// did.
pub const MOST_MOMENTS_OF_MODEL: usize = 1000;

/// Vertices that are skinned for one clip, as long as it has [`MOMENTS_OF_LARGE_MODEL`]: some seconds of one processor's
/// time. All moments that a model may have are within it if the model has no more than 30 000 vertices.
pub const MOST_VERTICES_OF_CLIP: usize = 30_000_000;

/// Moments of one clip that are seen however large the model is, if its clips are few. What deforms badly does so for
/// longer than these are apart: a minute has one in half a second.
pub const MOMENTS_OF_LARGE_MODEL: usize = 128;

/// Moments of one clip that are seen however many clips there are: of one that lasts a second, 15 a second.
pub const LEAST_MOMENTS: usize = 16;

/// A clip of which not every key was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Thinned {
    /// Its name.
    pub clip: String,
    /// How many moments were looked at, the first and the last among them.
    pub watched: usize,
    /// How many there are: keys, and the middles between them.
    pub moments: usize,
}

/// Keys closer than this are one moment: a hundredth of a frame at 100 frames a second. Importers that divide ticks
/// give the keys of several channels times that differ in their last digits.
const CLOSE: f64 = 1e-4;

/// For each of `clips` its moments, in order: its start and end, its keys and the middles between them; and of how many
/// they were thinned out.
///
/// * `vertices` – which are skinned in each.
pub(super) fn of_clips(
    clips: &[Clip],
    vertices: usize,
    moments: ClipMoments,
) -> Vec<(Vec<Seconds>, Option<Thinned>)> {
    let keys: Vec<Vec<f64>> = clips.iter().map(keys).collect();
    let most = match moments {
        ClipMoments::Limited => most_of_each(&keys, vertices),
        ClipMoments::All => usize::MAX,
    };
    let clips = clips.iter().zip(&keys);
    clips
        .map(|(clip, keys)| of_clip(clip, keys, most))
        .collect()
}

/// How many moments each clip may have so that all have no more than the model may.
fn most_of_each(keys: &[Vec<f64>], vertices: usize) -> usize {
    let fits = |most: &usize| {
        let each = keys.iter().map(|keys| with_middles(keys).min(*most));
        each.sum::<usize>() <= MOST_MOMENTS_OF_MODEL
    };
    let of_vertices = MOST_VERTICES_OF_CLIP / vertices.max(1);
    let most = of_vertices.clamp(MOMENTS_OF_LARGE_MODEL, MOST_MOMENTS_OF_MODEL);
    let all = (LEAST_MOMENTS..=most).rev();
    all.into_iter().find(fits).unwrap_or(LEAST_MOMENTS)
}

fn of_clip(clip: &Clip, keys: &[f64], most: usize) -> (Vec<Seconds>, Option<Thinned>) {
    let moments = with_middles(keys);
    let times = thinned(keys, most);
    let thinned = (times.len() < moments).then(|| Thinned {
        clip: clip.name.clone(),
        watched: times.len(),
        moments,
    });
    (times.into_iter().map(Seconds).collect(), thinned)
}

/// How many moments `keys` and the middles between them are.
fn with_middles(keys: &[f64]) -> usize {
    (2 * keys.len()).saturating_sub(1)
}

/// Apart by at least [`CLOSE`], but for the end, which is always there.
fn keys(clip: &Clip) -> Vec<f64> {
    let [start, end] =
        [clip.start.0, clip.end.0].map(|time| if time.is_finite() { time } else { 0.0 });
    let mut keys = vec![start];
    for Seconds(time) in clip.key_times() {
        if keys.last().is_none_or(|last| time - last >= CLOSE) {
            keys.push(time);
        }
    }
    match keys.last_mut() {
        Some(last) if *last > start && end - *last < CLOSE => *last = end,
        Some(last) if end > *last => keys.push(end),
        _ => {}
    }
    keys
}

/// At most `most` (2 or more) of `keys` and the middles between them, evenly, the first and the last among them; middles
/// only beside all keys.
fn thinned(keys: &[f64], most: usize) -> Vec<f64> {
    let middles = keys.windows(2).map(|pair| pair[0].midpoint(pair[1]));
    let middles: Vec<f64> = middles.collect();
    let mut times = evenly(keys, most);
    times.extend(evenly(&middles, most.saturating_sub(keys.len())));
    times.sort_by(f64::total_cmp);
    times
}

/// At most `most` of `all`, from the first to the last; of a single one the first.
fn evenly(all: &[f64], most: usize) -> Vec<f64> {
    if all.len() <= most {
        return all.to_vec();
    }
    let (last, steps) = (all.len() - 1, most.saturating_sub(1).max(1));
    (0..most).map(|step| all[step * last / steps]).collect()
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::pose::rigs;
    use crate::rig::{Channel, JointId, Key, Span, Track};

    fn clip(end: f64, times: impl IntoIterator<Item = f64>) -> Clip {
        let key = |time| Key {
            time: Seconds(time),
            value: Vec3::ZERO,
            span: Span::Linear,
        };
        let keys = times.into_iter().map(key).collect();
        let channel = Channel {
            translation: Some(Track { keys }),
            ..Channel::of(JointId(0))
        };
        Clip {
            channels: vec![channel],
            ..rigs::clip("walk", 0.0, end)
        }
    }

    fn limited(clips: &[Clip]) -> Vec<(Vec<Seconds>, Option<Thinned>)> {
        of_clips(clips, 1000, ClipMoments::Limited)
    }

    fn moments(clip: &Clip) -> Vec<f64> {
        let (times, _) = limited(std::slice::from_ref(clip)).remove(0);
        times.into_iter().map(|time| time.0).collect()
    }

    #[test]
    fn keys_and_the_middles_between_them_are_seen() {
        assert_eq!(
            moments(&clip(2.0, [0.0, 1.0, 2.0])),
            [0.0, 0.5, 1.0, 1.5, 2.0]
        );
        assert_eq!(moments(&clip(2.0, [1.0])), [0.0, 0.5, 1.0, 1.5, 2.0]);
    }

    #[test]
    fn keys_that_differ_by_rounding_are_one_moment() {
        let times = [0.0, 1.0, 1.0 + 1e-9, 2.0 - 1e-9];
        assert_eq!(moments(&clip(2.0, times)), [0.0, 0.5, 1.0, 1.5, 2.0]);
    }

    #[test]
    fn a_clip_without_keys_or_length_is_one_moment() {
        assert_eq!(moments(&clip(0.0, [])), [0.0]);
        assert_eq!(moments(&clip(f64::NAN, [f64::NAN])), [0.0]);
    }

    #[test]
    fn a_long_clip_is_thinned_evenly_and_says_so() {
        let (times, thinned) = limited(&[clip(999.0, (0..1000).map(f64::from))]).remove(0);
        let thinned = thinned.expect("there are more moments than are watched");
        let most = MOST_MOMENTS_OF_MODEL;
        assert_eq!((thinned.watched, thinned.moments), (most, 1999));
        assert_eq!((times[0], times[most - 1]), (Seconds(0.0), Seconds(999.0)));
        let steps = times.windows(2).map(|pair| pair[1].0 - pair[0].0);
        let longest = steps.fold(0.0, f64::max);
        assert!(longest <= 1.0, "{longest}");
    }

    #[test]
    fn the_larger_a_model_the_fewer_moments_but_not_below_some() {
        let clips = [clip(999.0, (0..1000).map(f64::from))];
        let watched = |vertices| {
            let (times, _) = of_clips(&clips, vertices, ClipMoments::Limited).remove(0);
            times.len()
        };
        assert_eq!(watched(0), MOST_MOMENTS_OF_MODEL);
        assert_eq!(watched(30_000), MOST_MOMENTS_OF_MODEL);
        assert_eq!(watched(60_000), 500);
        assert_eq!(watched(1_000_000), MOMENTS_OF_LARGE_MODEL);
    }

    #[test]
    fn all_moments_are_all_of_them() {
        let clips = [clip(999.0, (0..1000).map(f64::from))];
        let (times, thinned) = of_clips(&clips, 1 << 30, ClipMoments::All).remove(0);
        assert_eq!((times.len(), thinned), (1999, None));
        let halves = (0_u32..).map(|half| Seconds(f64::from(half) / 2.0));
        assert!(times.into_iter().eq(halves.take(1999)));
    }

    #[test]
    fn middles_are_left_out_before_keys() {
        let moments = moments(&clip(799.0, (0..800).map(f64::from)));
        assert_eq!(moments.len(), MOST_MOMENTS_OF_MODEL);
        assert!((0..800).all(|key| moments.contains(&f64::from(key))));
        assert!(moments.is_sorted());
    }

    #[test]
    fn many_clips_share_what_a_model_may_have() {
        let long = clip(99.0, (0..100).map(f64::from));
        let watched = |clips: &[Clip]| {
            let each = limited(clips).into_iter();
            each.map(|(times, _)| times.len()).collect::<Vec<_>>()
        };
        assert_eq!(watched(&vec![long.clone(); 40]), [25; 40]);
        assert_eq!(watched(&vec![long.clone(); 400]), [LEAST_MOMENTS; 400]);
        // What short ones do not need is for the others.
        let mut mixed = vec![clip(0.0, []); 20];
        mixed.extend(vec![long; 9]);
        assert_eq!(watched(&mixed)[20..], [108; 9]);
    }
}
