//! The frames of a clip.

use crate::rig::{Clip, Keyed, TickRate};
use crate::units::Seconds;

/// Frames per second of a clip whose rate is unknown.
pub const DEFAULT_FRAME_RATE: f64 = 30.0;

/// Tick rates that are likely to count frames; others count seconds (1), milliseconds (1000), or fractions of frames
/// (4800).
const FRAMES_PER_SECOND: std::ops::RangeInclusive<f64> = 2.0..=240.0;

/// The usual frame rates.
const USUAL: [f64; 6] = [24.0, 25.0, 30.0, 48.0, 50.0, 60.0];

/// The fewest keys that show a rate.
const FEWEST_KEYS: usize = 3;

/// A time is on a frame if it is this close to it, in frames.
const ON_FRAME: f64 = 0.02;

/// [`known_frame_rate`], or else [`DEFAULT_FRAME_RATE`].
#[must_use]
pub fn frame_rate(clip: &Clip) -> f64 {
    known_frame_rate(clip).unwrap_or(DEFAULT_FRAME_RATE)
}

/// The frames per second of `clip`: its tick rate if its format counts in frames or the ticks are likely frames (2 to 240
/// per second), else the rate that [its keys show](rate_of_keys).
#[must_use]
pub fn known_frame_rate(clip: &Clip) -> Option<f64> {
    let TickRate {
        stated,
        used,
        frames,
    } = clip.rate;
    let is_rate = used.is_finite() && used > 0.0;
    let counts_frames = (frames && is_rate) || FRAMES_PER_SECOND.contains(&used);
    if stated.is_some() && counts_frames {
        return Some(used);
    }
    let within = |time: &f64| (clip.start.0..=clip.end.0).contains(time);
    rate_of(|| clip.tracks().flat_map(<dyn Keyed>::times).filter(within))
}

/// The only usual frame rate on whose frames all `keys` are, in seconds. Of multiples of a rate, it is the lowest.
#[doc(hidden)]
#[must_use]
pub fn rate_of_keys(keys: &[f64]) -> Option<f64> {
    rate_of(|| keys.iter().copied())
}

fn rate_of<I: Iterator<Item = f64>>(keys: impl Fn() -> I) -> Option<f64> {
    let mut distinct: Vec<f64> = Vec::with_capacity(FEWEST_KEYS);
    let is_new = |key: &f64| {
        let is_new = !distinct.contains(key);
        distinct.extend(is_new.then_some(*key));
        is_new
    };
    keys().filter(is_new).nth(FEWEST_KEYS - 1)?;
    let is_on_frames = |rate: &f64| keys().all(|key| is_whole(key * rate));
    let mut rates = USUAL.into_iter().filter(is_on_frames);
    let first = rates.next()?;
    rates.all(|rate| is_whole(rate / first)).then_some(first)
}

/// The number of frames in `time` at `rate` per second: whole if it is close to that, otherwise to the hundredth.
#[doc(hidden)]
#[must_use]
pub fn frames_in(time: Seconds, rate: f64) -> f64 {
    let count = time.0 * rate;
    // Without the sign of -0.
    0.0 + if is_whole(count) {
        count.round()
    } else {
        (100.0 * count).round() / 100.0
    }
}

/// The frame of `clip` at `time`, counted from 0 s, if the frame rate is known.
#[doc(hidden)]
#[must_use]
pub fn frame_at(clip: &Clip, time: Seconds) -> Option<f64> {
    Some(frames_in(time, known_frame_rate(clip)?))
}

fn is_whole(count: f64) -> bool {
    (count - count.round()).abs() < ON_FRAME
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::rig::{Channel, NodeId, Track};

    fn clip(keys: &[f64], rate: TickRate) -> Clip {
        let end = keys.last().copied().unwrap_or(1.0);
        let track = Track::linear(keys.iter().map(|time| (*time, Vec3::ZERO)));
        Clip {
            rate,
            channels: vec![Channel {
                translation: Some(track),
                ..Channel::of(NodeId(0))
            }],
            ..Clip::new("Walk", Seconds(end))
        }
    }

    #[test]
    fn a_clip_that_counts_frames_gives_the_frame_rate() {
        let rate = |frames, stated, used, expected: f64| {
            let rate = TickRate {
                stated,
                used,
                frames,
            };
            let actual = frame_rate(&Clip {
                rate,
                ..clip(&[], TickRate::SECONDS)
            });
            assert_eq!(actual.to_bits(), expected.to_bits(), "{actual}");
        };
        let gives = |stated, used, expected| rate(false, stated, used, expected);
        gives(Some(24.0), 24.0, 24.0);
        gives(Some(0.0), 25.0, 25.0);
        gives(Some(4800.0), 4800.0, 30.0);
        gives(Some(1.0), 1.0, 30.0);
        gives(None, 1.0, 30.0);
        let frames = |used, expected| rate(true, Some(used), used, expected);
        frames(1.0, 1.0);
        frames(1000.0, 1000.0);
        frames(0.0, 30.0);
        frames(f64::NAN, 30.0);
    }

    #[test]
    fn a_rate_is_recognized_by_keys_that_only_its_frames_have() {
        let of = |keys: &[f64]| known_frame_rate(&clip(keys, TickRate::SECONDS));
        let at = |rate: f64| [0.0, 1.0 / rate, 3.0 / rate, 7.0 / rate];
        for rate in [24.0, 25.0, 30.0, 60.0] {
            assert_eq!(of(&at(rate)), Some(rate));
        }
        // Every sixth of a second is a frame at 24, 30, 48 and 60.
        assert_eq!(of(&[0.0, 1.0 / 6.0, 2.0 / 6.0, 3.0 / 6.0]), None);
        assert_eq!(of(&[0.0, 1.0 / 24.0]), None);
    }

    #[test]
    fn frames_are_those_of_the_file_however_close_its_keys_are() {
        let refined = [0.0, 1.0 / 240.0, 1.0 / 120.0, 1.0 / 30.0, 2.0 / 30.0];
        let frames = TickRate {
            stated: Some(30.0),
            used: 30.0,
            frames: true,
        };
        assert_eq!(known_frame_rate(&clip(&refined, frames)), Some(30.0));
        assert_eq!(known_frame_rate(&clip(&refined, TickRate::SECONDS)), None);
    }

    #[test]
    fn a_time_by_a_frame_is_on_it() {
        for (time, frame) in [
            (0.25, 6.0),
            (0.250_4, 6.0),
            (-0.5, -12.0),
            (0.26, 6.24),
            (-0.0, 0.0),
        ] {
            let found = frames_in(Seconds(time), 24.0);
            assert_eq!(found.to_bits(), f64::to_bits(frame), "{time}: {found}");
        }
    }
}
