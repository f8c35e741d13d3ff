//! Keys of all channels of a clip.

use crate::rig::{Clip, Track};
use crate::units::Seconds;

/// The time of the last key of all tracks; the start of a clip without any.
pub(super) fn last(clip: &Clip) -> Seconds {
    fn of<T>(track: Option<&Track<T>>) -> Option<f64> {
        Some(track?.keys.last()?.time.0)
    }
    let joints = clip.channels.iter().flat_map(|channel| {
        [
            of(channel.translation.as_ref()),
            of(channel.rotation.as_ref()),
            of(channel.scale.as_ref()),
        ]
    });
    let morphs = clip.morph_channels.iter();
    let all = joints.chain(morphs.map(|channel| of(Some(&channel.weights))));
    Seconds(all.flatten().fold(clip.start.0, f64::max))
}
