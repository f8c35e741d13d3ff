//! The poses that rules watch a model in.
//!
//! Every clip is gone through at its keys and in the middle between them (`times`), and, as the settings have it, each
//! joint is turned to and fro (`range`), if it may turn alone (`sheets`). Of each pose the vertices are skinned once, for all rules that watch (`watch`).

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
    /// How the pose came about.
    pub source: &'a Source,
    /// Every joint in world space.
    pub pose: &'a ModelPose,
    /// Where the vertices are, of each instance that is shown.
    pub meshes: &'a [DistinctPositions<'a>],
    /// Whether it is one of the few that stand for all, for what is seen in any: of a long clip
    /// one in [`SPARSE`](watch::SPARSE), the first and the last among them.
    pub(super) sparse: bool,
    cx: &'a Context<'a>,
    extents: OnceLock<Vec<Extent>>,
    bent: OnceLock<Vec<Bent<'a>>>,
}

/// Whether rules that watch are shown an instance: one with a skin, or any, where nothing has one. What follows a node
/// beside something skinned has the same shape in every pose.
pub(super) fn shown(asset: &Asset) -> impl Fn(&MeshInstance) -> bool {
    let is_skinned = |instance: &MeshInstance| instance.skin.is_some();
    let any = asset.instances.iter().any(is_skinned);
    move |instance| !any || is_skinned(instance)
}

/// How a pose came about.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// A clip at a time.
    Clip(ClipId, Seconds),
    /// The rest pose, or a joint turned away from it; in words.
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

    /// How far each of [`meshes`](Self::meshes) reaches.
    pub(super) fn extents(&self) -> &[Extent] {
        let extents = || {
            self.meshes
                .iter()
                .map(|mesh| Extent::of(&mesh.distinct))
                .collect()
        };
        self.extents.get_or_init(extents)
    }

    /// Every skinned instance beside its surface as it is bound.
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
