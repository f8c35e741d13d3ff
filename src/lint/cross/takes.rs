//! The few poses of the cross-checks.

use crate::crosscheck::{Take, Times};
use crate::rig::{Asset, ClipId};

/// Most clips that are compared; of more, evenly spaced ones are skipped. Paths and precisions that differ do so in any
/// clip.
const MOST_CLIPS: usize = 8;

/// The rest pose, and start, middle and end of each clip.
pub(super) fn takes(asset: &Asset) -> Vec<Take> {
    let all = asset.clips.len();
    let clips = (0..all.min(MOST_CLIPS)).map(|index| index * all / all.min(MOST_CLIPS));
    let of_clip = |index: usize| {
        let times = Times::Even(3).of(&asset.clips[index]).ok()?.0;
        Some(Take::Clip(ClipId::from_index(index), times))
    };
    std::iter::once(Take::rest(asset))
        .chain(clips.filter_map(of_clip))
        .collect()
}
