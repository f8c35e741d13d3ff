//! Analyses that several rules share, cached by the [`Context`].

pub(super) mod armature;
pub(super) mod deformation;
pub(super) mod joints;
pub(super) mod mending;
pub(super) mod motion;
pub(super) mod naming;
pub(super) mod part;
pub(super) mod rotation;
pub(super) mod size;
pub(super) mod solid;
pub(super) mod topology;
pub(super) mod truncation;
pub(super) mod weighting;

use super::core::context::{Analysis, Context};
use crate::rig::SkinningOptions;
use crate::skinning::PreparedMeshes;

/// Skins the model in all poses.
impl Analysis for PreparedMeshes {
    fn of(cx: &Context<'_>) -> Self {
        Self::new(cx.asset, SkinningOptions::default())
    }
}
