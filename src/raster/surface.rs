//! What a mesh instance looks like: its material, resolved for one picture.

use glam::Vec4;

use super::texture::{Sampler, Textures};
use crate::look::colors::UNPAINTED;
use crate::rig::{AlphaMode, Asset, DeformedMesh, InstanceId, Material, Mesh, MeshInstance};
use crate::view::ColorSource;

/// Which sides of its triangles are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sides {
    /// Both, each with the normal turned to the viewer.
    Both,
    /// The one that the corners go around counter-clockwise.
    CounterClockwise,
    /// The other one, because the pose mirrors the mesh.
    Clockwise,
}

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
    /// What is not culled.
    pub(super) sides: Sides,
}

impl<'a> Surface<'a> {
    /// The surface of `deformed`, which is a pose of `instance`.
    pub(super) fn new(
        source: ColorSource,
        asset: &Asset,
        instance: &MeshInstance,
        deformed: &DeformedMesh,
        textures: &'a Textures<'_>,
    ) -> Self {
        let mesh = asset.mesh_of(instance);
        let material = mesh.material.and_then(|id| asset.materials.get(id.index()));
        let painted = material.filter(|_| source.is_material());
        Self {
            instance: deformed.instance,
            texture: match source {
                ColorSource::Checker => textures.checker(),
                _ => painted.and_then(|material| texture(material, mesh, textures)),
            },
            base_color: painted.map_or(UNPAINTED, |material| material.base_color),
            alpha: painted.map_or(AlphaMode::Opaque, |material| material.alpha),
            sides: sides(material, mesh, deformed),
        }
    }

    /// Whether it is mixed with what is behind it.
    pub(super) fn is_blended(&self) -> bool {
        self.alpha == AlphaMode::Blend
    }

    /// Which set of texture coordinates the texture asks for; the first if there is no texture.
    pub(super) fn uv_set(&self) -> usize {
        self.texture.map_or(0, |texture| texture.uv_set)
    }
}

/// A texture without coordinates to place it by is not drawn.
fn texture<'a>(
    material: &Material,
    mesh: &Mesh,
    textures: &'a Textures<'_>,
) -> Option<Sampler<'a>> {
    let texture = material.base_color_texture?;
    mesh.uv_sets.get(texture.uv_set as usize)?;
    textures.sampler(&texture)
}

/// Culls only where the file asks for it (a one-sided material) and it is known which side is which.
fn sides(material: Option<&Material>, mesh: &Mesh, deformed: &DeformedMesh) -> Sides {
    let one_sided = material.is_some_and(|material| !material.two_sided);
    if !one_sided || mesh.normals.is_empty() {
        return Sides::Both;
    }
    if deformed.is_mirrored(mesh) {
        Sides::Clockwise
    } else {
        Sides::CounterClockwise
    }
}
