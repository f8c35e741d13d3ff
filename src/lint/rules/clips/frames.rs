//! The length of a frame.

use crate::pose::frame_rate;
use crate::rig::Clip;

/// The longest frame that tools offer for games and film, in seconds: 24 per second.
pub(super) const LONGEST_FRAME: f64 = 1.0 / 24.0;

/// The seconds of a frame of `clip`: by its rate if the file states one, else [`LONGEST_FRAME`], so that nothing within
/// a frame counts as a frame late.
pub(super) fn frame_seconds(clip: &Clip) -> f64 {
    if clip.rate.stated.is_some() {
        1.0 / frame_rate(clip)
    } else {
        LONGEST_FRAME
    }
}
