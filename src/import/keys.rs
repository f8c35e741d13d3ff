//! Keys in order of time.

use super::notes::Notes;
use crate::rig::{Clip, Key, Track};
use crate::units::Seconds;

/// Leaves out keys at no finite time and puts the others in order; `None` if none is left.
pub(super) fn track<T>(mut keys: Vec<Key<T>>, place: &str, notes: &mut Notes) -> Option<Track<T>> {
    let all = keys.len();
    keys.retain(|key| key.time.0.is_finite());
    if keys.len() < all {
        notes.add(place, "left out keys whose time is not a number");
    }
    if !keys.is_sorted_by(|a, b| a.time <= b.time) {
        keys.sort_by(|a, b| a.time.0.total_cmp(&b.time.0));
        notes.add(place, "put keys in order of time");
    }
    (!keys.is_empty()).then_some(Track { keys })
}

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
