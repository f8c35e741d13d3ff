//! From what a user asks for (a time, a frame, a phase) to a time in the clip.

use crate::rig::Clip;
use crate::units::Seconds;

/// What a time outside of the clip means.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Wrap {
    /// The clip's nearest moment.
    #[default]
    Clamp,
    /// The clip goes on from its start. Its end, and every whole number of durations later, is the end and not the start.
    Loop,
}

/// A moment of a clip, as a user asks for it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Moment {
    /// Absolute in the clip.
    Time(Seconds),
    /// `index / fps` after the clip's start.
    Frame {
        /// From 0.
        index: u64,
        /// Frames per second; [`frame_rate`] of the clip where `None`.
        fps: Option<f64>,
    },
    /// 0 is the clip's start, 1 its end.
    Phase(f64),
}

/// A time to sample at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Playback {
    /// Absolute in the clip, never outside of it.
    pub time: Seconds,
    /// Whether the moment asked for is outside of the clip and its nearest took its place: worth a warning.
    pub clamped: bool,
}

/// Why there is no such moment.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlaybackError {
    /// NaN or infinite, or a frame so late that its time is.
    #[error("the time {0} s is not finite")]
    NotFinite(f64),
    /// Before 0, in a clip that does not reach there.
    #[error("the time {time} is negative, and the clip starts at {start}")]
    Negative {
        /// What was asked for.
        time: Seconds,
        /// Of the clip.
        start: Seconds,
    },
    /// A phase that is not within 0..=1.
    #[error("the phase {0} is not between 0 and 1")]
    Phase(f64),
    /// Frames per second that are not a positive number.
    #[error("{0} frames per second is not a positive number")]
    FrameRate(f64),
}

/// Frames per second where a clip does not say.
pub const DEFAULT_FRAME_RATE: f64 = 30.0;

/// Tick rates that count frames; others count seconds (1), milliseconds (1000), or fractions of frames (4800).
const FRAMES_PER_SECOND: std::ops::RangeInclusive<f64> = 2.0..=240.0;

/// The frames per second that `clip` is likely to have been made at: its tick rate if the file counts in ticks that long,
/// else [`DEFAULT_FRAME_RATE`].
#[must_use]
pub fn frame_rate(clip: &Clip) -> f64 {
    let counts_frames = clip.rate.stated.is_some() && FRAMES_PER_SECOND.contains(&clip.rate.used);
    if counts_frames {
        clip.rate.used
    } else {
        DEFAULT_FRAME_RATE
    }
}

/// The time in `clip` that `moment` means.
///
/// A time before 0 is an error unless the clip itself starts before it; one between 0 and the clip's start is outside of
/// the clip but no error. What is past an end by no more than the rounding of an f32 counts as that end.
///
/// # Errors
///
/// [`PlaybackError`] if the moment is not finite, negative, or no phase, or the frame rate is not positive.
pub fn resolve(clip: &Clip, moment: Moment, wrap: Wrap) -> Result<Playback, PlaybackError> {
    let time = match moment {
        Moment::Time(time) => checked_time(clip, time)?.0,
        Moment::Frame { index, fps } => frame_time(clip, index, fps)?,
        Moment::Phase(phase) => phase_time(clip, phase)?,
    };
    Ok(wrapped(clip, time, wrap))
}

fn checked_time(clip: &Clip, time: Seconds) -> Result<Seconds, PlaybackError> {
    if !time.0.is_finite() {
        return Err(PlaybackError::NotFinite(time.0));
    }
    if time.0 < clip.start.0.min(0.0) {
        let start = clip.start;
        return Err(PlaybackError::Negative { time, start });
    }
    Ok(time)
}

fn frame_time(clip: &Clip, index: u64, fps: Option<f64>) -> Result<f64, PlaybackError> {
    let fps = fps.unwrap_or_else(|| frame_rate(clip));
    if !(fps.is_finite() && fps > 0.0) {
        return Err(PlaybackError::FrameRate(fps));
    }
    #[expect(clippy::cast_precision_loss, reason = "no clip has 2^53 frames")]
    let time = clip.start.0 + index as f64 / fps;
    let finite = time.is_finite().then_some(time);
    finite.ok_or(PlaybackError::NotFinite(time))
}

fn phase_time(clip: &Clip, phase: f64) -> Result<f64, PlaybackError> {
    if !(0.0..=1.0).contains(&phase) {
        return Err(PlaybackError::Phase(phase));
    }
    Ok(clip.start.0 * (1.0 - phase) + clip.end.0 * phase)
}

/// `time` is finite.
fn wrapped(clip: &Clip, time: f64, wrap: Wrap) -> Playback {
    let (start, end) = (clip.start.0, clip.end.0);
    // A file's f32 is off by half a unit in its last place: 2^-24 of its magnitude.
    let rounding = 0.5 * f64::from(f32::EPSILON) * start.abs().max(end.abs());
    let within = time >= start - rounding && time <= end + rounding;
    let time = match wrap {
        Wrap::Loop if !within => looped(time, start, end),
        _ => time,
    };
    Playback {
        time: Seconds(time.max(start).min(end)),
        clamped: wrap == Wrap::Clamp && !within,
    }
}

/// `start` if the clip has no duration.
fn looped(time: f64, start: f64, end: f64) -> f64 {
    let since_start = (time - start).rem_euclid(end - start);
    if since_start == 0.0 && time > start {
        end
    } else if since_start.is_finite() {
        start + since_start
    } else {
        start
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pose::rigs;
    use crate::rig::TickRate;

    fn clip(start: f64, end: f64) -> Clip {
        rigs::clip("walk", start, end)
    }

    /// The time and whether it was clamped, of a moment in seconds.
    fn at(clip: &Clip, time: f64, wrap: Wrap) -> (f64, bool) {
        let playback = resolve(clip, Moment::Time(Seconds(time)), wrap).unwrap();
        (playback.time.0, playback.clamped)
    }

    #[test]
    fn clamping_holds_the_ends_and_says_so() {
        let clip = clip(1.0, 3.0);
        let clamped = |time| at(&clip, time, Wrap::Clamp);
        assert_eq!(clamped(0.0), (1.0, true));
        assert_eq!(clamped(1.0), (1.0, false));
        assert_eq!(clamped(2.5), (2.5, false));
        assert_eq!(clamped(3.0), (3.0, false));
        assert_eq!(clamped(3.5), (3.0, true));
    }

    #[test]
    fn the_rounding_of_a_file_is_not_outside_of_its_clip() {
        let frames = (1..240_u16).map(|frame| (f64::from(frame) / 30.0, f32::from(frame) / 30.0));
        let late: Vec<_> = frames
            .filter(|(frame, end)| *frame > f64::from(*end))
            .collect();
        assert!(late.len() > 50);
        for (frame, end) in late {
            let end = f64::from(end);
            assert_eq!(at(&clip(0.0, end), frame, Wrap::Clamp), (end, false));
            assert_eq!(at(&clip(0.0, end), frame, Wrap::Loop), (end, false));
        }
    }

    /// Looping, as a law: the end stays the end, and a whole duration more makes no difference.
    fn looping_keeps_the_end_and_repeats(
        resolve: impl Fn(&Clip, Moment, Wrap) -> Result<Playback, PlaybackError>,
    ) -> bool {
        let clip = clip(0.5, 2.5);
        let at = |time| resolve(&clip, Moment::Time(Seconds(time)), Wrap::Loop);
        let is = |time, expected| at(time).is_ok_and(|playback| playback.time == Seconds(expected));
        let ends = [2.5, 4.5, 6.5].iter().all(|&time| is(time, 2.5));
        let repeats = (0..4).all(|n| is(0.75 + 2.0 * f64::from(n), 0.75));
        ends && repeats && is(0.5, 0.5) && is(0.25, 2.25) && is(2.25, 2.25)
    }

    #[test]
    fn looping_keeps_the_end_as_the_end() {
        assert!(looping_keeps_the_end_and_repeats(resolve));
    }

    #[test]
    fn a_loop_by_remainder_alone_is_caught() {
        let remainder = |clip: &Clip, moment: Moment, _| match moment {
            Moment::Time(time) => Ok(Playback {
                time: Seconds(clip.start.0 + (time.0 - clip.start.0).rem_euclid(clip.duration().0)),
                clamped: false,
            }),
            _ => Err(PlaybackError::NotFinite(0.0)),
        };
        assert!(!looping_keeps_the_end_and_repeats(remainder));
    }

    #[test]
    fn a_clip_of_one_moment_stays_there() {
        let clip = clip(2.0, 2.0);
        assert_eq!(at(&clip, 7.0, Wrap::Loop).0, 2.0);
        assert_eq!(at(&clip, 7.0, Wrap::Clamp), (2.0, true));
        assert_eq!(at(&clip, 2.0, Wrap::Clamp), (2.0, false));
        assert_eq!(
            resolve(&clip, Moment::Phase(0.5), Wrap::Loop).unwrap().time,
            Seconds(2.0)
        );
    }

    #[test]
    fn the_largest_times_stay_inside_of_the_clip() {
        for clip in [clip(-1e308, 1e308), clip(0.0, 1e-300), clip(0.0, 1e308)] {
            for time in [0.0, 1e-320, 1.0, 1e300, f64::MAX] {
                for wrap in [Wrap::Clamp, Wrap::Loop] {
                    let (time, _) = at(&clip, time, wrap);
                    assert!(time >= clip.start.0 && time <= clip.end.0, "{time}");
                }
            }
        }
    }

    #[test]
    fn times_that_are_none_are_errors() {
        let at = |start, time| resolve(&clip(start, 9.0), Moment::Time(Seconds(time)), Wrap::Loop);
        assert!(matches!(
            at(0.0, f64::NAN),
            Err(PlaybackError::NotFinite(_))
        ));
        assert!(matches!(
            at(0.0, f64::INFINITY),
            Err(PlaybackError::NotFinite(_))
        ));
        assert!(matches!(at(0.0, -0.5), Err(PlaybackError::Negative { .. })));
        assert!(matches!(
            at(-1.0, -1.5),
            Err(PlaybackError::Negative { .. })
        ));
        assert!(at(-1.0, -0.5).is_ok());
    }

    #[test]
    fn frames_count_from_the_start_of_the_clip() {
        let frame =
            |index, fps| resolve(&clip(1.0, 3.0), Moment::Frame { index, fps }, Wrap::Clamp);
        assert_eq!(frame(0, None).unwrap().time, Seconds(1.0));
        assert_eq!(frame(15, None).unwrap().time, Seconds(1.5));
        assert_eq!(frame(15, Some(60.0)).unwrap().time, Seconds(1.25));
        assert!(frame(600, None).unwrap().clamped);
        for fps in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(
                frame(1, Some(fps)),
                Err(PlaybackError::FrameRate(_))
            ));
        }
        assert!(matches!(
            frame(u64::MAX, Some(1e-300)),
            Err(PlaybackError::NotFinite(_))
        ));
    }

    #[test]
    fn a_clip_that_counts_frames_gives_the_frame_rate() {
        let rate = |stated, used| {
            frame_rate(&Clip {
                rate: TickRate { stated, used },
                ..clip(0.0, 1.0)
            })
        };
        assert_eq!(rate(Some(24.0), 24.0), 24.0);
        assert_eq!(rate(Some(0.0), 25.0), 25.0);
        assert_eq!(rate(Some(4800.0), 4800.0), 30.0);
        assert_eq!(rate(Some(1.0), 1.0), 30.0);
        assert_eq!(rate(None, 1.0), 30.0);
    }

    #[test]
    fn a_phase_runs_from_the_start_to_the_end() {
        let phase = |phase| resolve(&clip(1.0, 3.0), Moment::Phase(phase), Wrap::Loop);
        assert_eq!(phase(0.0).unwrap().time, Seconds(1.0));
        assert_eq!(phase(0.5).unwrap().time, Seconds(2.0));
        assert_eq!(phase(1.0).unwrap().time, Seconds(3.0));
        for wrong in [-0.1, 1.1, f64::NAN] {
            assert!(matches!(phase(wrong), Err(PlaybackError::Phase(_))));
        }
    }
}
