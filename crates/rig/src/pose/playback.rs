//! Converts a time, a frame or a phase to a time in the clip.

use super::frames::frame_rate;
use crate::rig::{Clip, NodeId};
use crate::units::Seconds;

/// How times outside the clip are mapped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Wrap {
    /// Clamped to the clip.
    #[default]
    Clamp,
    /// The clip repeats. Its end maps to the end itself, and later multiples of its duration map to the start, as in
    /// three.js and Khronos' viewer.
    Loop,
}

/// A sample time as given by a user.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SampleTime {
    /// Absolute in the clip.
    Time(Seconds),
    /// `index / fps`, absolute in the clip: as in authoring tools, where frame 0 is at 0 s wherever the clip starts.
    Frame {
        /// Before 0 only in a clip that starts there.
        index: i64,
        /// Frames per second; [`frame_rate`] of the clip where `None`.
        fps: Option<f64>,
    },
    /// 0 is the clip's start, 1 its end.
    Phase(f64),
}

/// A time to sample at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Playback {
    /// Absolute in the clip, never outside it.
    pub time: Seconds,
    /// Whether the requested time was outside the clip and was clamped: worth a warning.
    pub clamped: bool,
}

/// An invalid sample time.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlaybackError {
    /// NaN or infinite, or a frame whose time is.
    #[error("the time {0} s is not finite; expected seconds such as 1.2")]
    NotFinite(f64),
    /// A time or frame before 0, in a clip that does not reach there.
    #[error("the time {time} is negative; the clip starts at {start}")]
    Negative {
        /// The request.
        time: Seconds,
        /// The start of the clip.
        start: Seconds,
    },
    /// A phase outside 0..=1.
    #[error("{}% of the clip is outside of it; expected 0% (its start) to 100% (its end)", .0 * 100.0)]
    Phase(f64),
    /// A clip of another asset.
    #[error("the clip drives node {node}, but the skeleton has {nodes} nodes")]
    UnknownNode {
        /// The node that the skeleton lacks.
        node: NodeId,
        /// The number of nodes of the skeleton.
        nodes: usize,
    },
    /// Frames per second that are not a positive number.
    #[error("{0} frames per second; expected a number above 0 such as 30")]
    FrameRate(f64),
}

/// Converts `sample_time` to a time in `clip`.
///
/// A time or frame before 0 is an error unless the clip itself starts before it; a time between 0 and the clip's start
/// is outside the clip, but not an error. A time past an end by no more than f32 rounding counts as that end. A frame,
/// a phase or a looped time that close to a key counts as the key: files store f32, in which the key of frame 1 at 30
/// frames per second is later than 1/30. A time within the clip is used unchanged.
///
/// # Errors
///
/// [`PlaybackError`] if the time is not finite or negative, the phase is out of range, or the frame rate is not
/// positive.
pub fn resolve(
    clip: &Clip,
    sample_time: SampleTime,
    wrap: Wrap,
) -> Result<Playback, PlaybackError> {
    let time = match sample_time {
        SampleTime::Time(time) => checked_time(clip, time)?.0,
        SampleTime::Frame { index, fps } => checked_time(clip, frame_time(clip, index, fps)?)?.0,
        SampleTime::Phase(phase) => phase_time(clip, phase)?,
    };
    let playback = wrapped(clip, time, wrap);
    if matches!(sample_time, SampleTime::Time(_)) && playback.time == Seconds(time) {
        return Ok(playback);
    }
    Ok(Playback {
        // Repetitions add the rounding of their total time.
        time: at_key(clip, playback.time, time.abs().max(playback.time.0.abs())),
        ..playback
    })
}

/// The last key within rounding of `time`, else `time`. If the value jumps right after a key, so that the next key is at
/// the next f32, the former is used.
///
/// * `magnitude` – of the numbers that `time` was computed from.
fn at_key(clip: &Clip, time: Seconds, magnitude: f64) -> Seconds {
    let rounding = capped_rounding(clip, magnitude);
    let keys = clip
        .key_times()
        .into_iter()
        .rev()
        .skip_while(|key| key.0 > time.0 + rounding)
        .take_while(|key| key.0 >= time.0 - rounding);
    let key = keys.reduce(|key, before| {
        let is_jump = before.0.next_up() >= key.0;
        if is_jump { before } else { key }
    });
    key.unwrap_or(time)
}

/// The rounding of a key's own time plus that of a frame index times the frame's duration.
fn rounding_of(time: f64) -> f64 {
    2.0 * f64::from(f32::EPSILON) * time.abs()
}

/// In seconds; small enough that no time between two keys counts as one of them.
const MOST_ROUNDING: f64 = 1e-3;

/// [`rounding_of`] a `time` that may be many repetitions of `clip` late. Beyond the rounding of the clip's own times it
/// is at most [`MOST_ROUNDING`], and at most a quarter of the distance between any two neighbouring keys that f32
/// distinguishes.
fn capped_rounding(clip: &Clip, time: f64) -> f64 {
    let (rounding, own) = (rounding_of(time), rounding_of(extent(clip)));
    if rounding <= own {
        return rounding;
    }
    let keys = clip.key_times();
    let gaps = keys
        .windows(2)
        .map(|pair| (pair[1].0 - pair[0].0, pair[1].0))
        .filter(|(gap, time)| *gap > f64::from(f32::EPSILON) * time.abs());
    let most = gaps.fold(MOST_ROUNDING, |most, (gap, _)| most.min(gap / 4.0));
    rounding.min(most.max(own))
}

/// The greatest magnitude of a time in `clip`.
fn extent(clip: &Clip) -> f64 {
    clip.start.0.abs().max(clip.end.0.abs())
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

fn frame_time(clip: &Clip, index: i64, fps: Option<f64>) -> Result<Seconds, PlaybackError> {
    let fps = fps.unwrap_or_else(|| frame_rate(clip));
    if !(fps.is_finite() && fps > 0.0) {
        return Err(PlaybackError::FrameRate(fps));
    }
    #[expect(clippy::cast_precision_loss, reason = "no clip has 2^53 frames")]
    let time = Seconds(index as f64 / fps);
    Ok(time)
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
    let rounding = 0.5 * f64::from(f32::EPSILON) * extent(clip);
    let within = time >= start - rounding && time <= end + rounding;
    let time = match wrap {
        Wrap::Loop if !within => looped(time, start, end, capped_rounding(clip, time)),
        _ => time,
    };
    Playback {
        time: Seconds(time.max(start).min(end)),
        clamped: wrap == Wrap::Clamp && !within,
    }
}

/// `start` if the clip has no duration, or if `time` is a whole number of durations later, within `rounding`.
fn looped(time: f64, start: f64, end: f64, rounding: f64) -> f64 {
    let duration = end - start;
    let since_start = (time - start).rem_euclid(duration);
    if since_start.is_finite() && duration - since_start > rounding {
        start + since_start
    } else {
        start
    }
}

#[cfg(test)]
mod tests;
