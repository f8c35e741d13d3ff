//! Frames to a clip.

use glam::{Quat, Vec3};

use super::motion::{Motion, ROTATION, TRANSLATION};
use super::rigid;
use super::text::Damage;
use crate::import::log::Log;
use crate::import::source::{Channel, Clip, Keys};
use crate::rig::{Key, Span, TickRate, Track};
use crate::units::Seconds;

/// Frames per second where the file says 0 or nothing sensible.
const DEFAULT_RATE: f64 = 25.0;

/// Keys of a clip: half an hour of thirty frames a second for a hundred joints, and about 1 GiB.
const MOST_KEYS: u64 = 1 << 24;

/// The clip of `motion`, which has no name in the format.
///
/// # Errors
///
/// [`Damage::TooMany`] if joints share components without measure.
pub(super) fn read(motion: &Motion, log: &mut Log) -> Result<Clip, Damage> {
    let frames = motion.frames.count;
    let driven = |flags: u32, part: u32| if flags & part == 0 { 1 } else { frames };
    let counts = motion.joints.iter().map(|joint| {
        let keys = driven(joint.flags, TRANSLATION) + driven(joint.flags, ROTATION);
        keys as u64
    });
    let count: u64 = counts.sum();
    if count > MOST_KEYS {
        let what = "the components of joints";
        return Err(Damage::TooMany { what, count });
    }
    let rate = tick_rate(motion.rate, log);
    let mut channels = Vec::new();
    for (node, joint) in motion.joints.iter().enumerate() {
        let (translations, rotations) = (
            driven(joint.flags, TRANSLATION),
            driven(joint.flags, ROTATION),
        );
        let translations = track::<Vec3>(translations, rate.used, |frame| {
            motion.at(node, frame).translation.as_vec3()
        });
        let rotations = track::<Quat>(rotations, rate.used, |frame| {
            rigid::rotation(motion.numbers(node, frame))
        });
        let parts = [Keys::Translation(translations), Keys::Rotation(rotations)];
        channels.extend(parts.map(|keys| Channel {
            node,
            part: None,
            keys,
        }));
    }
    Ok(Clip {
        name: String::new(),
        start: Seconds::ZERO,
        end: Some(frame_time(frames.saturating_sub(1), rate.used)),
        rate,
        channels,
    })
}

/// One key a frame; or one in all for a part that no frame has.
fn track<T>(count: usize, rate: f64, value: impl Fn(usize) -> T) -> Track<T> {
    let key = |frame| Key {
        time: frame_time(frame, rate),
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
fn frame_time(index: usize, rate: f64) -> Seconds {
    Seconds(index as f64 / rate)
}

fn tick_rate(stated: f64, log: &mut Log) -> TickRate {
    let is_usable = stated.is_finite() && stated > 0.0;
    if !is_usable {
        let message = format!("states {stated} frames per second; assuming {DEFAULT_RATE}");
        log.notes.add("clip \"animation_0\"", message);
    }
    TickRate {
        stated: Some(stated),
        used: if is_usable { stated } else { DEFAULT_RATE },
        frames: true,
    }
}
