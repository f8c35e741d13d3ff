//! The moments of a clip that stand for all of it.

use serde::Serialize;

use crate::rig::Clip;
use crate::units::Seconds;

/// Moments of one clip that rules watch. Of more, evenly many are left out, and the report says so ([`Thinned`]).
///
/// Some four seconds at 30 keys a second are seen whole. What deforms badly does so for longer than the moments of a
/// longer clip are apart (a minute has one in half a second), and a model of 100 000 vertices is skinned this often in
/// about a second.
pub const MOST_MOMENTS: usize = 128;

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

/// The moments of `clip`, in order: its start and end, its keys and the middles between them; and of how many they were
/// thinned out.
pub(super) fn of_clip(clip: &Clip) -> (Vec<Seconds>, Option<Thinned>) {
    let all = with_middles(&keys(clip));
    let moments = all.len();
    let times = thinned(&all, MOST_MOMENTS);
    let thinned = (times.len() < moments).then(|| Thinned {
        clip: clip.name.clone(),
        watched: times.len(),
        moments,
    });
    (times.into_iter().map(Seconds).collect(), thinned)
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

fn with_middles(keys: &[f64]) -> Vec<f64> {
    let mut all = Vec::with_capacity(2 * keys.len());
    for (index, key) in keys.iter().enumerate() {
        all.push(*key);
        all.extend(keys.get(index + 1).map(|next| key.midpoint(*next)));
    }
    all
}

/// At most `most` of `all`, evenly, the first and the last among them.
fn thinned<T: Copy>(all: &[T], most: usize) -> Vec<T> {
    if all.len() <= most || most < 2 {
        return all.to_vec();
    }
    let (last, steps) = (all.len() - 1, most - 1);
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
            joint: JointId(0),
            translation: Some(Track { keys }),
            rotation: None,
            scale: None,
        };
        Clip {
            channels: vec![channel],
            ..rigs::clip("walk", 0.0, end)
        }
    }

    fn moments(clip: &Clip) -> Vec<f64> {
        of_clip(clip).0.into_iter().map(|time| time.0).collect()
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
        let (times, thinned) = of_clip(&clip(999.0, (0..1000).map(f64::from)));
        let thinned = thinned.expect("there are more moments than are watched");
        assert_eq!((thinned.watched, thinned.moments), (MOST_MOMENTS, 1999));
        assert_eq!(
            (times[0], times[MOST_MOMENTS - 1]),
            (Seconds(0.0), Seconds(999.0))
        );
        let steps = times.windows(2).map(|pair| pair[1].0 - pair[0].0);
        let longest = steps.fold(0.0, f64::max);
        assert!(longest <= 8.0, "{longest}");
    }
}
