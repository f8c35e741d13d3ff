//! The material of a mesh instance in a mode, and the sides of the surface that are drawn.
//!
//! Backends shade and cull in their own way, but this module decides what they draw.

use std::borrow::Cow;

use glam::{Vec2, Vec4};

use super::mode::Show;
use crate::look::colors::UNPAINTED;
use crate::rig::{
    AlphaMode, Asset, DeformedMesh, Look, Material, Mesh, MeshInstance, TextureRef, UvTransform,
};

/// The appearance of one mesh instance in one mode.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Appearance {
    /// Linear RGBA that multiplies the vertex colours.
    pub(crate) base_color: Vec4,
    /// Opaque in every mode that does not show the material.
    pub(crate) alpha: AlphaMode,
    /// The material's texture, if the mode shows it and the mesh has coordinates for it.
    pub(crate) texture: Option<TextureRef>,
    /// Moves the texture.
    pub(crate) uv_transform: Option<UvTransform>,
    /// Whether back faces are culled.
    pub(crate) one_sided: bool,
}

/// The sides of triangles that are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sides {
    /// Both, each with its normal facing the viewer.
    Both,
    /// The side whose corners run counter-clockwise.
    CounterClockwise,
    /// The other side, because the pose mirrors the mesh.
    Clockwise,
}

impl Appearance {
    /// The appearance of `instance` in the mode `show`.
    ///
    /// * `look` – of the pose.
    pub(crate) fn of(asset: &Asset, instance: &MeshInstance, look: &Look, show: &Show) -> Self {
        let mesh = asset.mesh_of(instance);
        let material = mesh
            .material
            .and_then(|id| Some((id, asset.materials.get(id.index())?)));
        let painted = material.filter(|_| show.source().is_material());
        let values = painted.map(|(id, material)| look.values(id, material));
        let texture = painted.and_then(|(_, material)| usable_texture(material, mesh));
        let one_sided = material.is_some_and(|(_, material)| !material.two_sided);
        Self {
            base_color: values.map_or(UNPAINTED, |values| values.base_color),
            alpha: values.map_or(AlphaMode::Opaque, |values| values.alpha),
            texture,
            uv_transform: values
                .and_then(|values| values.uv_transform)
                .filter(|_| texture.is_some()),
            // Without normals, the sides cannot be told apart once a pose mirrors.
            one_sided: one_sided && !mesh.normals.is_empty(),
        }
    }

    /// The coordinates of its texture at the vertices of `mesh`; of the first set without a texture.
    pub(crate) fn uvs<'m>(&self, mesh: &'m Mesh) -> Cow<'m, [Vec2]> {
        let set = self.texture.map_or(0, |texture| texture.uv_set as usize);
        let uvs = mesh.uv_sets.get(set).map_or(&[][..], Vec::as_slice);
        match self.uv_transform {
            Some(transform) => uvs.iter().copied().map(transform.map()).collect(),
            None => Cow::Borrowed(uvs),
        }
    }

    /// The sides that are drawn of `posed`, which is a pose of `mesh`.
    pub(crate) fn sides(&self, mesh: &Mesh, posed: &DeformedMesh) -> Sides {
        if !self.one_sided {
            Sides::Both
        } else if posed.is_mirrored(mesh) {
            Sides::Clockwise
        } else {
            Sides::CounterClockwise
        }
    }
}

/// The texture of `material`; `None` if the mesh lacks its coordinates.
fn usable_texture(material: &Material, mesh: &Mesh) -> Option<TextureRef> {
    let texture = material.base_color_texture?;
    mesh.uv_sets.get(texture.uv_set as usize)?;
    Some(texture)
}
