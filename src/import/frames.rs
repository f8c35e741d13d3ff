//! Clips of formats that store a value per frame.

use super::log::Notes;
use crate::rig::{Key, Span, TickRate, Track};
use crate::units::Seconds;

/// Frames or ticks per second where the file states 0 or nonsense: the default of assimp's documentation and of most
/// readers.
pub(super) const DEFAULT_RATE: f64 = 25.0;

/// The frame rate that the file states for `clip`, if it is usable.
pub(super) fn rate(stated: f64, clip: &str, notes: &mut Notes) -> TickRate {
    let is_usable = stated.is_finite() && stated > 0.0;
    if !is_usable {
        let message = format!("states {stated} frames per second; assuming {DEFAULT_RATE}");
        notes.add(format!("clip {clip:?}"), message);
    }
    TickRate {
        stated: Some(stated),
        used: if is_usable { stated } else { DEFAULT_RATE },
        frames: true,
    }
}

/// One key per frame, linear in between.
///
/// * `rate` – frames per second.
pub(super) fn track<T>(count: usize, rate: f64, value: impl Fn(usize) -> T) -> Track<T> {
    let key = |frame| Key {
        time: time(frame, rate),
        value: value(frame),
        span: Span::Linear,
    };
    Track {
        keys: (0..count).map(key).collect(),
    }
}

/// The time of a frame of a clip.
#[expect(
    clippy::cast_precision_loss,
    reason = "no file has as many as 2^53 frames"
)]
pub(super) fn time(frame: usize, rate: f64) -> Seconds {
    Seconds(frame as f64 / rate)
}
