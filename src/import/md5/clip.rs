//! Frames to a clip.

use super::motion::{DrivenJoint, Motion, ROTATION, TRANSLATION};
use super::rigid;
use super::text::Damage;
use crate::import::bake::MOST_KEYS;
use crate::import::frames::{self, track};
use crate::import::log::Log;
use crate::import::source::{Channel, Clip, Keys, clip_name};
use crate::units::Seconds;

/// The clip of `motion`, which has no name in the format.
///
/// # Errors
///
/// [`Damage::TooMany`] if joints share components without measure.
pub(super) fn read(motion: &Motion, log: &mut Log) -> Result<Clip, Damage> {
    let count = motion.frames.count;
    let driven = |flags: u32, part: u32| if flags & part == 0 { 1 } else { count };
    let keys_of =
        |joint: &DrivenJoint| [TRANSLATION, ROTATION].map(|part| driven(joint.flags, part));
    let keys: usize = motion.joints.iter().flat_map(keys_of).sum();
    if keys > MOST_KEYS {
        return Err(Damage::TooMany {
            what: "the components of joints",
            count: keys as u64,
        });
    }
    // The format has no names for clips.
    let rate = frames::rate(motion.rate, &clip_name("", 0), &mut log.notes);
    let mut channels = Vec::new();
    for (node, joint) in motion.joints.iter().enumerate() {
        let [translations, rotations] = keys_of(joint);
        let translations = track(translations, rate.used, |frame| {
            motion.at(node, frame).translation.as_vec3()
        });
        let rotations = track(rotations, rate.used, |frame| {
            rigid::rotation(motion.numbers(node, frame))
        });
        let parts = [Keys::Translation(translations), Keys::Rotation(rotations)];
        channels.extend(parts.map(|keys| Channel::new(node, keys)));
    }
    Ok(Clip {
        name: String::new(),
        start: Seconds::ZERO,
        end: Some(frames::time(count.saturating_sub(1), rate.used)),
        rate,
        channels,
    })
}
