//! From the drives of a node to the tracks of its joints.

use glam::{DQuat, DVec3, Mat4, Quat, Vec3};

use super::bake::{Budget, bake};
use super::frames::Frames;
use super::motion::{Drive, Driver, PartMotion};
use super::stack::{Kind, Stack};
use super::value::Value;
use crate::rig::{Channel, JointId, LocalTransform, Track};

/// How far a value may be from the rest value that assimp has from the same numbers, relative to its size or in radians:
/// what baked values promise. assimp multiplies matrices in f32, and taking them apart again costs some roundings.
const AT_REST: f64 = 1e-6;

/// The motion of a node.
#[derive(Debug, Clone)]
pub(super) enum Tracks {
    /// Part by part.
    Parts(PartTracks),
    /// As a whole, where parts would lose its shear.
    Matrix(Track<Mat4>),
}

/// The motion of a node, by parts.
#[derive(Debug, Clone)]
pub(super) struct PartTracks {
    translation: Track<Vec3>,
    rotation: Track<Quat>,
    scale: Track<Vec3>,
    /// Whether the document drives translation, rotation and scale, each for itself.
    driven: [bool; 3],
}

impl Tracks {
    /// All of `stack` under `drives`, of which there is at least one.
    ///
    /// A part that nothing drives has a single key, for joints that rest elsewhere: only together are the three the stack.
    pub(super) fn new(stack: &Stack, drives: &[Drive], budget: &mut Budget) -> Self {
        if let ([_], [drive]) = (&stack.steps[..], drives)
            && let Driver::Frames(frames) = &drive.driver
        {
            // A matrix alone needs no baking.
            return if frames.sheared {
                Self::Matrix(frames.whole())
            } else {
                Self::Parts(PartTracks::of_frames(frames))
            };
        }
        match PartMotion::sheared(stack, drives) {
            Some(whole) => Self::Matrix(bake(&whole, budget)),
            None => Self::Parts(PartTracks::baked(stack, drives, budget)),
        }
    }

    /// The channel of one of the node's joints, without the parts that the document does not drive and that hold the rest
    /// value, unless that has shear besides.
    ///
    /// * `rest` – of the joint, in its parent's space.
    pub(super) fn channel(&self, joint: JointId, rest: &LocalTransform) -> Channel {
        match self {
            Self::Parts(parts) => parts.channel(joint, rest),
            Self::Matrix(track) => Channel {
                matrix: Some(track.clone()),
                ..Channel::of(joint)
            },
        }
    }
}

impl PartTracks {
    fn baked(stack: &Stack, drives: &[Drive], budget: &mut Budget) -> Self {
        let translation = PartMotion::new(stack, drives, Kind::Translate, |all| {
            all.parts().translation
        });
        let rotation = PartMotion::new(stack, drives, Kind::Rotate, |all| all.parts().rotation);
        let scale = PartMotion::new(stack, drives, Kind::Scale, |all| all.parts().scale);
        let tracks = Self {
            translation: bake::<PartMotion<'_, DVec3>>(&translation, budget),
            rotation: bake::<PartMotion<'_, DQuat>>(&rotation, budget),
            scale: bake::<PartMotion<'_, DVec3>>(&scale, budget),
            driven: [Kind::Translate, Kind::Rotate, Kind::Scale].map(|kind| {
                let mut driven = drives.iter().map(|drive| stack.steps[drive.step].kind);
                driven.any(|driven| driven == kind)
            }),
        };
        if stack.is_by_parts() {
            tracks
        } else {
            tracks.driven_as_one()
        }
    }

    fn of_frames(frames: &Frames) -> Self {
        let tracks = Self {
            translation: frames.part(|parts| parts.translation),
            rotation: frames.part(|parts| parts.rotation),
            scale: frames.part(|parts| parts.scale),
            driven: [true; 3],
        };
        tracks.driven_as_one()
    }

    /// What drives a whole transform is there for the parts that move, and for all if none does.
    fn driven_as_one(self) -> Self {
        let counts = [
            self.translation.keys.len(),
            self.rotation.keys.len(),
            self.scale.keys.len(),
        ];
        let moves = counts.map(|count| count > 1);
        let driven = if moves == [false; 3] {
            [true; 3]
        } else {
            moves
        };
        Self { driven, ..self }
    }

    fn channel(&self, joint: JointId, rest: &LocalTransform) -> Channel {
        let driven = if rest.is_sheared() {
            [true; 3]
        } else {
            self.driven
        };
        let ([translation, rotation, scale], rest) = (driven, rest.to_trs());
        let translation =
            translation || !holds(&self.translation, rest.translation, Vec3::as_dvec3);
        let rotation = rotation || !holds(&self.rotation, rest.rotation, Quat::as_dquat);
        let scale = scale || !holds(&self.scale, rest.scale, Vec3::as_dvec3);
        Channel {
            translation: translation.then(|| self.translation.clone()),
            rotation: rotation.then(|| self.rotation.clone()),
            scale: scale.then(|| self.scale.clone()),
            ..Channel::of(joint)
        }
    }
}

/// Whether `track` has the value `rest` at all times.
fn holds<V: Value>(
    track: &Track<V::Stored>,
    rest: V::Stored,
    exact: impl Fn(V::Stored) -> V,
) -> bool
where
    V::Stored: Copy,
{
    let [key] = &track.keys[..] else {
        return false;
    };
    let (value, rest) = (exact(key.value), exact(rest));
    value.distance(&rest) <= AT_REST * rest.size()
}
