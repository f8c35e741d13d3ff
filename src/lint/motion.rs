//! The poses in which rules watch a model.
//!
//! Every clip is sampled at its keys and midway between them (`times`). Depending on the settings, each joint that may
//! rotate alone (`sheets`) is also rotated about its axes (`range`). The vertices of each pose are skinned once for all
//! watching rules (`watch`).

mod range;
mod sheets;
mod times;
mod watch;

use std::sync::OnceLock;

use super::context::Context;
use super::deformation::{self, Bent, Extent};
use crate::pose::ModelPose;
use crate::rig::{Asset, ClipId, MeshInstance, Place};
use crate::skinning::DistinctPositions;
use crate::units::Seconds;

pub use times::{
    LEAST_MOMENTS, MOMENTS_OF_LARGE_MODEL, MOST_MOMENTS_OF_MODEL, MOST_VERTICES_OF_CLIP, Thinned,
};
pub(super) use watch::{Watcher, watch};

/// One pose of a model.
#[derive(Debug)]
pub struct Moment<'a> {
    /// Where the pose comes from.
    pub source: &'a Source,
    /// Every joint in world space.
    pub pose: &'a ModelPose,
    /// The vertices of each shown instance: those with a skin, or all if none has one.
    pub meshes: &'a [DistinctPositions<'a>],
    /// Whether it is one of the few representative poses, for faults that show in any: in a long clip one of
    /// [`SPARSE`](watch::SPARSE), including the first and the last.
    pub(super) sparse: bool,
    cx: &'a Context<'a>,
    extents: OnceLock<Vec<Extent>>,
    bent: OnceLock<Vec<Bent<'a>>>,
}

/// Whether watching rules see an instance: one with a skin, or any if none has one. A mesh that follows a node has the
/// same shape in every pose.
pub(super) fn shown(asset: &Asset) -> impl Fn(&MeshInstance) -> bool {
    let is_skinned = |instance: &MeshInstance| instance.skin.is_some();
    let any = asset.instances.iter().any(is_skinned);
    move |instance| !any || is_skinned(instance)
}

/// The origin of a pose.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// Sampling of clips.
    Clip(ClipId, Seconds),
    /// The rest pose, or a joint rotated away from it; in words.
    Turned(String),
}

impl<'a> Moment<'a> {
    fn new(
        cx: &'a Context<'a>,
        (source, sparse): (&'a Source, bool),
        pose: &'a ModelPose,
        meshes: &'a [DistinctPositions<'a>],
    ) -> Self {
        Self {
            source,
            pose,
            meshes,
            sparse,
            cx,
            extents: OnceLock::new(),
            bent: OnceLock::new(),
        }
    }

    /// The extent of each of [`meshes`](Self::meshes).
    pub(super) fn extents(&self) -> &[Extent] {
        let extents = || {
            self.meshes
                .iter()
                .map(|mesh| Extent::of(&mesh.distinct))
                .collect()
        };
        self.extents.get_or_init(extents)
    }

    /// Every skinned instance with its bound surface.
    pub(super) fn bent(&self) -> &[Bent<'a>] {
        let bent = || deformation::bent(self.cx, self.pose, self.meshes);
        self.bent.get_or_init(bent)
    }

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
