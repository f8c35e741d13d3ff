//! How surfaces look in one show mode: materials, colours and textures.

use std::num::NonZeroU32;

use glam::{Vec2, Vec4};

use super::colors::vertex_colors;
use super::programs::{
    BOTH_SIDES, Needs, SHOW_COLORS, SHOW_DEPTH, SHOW_LIT, SHOW_NORMALS, SHOW_TEXTURE, SHOW_WEIGHTS,
    SHOW_WIREFRAME, Shading,
};
use super::textures::{Collector, Levels, Textures};
use crate::gl::buffer::{TexelBuffer, TexelFormat};
use crate::gl::program::Inputs;
use crate::gl::{Current, GlError};
use crate::look::{checker, colors};
use crate::rig::{
    AlphaMode, Asset, ImageData, Material, Mesh, MeshInstance, TextureRef, TextureWrap,
};
use crate::view::Show;

/// The checker of [`Show::Uv`] among the images.
const CHECKER: usize = usize::MAX;

/// What does not change about one instance's surface.
#[derive(Debug, Clone, Copy)]
pub(super) struct Surface {
    /// Opaque in all show modes without materials.
    pub(super) alpha: AlphaMode,
    /// Whether its back faces are culled.
    pub(super) one_sided: bool,
    base_color: Vec4,
    texture: Option<TextureRef>,
}

/// All surfaces of an asset in one show mode.
#[derive(Debug)]
pub(super) struct Paint<'gl> {
    pub(super) show: Show,
    pub(super) max_influences: Option<NonZeroU32>,
    pub(super) shading: Shading<'gl>,
    /// One per instance.
    pub(super) surfaces: Vec<Surface>,
    table: TexelBuffer<'gl>,
    colors: TexelBuffer<'gl>,
    uvs: TexelBuffer<'gl>,
    textures: Textures<'gl>,
}

impl<'gl> Paint<'gl> {
    /// * `max_influences` – how many of each vertex are blended.
    pub(super) fn new(
        gl: Current<'gl>,
        asset: &Asset,
        show: Show,
        max_influences: Option<NonZeroU32>,
    ) -> Result<Self, GlError> {
        let surfaces = asset.instances.iter().map(|i| Surface::new(asset, i, show));
        let surfaces: Vec<Surface> = surfaces.collect();
        let mut collector = Collector::default();
        let (mut rows, mut colors, mut uvs) = (Vec::new(), Vec::new(), Vec::new());
        for (surface, instance) in surfaces.iter().zip(&asset.instances) {
            rows.push(surface.row(surface.levels(asset, show, &mut collector)));
            let what = (show, max_influences);
            colors.extend(vertex_colors(asset, instance, what, surface.base_color));
            uvs.extend(surface.uvs(asset.mesh_of(instance)));
        }
        let vertices = "the vertices of all instances";
        let needs = Needs {
            show: number_of(show),
            textures: !collector.is_empty(),
            masks: surfaces.iter().any(Surface::is_masked),
            panes: surfaces.iter().any(Surface::is_translucent),
        };
        Ok(Self {
            show,
            max_influences,
            shading: Shading::link(gl, needs)?,
            surfaces,
            table: TexelBuffer::upload(gl, &rows, TexelFormat::Rgba32U, "the instances")?,
            colors: TexelBuffer::upload(gl, &colors, TexelFormat::Rgba32F, vertices)?,
            uvs: TexelBuffer::upload(gl, &uvs, TexelFormat::Rg32F, vertices)?,
            textures: collector.upload(gl)?,
        })
    }

    /// Whether any surface is blended.
    pub(super) fn has_translucent(&self) -> bool {
        self.surfaces.iter().any(Surface::is_translucent)
    }

    pub(super) fn give(&self, inputs: &Inputs<'_, '_>) {
        inputs.buffer(c"u_surfaces", &self.table);
        inputs.buffer(c"u_colors", &self.colors);
        inputs.buffer(c"u_uvs", &self.uvs);
        inputs.buffer(c"u_levels", &self.textures.levels);
        inputs.buffer(c"u_texels", &self.textures.texels);
    }
}

impl Surface {
    fn new(asset: &Asset, instance: &MeshInstance, show: Show) -> Self {
        let mesh = asset.mesh_of(instance);
        let material = mesh.material.and_then(|id| asset.materials.get(id.index()));
        let painted = material.filter(|_| matches!(show, Show::Lit | Show::Texture));
        let one_sided = material.is_some_and(|material| !material.two_sided);
        Self {
            alpha: painted.map_or(AlphaMode::Opaque, |material| material.alpha),
            // Without normals nothing says which side is which once a pose mirrors.
            one_sided: one_sided && !mesh.normals.is_empty(),
            base_color: painted.map_or(colors::UNPAINTED, |material| material.base_color),
            texture: match show {
                Show::Uv => None,
                _ => painted.and_then(|material| usable_texture(material, mesh)),
            },
        }
    }

    /// Whether it is blended.
    pub(super) fn is_translucent(&self) -> bool {
        self.alpha == AlphaMode::Blend
    }

    fn is_masked(&self) -> bool {
        matches!(self.alpha, AlphaMode::Mask(_))
    }

    /// Its texture among those of the image.
    fn levels(&self, asset: &Asset, show: Show, collector: &mut Collector) -> Levels {
        if show == Show::Uv {
            return collector.add(CHECKER, checker::bitmap());
        }
        let image = self.texture.map(|texture| texture.image.index());
        match image.map(|index| (index, &asset.images[index].data)) {
            Some((index, ImageData::Bitmap(bitmap))) => collector.add(index, bitmap),
            _ => Levels::default(),
        }
    }

    /// Its parameters for shaders.
    fn row(&self, levels: Levels) -> [u32; 4] {
        let wrap = |wrap: TextureWrap| match wrap {
            TextureWrap::Repeat => 0,
            TextureWrap::Mirror => 1,
            TextureWrap::Clamp => 2,
        };
        let [u, v] = self
            .texture
            .map_or([0; 2], |t| [t.wrap_u, t.wrap_v].map(wrap));
        let sides = if self.one_sided { 0 } else { BOTH_SIDES };
        [levels.first, levels.count, u | sides, v]
    }

    /// Of the set that the texture wants; zero where the mesh has none.
    fn uvs(&self, mesh: &Mesh) -> Vec<[f32; 2]> {
        let set = self.texture.map_or(0, |texture| texture.uv_set as usize);
        let set = mesh.uv_sets.get(set).map_or(&[][..], Vec::as_slice);
        let at = |vertex: usize| set.get(vertex).copied().unwrap_or(Vec2::ZERO);
        (0..mesh.positions.len())
            .map(|vertex| at(vertex).to_array())
            .collect()
    }
}

fn number_of(show: Show) -> i32 {
    match show {
        Show::Lit => SHOW_LIT,
        Show::Texture => SHOW_TEXTURE,
        Show::Normals => SHOW_NORMALS,
        Show::Weights(_) | Show::Values => SHOW_WEIGHTS,
        Show::Influences | Show::Joints | Show::Uv => SHOW_COLORS,
        Show::Depth => SHOW_DEPTH,
        Show::Wireframe => SHOW_WIREFRAME,
    }
}

/// A texture without coordinates is not drawn.
fn usable_texture(material: &Material, mesh: &Mesh) -> Option<TextureRef> {
    let texture = material.base_color_texture?;
    mesh.uv_sets.get(texture.uv_set as usize).map(|_| texture)
}
