//! Times, values and ends of clips.

use glam::Quat;

use crate::import::defects::Defects;
use crate::import::{keys, source, unit};
use crate::rig::{Clip, DefectKind, Joint, JointId, Place};
use crate::units::Seconds;

/// The clips of a file with nodes that became `joints`, node by node `ids`.
pub(super) fn resolve(
    clips: Vec<source::Clip>,
    joints: &[Joint],
    ids: &[JointId],
    defects: &mut Defects,
) -> Vec<Clip> {
    let clip = |(index, clip): (usize, source::Clip)| {
        let name = match clip.name {
            unnamed if unnamed.is_empty() => format!("animation_{index}"),
            name => name,
        };
        let stated_end = clip.end;
        let mut clip = Clip {
            end: clip.start,
            name,
            start: clip.start,
            rate: clip.rate,
            channels: clip.channels,
            morph_channels: clip.morph_channels,
        };
        for channel in &mut clip.channels {
            channel.joint = ids[channel.joint.index()];
        }
        for channel in &mut clip.morph_channels {
            channel.joint = ids[channel.joint.index()];
        }
        clip.end = stated_end.unwrap_or_else(|| keys::last(&clip));
        clip.channels.sort_by_key(|channel| channel.joint);
        clip.morph_channels.sort_by_key(|channel| channel.joint);
        examine(&clip, joints, defects);
        clip
    };
    clips.into_iter().enumerate().map(clip).collect()
}

fn examine(clip: &Clip, joints: &[Joint], defects: &mut Defects) {
    for channel in &clip.channels {
        let joint = joints[channel.joint.index()].name.as_str();
        let place = || {
            let clip = Place::clip(clip.name.clone());
            clip.of_joint(joint).part("rotation")
        };
        for key in channel.rotation.iter().flat_map(|track| &track.keys) {
            rotation(key.value, || place().at(key.time), defects);
        }
    }
    let ends = clip.drivers().filter_map(|driver| driver.track.ends());
    let times = ends.map(|(first, _)| first);
    let early: Vec<f64> = times.filter(|&time| time < 0.0).collect();
    let worst = early.iter().copied().fold(0.0, f64::min);
    let place = Place::clip(clip.name.clone()).at(Seconds(worst));
    let message = format!("the first key is at {worst:.3} s");
    defects.add_many(DefectKind::NegativeTime, place, early.len(), message);
}

fn rotation(value: Quat, place: impl FnOnce() -> Place, defects: &mut Defects) {
    let length = unit::length(&value.to_array());
    if let Some(off) = unit::excess(length, unit::ROTATION) {
        let message = format!("the quaternion has length {}, not 1", unit::rounded(length));
        defects.add_worst(unit::wrong_rotation(length), place(), 1, off, message);
    }
}
