//! The poses in which rules check a model.
//!
//! Every clip is sampled at its keys and halfway between them (`times`). Depending on the settings, each joint is rotated back and forth (`range`), unless it only moves together with others (`sheets`). Each pose is skinned once, for all rules.

pub(in crate::lint) mod range;
mod sheets;
pub(in crate::lint) mod times;

use std::sync::OnceLock;

use crate::lint::analysis::deformation;
use crate::lint::analysis::deformation::{Bent, Extent};
use crate::lint::core::context::Context;
use crate::pose::ModelPose;
use crate::rig::{Asset, ClipId, Location};
use crate::skinning::DistinctPositions;
use crate::units::Seconds;

pub use times::{
    LEAST_SAMPLES, MOST_SAMPLES_OF_MODEL, MOST_VERTICES_OF_CLIP, SAMPLES_OF_LARGE_MODEL, Thinned,
};

/// A model in one pose: a clip at a time, or a pose of the range of motion.
#[derive(Debug)]
pub struct Sample<'a> {
    /// Where the pose comes from.
    pub source: &'a Source,
    /// Every joint in world space.
    pub pose: &'a ModelPose,
    /// The vertices of each shown instance: those with a skin, or all if none has one.
    pub meshes: &'a [DistinctPositions<'a>],
    /// Whether it belongs to the subset for slow rules whose faults show in any pose. Of a long clip,
    /// the subset is one sample in `SPARSE`, with the first and the last.
    pub(in crate::lint) sparse: bool,
    cx: &'a Context<'a>,
    extents: OnceLock<Vec<Extent>>,
    bent: OnceLock<Vec<Bent<'a>>>,
}

/// The origin of a pose.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// Sampling of clips.
    Clip(ClipId, Seconds),
    /// The rest pose, or a joint rotated away from it; in words.
    Range(String),
}

impl<'a> Sample<'a> {
    pub(in crate::lint) fn new(
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
    pub(in crate::lint) fn extents(&self) -> &[Extent] {
        let extents = || {
            self.meshes
                .iter()
                .map(|mesh| Extent::of(&mesh.distinct))
                .collect()
        };
        self.extents.get_or_init(extents)
    }

    /// Every skinned instance, with its bound surface.
    pub(in crate::lint) fn bent(&self) -> &[Bent<'a>] {
        let bent = || deformation::bent(self.cx, self.pose, self.meshes);
        self.bent.get_or_init(bent)
    }

    /// `location` in this pose.
    #[must_use]
    pub fn location(&self, asset: &Asset, location: Location) -> Location {
        match self.source {
            Source::Clip(clip, time) => location
                .in_clip(asset.clips[clip.index()].name.as_str())
                .at(*time),
            Source::Range(words) => Location {
                pose: Some(words.clone()),
                ..location
            },
        }
    }
}
