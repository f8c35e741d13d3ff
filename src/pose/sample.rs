//! A clip at a time.

use glam::{Quat, Vec3};

use super::interpolate::{Between, Interpolate, Tangents};
use super::{Pose, rest};
use crate::rig::{Asset, Channel, Clip, LocalTransform, MorphChannel, Span, Track, Trs};
use crate::units::Seconds;

/// The local transform of every joint, and every morph weight, at `time` of `clip`.
///
/// * `clip` – of `asset`, or of another file with its joints already matched to `asset`'s.
/// * `time` – absolute in the clip. Before a track's first key its first value holds, after the last its last; see
///   [`resolve`](super::resolve) for looping and for times outside of the clip.
///
/// Translation, rotation and scale that no track drives keep the joint's rest value, decomposed where the rest is a
/// matrix; so does a rotation whose keys are zero or not finite. A joint that nothing drives keeps its rest transform
/// bit for bit, shear included. Sampled rotations are unit quaternions. Where keys share a time, the last of them
/// counts from that very time on.
///
/// # Reference
///
/// glTF 2.0 §3.11 "Animations" and appendix C "Animation Sampler Interpolation Modes".
#[must_use]
pub fn sample(asset: &Asset, clip: &Clip, time: Seconds) -> Pose {
    let mut pose = rest(asset);
    for channel in &clip.channels {
        if let Some(local) = pose.locals.get_mut(channel.joint.index()) {
            drive(local, channel, time);
        }
    }
    for channel in &clip.morph_channels {
        drive_morphs(&mut pose, asset, channel, time);
    }
    pose
}

/// Replaces the parts of `local` that `channel` drives.
fn drive(local: &mut LocalTransform, channel: &Channel, time: Seconds) {
    let translation = sample_part(channel.translation.as_ref(), time);
    let rotation: Option<Quat> = sample_part(channel.rotation.as_ref(), time);
    let scale: Option<Vec3> = sample_part(channel.scale.as_ref(), time);
    if translation.is_none() && rotation.is_none() && scale.is_none() {
        return;
    }
    let rest = local.to_trs();
    *local = LocalTransform::Trs(Trs {
        translation: translation.unwrap_or(rest.translation),
        rotation: rotation.unwrap_or(rest.rotation),
        scale: scale.unwrap_or(rest.scale),
    });
}

fn sample_part<T: Interpolate>(track: Option<&Track<T>>, time: Seconds) -> Option<T> {
    sample_track(track?, time)
}

/// Replaces the weights of all instances of the channel's joint. Targets that the track does not reach keep their rest
/// weight; weights past the last target are of no use.
fn drive_morphs(pose: &mut Pose, asset: &Asset, channel: &MorphChannel, time: Seconds) {
    let Some(weights) = sample_track(&channel.weights, time) else {
        return;
    };
    for (instance, driven) in asset.instances.iter().zip(&mut pose.morph_weights) {
        if instance.joint == channel.joint {
            for (weight, sampled) in driven.iter_mut().zip(&weights) {
                *weight = *sampled;
            }
        }
    }
}

/// The value of `track` at `time`; `None` if its keys give none.
fn sample_track<T: Interpolate>(track: &Track<T>, time: Seconds) -> Option<T> {
    let keys = &track.keys;
    let after = keys.partition_point(|key| key.time <= time);
    let (Some(key), Some(next)) = (keys.get(after.wrapping_sub(1)), keys.get(after)) else {
        let nearest = if after == 0 {
            keys.first()
        } else {
            keys.last()
        };
        return nearest?.value.at_key();
    };
    let (elapsed, span) = (time.0 - key.time.0, next.time.0 - key.time.0);
    if elapsed <= 0.0 || !span.is_finite() {
        return key.value.at_key();
    }
    let between = Between {
        from: &key.value,
        to: &next.value,
        phase: elapsed / span,
    };
    match &key.span {
        Span::Step => key.value.at_key(),
        Span::Linear => T::linear(between),
        Span::Cubic { leave, arrive } => {
            let tangents = Tangents {
                leave,
                arrive,
                span,
            };
            T::cubic(between, tangents)
        }
    }
}

#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;
