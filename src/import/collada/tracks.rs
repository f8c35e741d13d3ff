//! From the drives of a node to the tracks of its joints.

use glam::{DQuat, DVec3, Quat, Vec3};

use super::bake::{Budget, bake};
use super::frames::Frames;
use super::motion::{Drive, Driver, PartMotion};
use super::stack::{Kind, Stack};
use super::value::Value;
use crate::rig::{Channel, JointId, Track, Trs};

/// How far a value may be from the rest value that assimp has from the same numbers, relative to its size or in radians:
/// what baked values promise. assimp multiplies matrices in f32, and taking them apart again costs some roundings.
const AT_REST: f64 = 1e-6;

/// The motion of a node, by parts.
#[derive(Debug, Clone)]
pub(super) struct Tracks {
    translation: Track<Vec3>,
    rotation: Track<Quat>,
    scale: Track<Vec3>,
    /// Whether the document drives translation, rotation and scale, each for itself.
    driven: [bool; 3],
    /// Whether the transform is sheared at a key, which parts cannot say.
    pub(super) sheared: bool,
}

impl Tracks {
    /// All parts of `stack` under `drives`, of which there is at least one.
    ///
    /// A part that nothing drives has a single key, for joints that rest elsewhere: only together are the three the stack.
    pub(super) fn new(stack: &Stack, drives: &[Drive], budget: &mut Budget) -> Self {
        if let ([_], [drive]) = (&stack.steps[..], drives)
            && let Driver::Frames(frames) = &drive.driver
        {
            return Self::of_frames(frames);
        }
        let translation =
            PartMotion::<DVec3>::new(stack, drives, Kind::Translate, |parts| parts.translation);
        let rotation = PartMotion::<DQuat>::new(stack, drives, Kind::Rotate, |all| all.rotation);
        let scale = PartMotion::<DVec3>::new(stack, drives, Kind::Scale, |parts| parts.scale);
        let tracks = Self {
            sheared: rotation.is_sheared(),
            translation: bake(&translation, budget),
            rotation: bake(&rotation, budget),
            scale: bake(&scale, budget),
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

    /// A matrix alone needs no baking.
    fn of_frames(frames: &Frames) -> Self {
        let tracks = Self {
            translation: frames.track(|parts| parts.translation),
            rotation: frames.track(|parts| parts.rotation),
            scale: frames.track(|parts| parts.scale),
            driven: [true; 3],
            sheared: frames.sheared,
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

    /// The channel of one of the node's joints, without the parts that the document does not drive and that hold the rest
    /// value.
    ///
    /// * `rest` – of the joint, in its parent's space.
    pub(super) fn channel(&self, joint: JointId, rest: &Trs) -> Channel {
        let [translation, rotation, scale] = self.driven;
        let translation =
            translation || !holds(&self.translation, rest.translation, Vec3::as_dvec3);
        let rotation = rotation || !holds(&self.rotation, rest.rotation, Quat::as_dquat);
        let scale = scale || !holds(&self.scale, rest.scale, Vec3::as_dvec3);
        Channel {
            joint,
            translation: translation.then(|| self.translation.clone()),
            rotation: rotation.then(|| self.rotation.clone()),
            scale: scale.then(|| self.scale.clone()),
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
