//! The material of a mesh instance, resolved for one image.

use glam::Vec4;

use super::texture::{Sampler, Textures};
use crate::rig::{AlphaMode, Asset, DeformedMesh, InstanceId, MeshInstance};
use crate::view::{Appearance, ColorSource, Show, Sides};

/// One drawn mesh instance.
#[derive(Debug, Clone, Copy)]
pub(super) struct Surface<'a> {
    /// Decides between equal depths.
    pub(super) instance: InstanceId,
    /// Multiplied with the interpolated colour.
    pub(super) texture: Option<Sampler<'a>>,
    /// Linear RGBA.
    pub(super) base_color: Vec4,
    /// Opaque in all modes that do not show the material.
    pub(super) alpha: AlphaMode,
    /// The sides that are not culled.
    pub(super) sides: Sides,
}

impl<'a> Surface<'a> {
    /// The surface of `deformed`, which is a pose of `instance`.
    pub(super) fn new(
        show: &Show,
        asset: &Asset,
        instance: &MeshInstance,
        deformed: &DeformedMesh,
        textures: &'a Textures<'_>,
    ) -> Self {
        let appearance = Appearance::of(asset, instance, show);
        let texture = || textures.sampler(&appearance.texture?);
        Self {
            instance: deformed.instance,
            texture: match show.source() {
                ColorSource::Checker => textures.checker(),
                _ => texture(),
            },
            base_color: appearance.base_color,
            alpha: appearance.alpha,
            sides: appearance.sides(asset.mesh_of(instance), deformed),
        }
    }

    /// Whether it is mixed with the surfaces behind it.
    pub(super) fn is_blended(&self) -> bool {
        self.alpha == AlphaMode::Blend
    }

    /// The set of texture coordinates that the texture uses; the first if there is no texture.
    pub(super) fn uv_set(&self) -> usize {
        self.texture.map_or(0, |texture| texture.uv_set)
    }
}
