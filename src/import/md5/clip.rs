//! Frames to a clip.

use glam::{Quat, Vec3};

use super::motion::{MOVES, Motion, TURNS};
use super::text::Damage;
use crate::rig::{Channel, Clip, JointId, Key, Note, Span, TickRate, Track};
use crate::units::Seconds;

/// Frames per second where the file says 0 or nothing sensible.
const DEFAULT_RATE: f64 = 25.0;

/// Keys of a clip: half an hour of thirty frames a second for a hundred joints, and about 1 GiB.
const MOST_KEYS: u64 = 1 << 24;

/// What clips are called, which have no names in the format.
pub(super) const NAME: &str = "animation_0";

/// The clip of `motion`.
///
/// * `ids` – for each joint of the file that of the skeleton.
///
/// # Errors
///
/// [`Damage::TooMany`] if joints share components without measure.
pub(super) fn read(
    motion: &Motion,
    ids: &[JointId],
    notes: &mut Vec<Note>,
) -> Result<Clip, Damage> {
    let frames = motion.frames.count;
    let driven = |flags: u32, part: u32| if flags & part == 0 { 1 } else { frames };
    let counts = motion.joints.iter().map(|joint| {
        let keys = driven(joint.flags, MOVES) + driven(joint.flags, TURNS);
        keys as u64
    });
    let count: u64 = counts.sum();
    if count > MOST_KEYS {
        let what = "the components of joints";
        return Err(Damage::TooMany { what, count });
    }
    let rate = tick_rate(motion.rate, notes);
    let channel = |(index, (joint, &id)): (usize, (_, &JointId))| {
        let joint: &super::motion::DrivenJoint = joint;
        let (moves, turns) = (driven(joint.flags, MOVES), driven(joint.flags, TURNS));
        Channel {
            translation: Some(track::<Vec3>(moves, rate.used, |frame| {
                motion.at(index, frame).translation.as_vec3()
            })),
            rotation: Some(track::<Quat>(turns, rate.used, |frame| {
                motion.at(index, frame).rotation.as_quat()
            })),
            ..Channel::of(id)
        }
    };
    let driven = motion.joints.iter().zip(ids).enumerate();
    let mut channels: Vec<Channel> = driven.map(channel).collect();
    channels.sort_by_key(|channel| channel.joint);
    Ok(Clip {
        name: NAME.to_owned(),
        start: Seconds::ZERO,
        end: moment(frames.saturating_sub(1), rate.used),
        rate,
        channels,
        morph_channels: Vec::new(),
    })
}

/// One key a frame; or one in all for a part that no frame has.
fn track<T>(count: usize, rate: f64, value: impl Fn(usize) -> T) -> Track<T> {
    let key = |frame| Key {
        time: moment(frame, rate),
        value: value(frame),
        span: Span::Linear,
    };
    Track {
        keys: (0..count).map(key).collect(),
    }
}

/// The time of frame `index`.
#[expect(
    clippy::cast_precision_loss,
    reason = "no file has as many as 2^53 frames"
)]
pub(super) fn moment(index: usize, rate: f64) -> Seconds {
    Seconds(index as f64 / rate)
}

/// The frames per second that `stated` ones are taken for.
pub(super) fn usable(stated: f64) -> f64 {
    if stated.is_finite() && stated > 0.0 {
        stated
    } else {
        DEFAULT_RATE
    }
}

fn tick_rate(stated: f64, notes: &mut Vec<Note>) -> TickRate {
    let used = usable(stated);
    if stated.total_cmp(&used).is_ne() {
        notes.push(Note {
            place: format!("clip {NAME:?}"),
            message: format!("states {stated} frames per second; {DEFAULT_RATE} are assumed"),
        });
    }
    TickRate {
        stated: Some(stated),
        used,
        frames: true,
    }
}
