//! Samples clips, with optional faults.

use glam::{Mat4, Quat, Vec3};
use skincheck::pose::{self, Pose};
use skincheck::rig::{Asset, Clip, Key, LocalTransform, Span, Track, Trs};

use super::super::fault::Fault;
use super::Textbook;

impl Textbook {
    /// Local transforms and morph weights of `asset` at `time` of `clip`.
    pub(super) fn sample(self, asset: &Asset, clip: &Clip, time: f64) -> Pose {
        let time = if self.has(Fault::EndIsStart) {
            looped(time, clip)
        } else {
            time
        };
        let mut pose = pose::rest(asset);
        for channel in &clip.channels {
            let local = &mut pose.locals[channel.node.index()];
            let rest = local.to_trs();
            let left = |fault, identity, rest| if self.has(fault) { identity } else { rest };
            let trs = Trs {
                translation: self
                    .part(channel.translation.as_ref(), time, rest.translation)
                    .unwrap_or_else(|| {
                        left(Fault::TranslationIdentity, Vec3::ZERO, rest.translation)
                    }),
                rotation: self
                    .part(channel.rotation.as_ref(), time, rest.rotation)
                    .unwrap_or_else(|| {
                        if self.has(Fault::RotationIdentity) {
                            Quat::IDENTITY
                        } else {
                            rest.rotation
                        }
                    }),
                scale: self
                    .part(channel.scale.as_ref(), time, rest.scale)
                    .unwrap_or_else(|| left(Fault::ScaleIdentity, Vec3::ONE, rest.scale)),
            };
            let animated = channel.translation.is_some()
                || channel.rotation.is_some()
                || channel.scale.is_some();
            if animated {
                *local = self.local(trs);
            }
        }
        if !self.has(Fault::MorphsAtRest) {
            self.sample_morphs(asset, clip, time, &mut pose);
        }
        pose
    }

    fn sample_morphs(self, asset: &Asset, clip: &Clip, time: f64, pose: &mut Pose) {
        for channel in &clip.morph_channels {
            let instances = asset.instances.iter().zip(&mut pose.morph_weights);
            for (_, weights) in instances.filter(|(instance, _)| instance.node == channel.node) {
                if let Some(sampled) = self.part(Some(&channel.weights), time, weights.clone()) {
                    *weights = sampled;
                }
            }
        }
    }

    /// Translation, rotation and scale as one matrix, for faults in their order.
    fn local(self, trs: Trs) -> LocalTransform {
        let (t, r, s) = (
            Mat4::from_translation(trs.translation),
            Mat4::from_quat(trs.rotation),
            Mat4::from_scale(trs.scale),
        );
        match self.fault {
            Some(Fault::ScaleAfterRotation) => LocalTransform::Matrix(t * s * r),
            Some(Fault::TranslationFirst) => LocalTransform::Matrix(r * t * s),
            _ if trs.rotation.is_normalized() => LocalTransform::Trs(trs),
            _ => LocalTransform::Matrix(Mat4::from_scale_rotation_translation(
                trs.scale,
                trs.rotation,
                trs.translation,
            )),
        }
    }

    fn part<T: Value>(self, track: Option<&Track<T>>, time: f64, rest: T) -> Option<T> {
        let keys = &track?.keys;
        let (first, last) = (keys.first()?, keys.last()?);
        if self.has(Fault::KeyByIndex) {
            let share = (time - first.time.0) / (last.time.0 - first.time.0).max(1e-9);
            let index = (share.clamp(0.0, 1.0) * (keys.len() - 1) as f64).floor() as usize;
            return Some(keys[index].value.clone());
        }
        if self.has(Fault::AfterLastKey) && keys.len() > 1 && time > last.time.0 {
            return Some(rest);
        }
        let after = keys.partition_point(|key| key.time.0 <= time);
        if after == 0 && self.has(Fault::BeforeFirstKey) && keys.len() > 1 {
            return Some(self.between(&keys[0], &keys[1], time));
        }
        if after == 0 {
            return Some(first.value.clone());
        }
        match keys.get(after) {
            Some(next) => Some(self.between(&keys[after - 1], next, time)),
            None => Some(last.value.clone()),
        }
    }

    fn between<T: Value>(self, key: &Key<T>, next: &Key<T>, time: f64) -> T {
        let length = next.time.0 - key.time.0;
        let phase = ((time - key.time.0) / length) as f32;
        let straight = || T::straight(&key.value, &next.value, phase, self);
        if self.has(Fault::NoInterpolation) {
            let nearest = if phase < 0.5 { key } else { next };
            return nearest.value.clone();
        }
        match &key.span {
            Span::Step if self.has(Fault::StepAsLinear) => straight(),
            Span::Step => key.value.clone(),
            Span::Linear => straight(),
            Span::Cubic { .. } if self.has(Fault::CubicAsLinear) => straight(),
            Span::Cubic { leave, arrive } => {
                let scale = if self.has(Fault::TangentsUnscaled) {
                    1.0
                } else {
                    length as f32
                };
                let (p, p2, p3) = (phase, phase * phase, phase * phase * phase);
                T::sum(&[
                    (&key.value, 2.0 * p3 - 3.0 * p2 + 1.0),
                    (leave, (p3 - 2.0 * p2 + p) * scale),
                    (&next.value, 3.0 * p2 - 2.0 * p3),
                    (arrive, (p3 - p2) * scale),
                ])
            }
        }
    }
}

/// `fmod`, as in most tutorials.
fn looped(time: f64, clip: &Clip) -> f64 {
    let length = clip.end.0 - clip.start.0;
    if length > 0.0 {
        clip.start.0 + (time - clip.start.0).rem_euclid(length)
    } else {
        time
    }
}

/// The values of tracks.
trait Value: Clone {
    fn straight(from: &Self, to: &Self, phase: f32, textbook: Textbook) -> Self;
    /// The product of a value and a factor.
    fn sum(terms: &[(&Self, f32)]) -> Self;
}

impl Value for Vec3 {
    fn straight(from: &Self, to: &Self, phase: f32, _: Textbook) -> Self {
        from.lerp(*to, phase)
    }

    fn sum(terms: &[(&Self, f32)]) -> Self {
        terms.iter().map(|(value, factor)| **value * *factor).sum()
    }
}

impl Value for Quat {
    fn straight(from: &Self, to: &Self, phase: f32, textbook: Textbook) -> Self {
        if textbook.has(Fault::NotNormalized) {
            return *from * (1.0 - phase) + *to * phase;
        }
        let far = from.dot(*to) < 0.0;
        if far && textbook.has(Fault::NoShortestPath) {
            // glam's slerp takes the shorter arc; the longer one is a full rotation more.
            let angle = 2.0 * std::f32::consts::PI;
            let short = from.inverse() * -*to;
            let (axis, rotation) = short.to_axis_angle();
            return *from * Quat::from_axis_angle(axis, (rotation - angle) * phase);
        }
        from.slerp(*to, phase)
    }

    fn sum(terms: &[(&Self, f32)]) -> Self {
        let sum = terms.iter().map(|(value, factor)| **value * *factor);
        sum.fold(Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), |sum, term| sum + term)
            .normalize()
    }
}

impl Value for Vec<f32> {
    fn straight(from: &Self, to: &Self, phase: f32, _: Textbook) -> Self {
        let pairs = from.iter().zip(to);
        pairs.map(|(from, to)| from + (to - from) * phase).collect()
    }

    fn sum(terms: &[(&Self, f32)]) -> Self {
        let term = |index: usize| {
            terms
                .iter()
                .map(|(value, factor)| value[index] * factor)
                .sum()
        };
        (0..terms[0].0.len()).map(term).collect()
    }
}
