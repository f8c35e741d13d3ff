//! Keys of all channels of a clip.

use crate::rig::Clip;
use crate::units::Seconds;

/// The time of the last key of all tracks; the start of a clip without any.
pub(super) fn last(clip: &Clip) -> Seconds {
    let ends = clip.drivers().filter_map(|driver| driver.track.ends());
    Seconds(ends.map(|(_, last)| last).fold(clip.start.0, f64::max))
}
