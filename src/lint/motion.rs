//! The poses that rules watch a model in.

use crate::pose::ModelPose;
use crate::rig::{Asset, ClipId, DeformedMesh, Place};
use crate::units::Seconds;

/// One pose of a model.
#[derive(Debug, Clone, Copy)]
pub struct Moment<'a> {
    /// How the pose came about.
    pub source: &'a Source,
    /// Every joint in world space.
    pub pose: &'a ModelPose,
    /// The skinned vertices, one mesh an instance.
    pub meshes: &'a [DeformedMesh],
}

/// How a pose came about.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// A clip at a time.
    Clip(ClipId, Seconds),
    /// A joint turned away from its rest pose; in words.
    Turned(String),
}

impl Moment<'_> {
    /// `place` in this pose.
    #[must_use]
    pub fn place(&self, asset: &Asset, place: Place) -> Place {
        match self.source {
            Source::Clip(clip, time) => place
                .in_clip(asset.clips[clip.index()].name.as_str())
                .at(*time),
            Source::Turned(words) => Place {
                pose: Some(words.clone()),
                ..place
            },
        }
    }
}
