//! A clip at a time.

use glam::{Mat4, Quat, Vec3};

use super::interpolate::{Between, Interpolate, Tangents};
use super::{PlaybackError, Pose, rest};
use crate::rig::{Asset, Channel, Clip, Key, LocalTransform, MorphChannel, Span, Track, Trs};
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
/// # Errors
///
/// [`PlaybackError::NotFinite`] if `time` is NaN or infinite.
///
/// # Reference
///
/// glTF 2.0 §3.11 "Animations" and appendix C "Animation Sampler Interpolation Modes".
pub fn sample(asset: &Asset, clip: &Clip, time: Seconds) -> Result<Pose, PlaybackError> {
    if !time.0.is_finite() {
        return Err(PlaybackError::NotFinite(time.0));
    }
    Ok(sample_finite(asset, clip, time))
}

/// [`sample`], for a time that is finite, as those of a [valid](Asset::validate) clip are.
pub(crate) fn sample_finite(asset: &Asset, clip: &Clip, time: Seconds) -> Pose {
    let (mut pose, mut moment) = (rest(asset), Moment::new(time));
    for channel in &clip.channels {
        if let Some(local) = pose.locals.get_mut(channel.joint.index()) {
            drive(local, channel, &mut moment);
        }
    }
    for channel in &clip.morph_channels {
        drive_morphs(&mut pose, asset, channel, &mut moment);
    }
    pose
}

/// A time, and where it was found last: most tracks of a clip have the same times.
struct Moment {
    time: Seconds,
    after: usize,
}

impl Moment {
    fn new(time: Seconds) -> Self {
        Self { time, after: 0 }
    }

    /// How many keys of `track` are not later.
    fn after<T>(&mut self, track: &Track<T>) -> usize {
        let (keys, time) = (&track.keys, self.time);
        let is_so = |after: usize| {
            let before = keys.get(after.wrapping_sub(1));
            let next = keys.get(after);
            before.is_some_and(|key| key.time <= time) && next.is_some_and(|key| key.time > time)
        };
        if !is_so(self.after) {
            let guess = if_evenly_spaced(keys, time);
            self.after = if is_so(guess) {
                guess
            } else {
                keys.partition_point(|key| key.time <= time)
            };
        }
        self.after
    }
}

/// How many of `keys` are not later than `time`, if they are spaced evenly and it is between them.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "a guess"
)]
fn if_evenly_spaced<T>(keys: &[Key<T>], time: Seconds) -> usize {
    let [first, .., last] = keys else {
        return 0;
    };
    let part = (time.0 - first.time.0) / (last.time.0 - first.time.0);
    ((part * (keys.len() - 1) as f64) as usize).saturating_add(1)
}

/// Replaces the parts of `local` that `channel` drives.
fn drive(local: &mut LocalTransform, channel: &Channel, moment: &mut Moment) {
    let matrix: Option<Mat4> = sample_part(channel.matrix.as_ref(), moment);
    if let Some(matrix) = matrix {
        *local = LocalTransform::Matrix(matrix);
        return;
    }
    let translation = sample_part(channel.translation.as_ref(), moment);
    let rotation: Option<Quat> = sample_part(channel.rotation.as_ref(), moment);
    let scale: Option<Vec3> = sample_part(channel.scale.as_ref(), moment);
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

fn sample_part<T: Interpolate>(track: Option<&Track<T>>, moment: &mut Moment) -> Option<T> {
    sample_at(track?, moment)
}

/// Replaces the weights of all instances of the channel's joint. Targets that the track does not reach keep their rest
/// weight; weights past the last target are of no use.
fn drive_morphs(pose: &mut Pose, asset: &Asset, channel: &MorphChannel, moment: &mut Moment) {
    let Some(weights) = sample_at(&channel.weights, moment) else {
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

/// The value of `track` at a time; `None` if its keys give none.
fn sample_at<T: Interpolate>(track: &Track<T>, moment: &mut Moment) -> Option<T> {
    let (keys, time, after) = (&track.keys, moment.time, moment.after(track));
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
fn sample_track<T: Interpolate>(track: &Track<T>, time: Seconds) -> Option<T> {
    sample_at(track, &mut Moment::new(time))
}

#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;
