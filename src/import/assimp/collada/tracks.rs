//! From the drives of a node to the tracks of its joints.

use glam::{DQuat, DVec3, Quat, Vec3};

use super::bake::{Budget, bake};
use super::frames::Frames;
use super::motion::{Drive, Driver, PartMotion};
use super::stack::{Kind, Stack};
use crate::rig::{Channel, JointId, Track};

/// The motion of a node, by parts.
#[derive(Debug, Clone)]
pub(super) struct Tracks {
    translation: Track<Vec3>,
    rotation: Track<Quat>,
    scale: Track<Vec3>,
    /// Whether the transform is sheared at a key, which parts cannot say.
    pub(super) sheared: bool,
}

impl Tracks {
    /// All parts of `stack` under `drives`, of which there is at least one.
    ///
    /// A part that nothing drives is stated all the same, in a single key: only together are the three the stack.
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
        Self {
            sheared: rotation.is_sheared(),
            translation: bake(&translation, budget),
            rotation: bake(&rotation, budget),
            scale: bake(&scale, budget),
        }
    }

    /// A matrix alone needs no baking.
    fn of_frames(frames: &Frames) -> Self {
        Self {
            translation: frames.track(|parts| parts.translation),
            rotation: frames.track(|parts| parts.rotation),
            scale: frames.track(|parts| parts.scale),
            sheared: frames.sheared,
        }
    }

    /// The channel of one of the node's joints.
    pub(super) fn channel(&self, joint: JointId) -> Channel {
        Channel {
            joint,
            translation: Some(self.translation.clone()),
            rotation: Some(self.rotation.clone()),
            scale: Some(self.scale.clone()),
        }
    }
}
