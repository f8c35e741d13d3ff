//! The appearance of surfaces in one show mode: materials, colours and textures.

use std::num::NonZeroU32;

use glam::Vec2;

use super::programs::{
    BOTH_SIDES, HAS_TANGENTS, Needs, REFLECTS, SHOW_COLORS, SHOW_DEPTH, SHOW_LIT, SHOW_NORMALS,
    SHOW_TEXTURE, SHOW_VALUES, SHOW_WIREFRAME, Shading,
};
use super::textures::{Collector, Levels, Textures};
use crate::gl::buffer::{TexelBuffer, TexelFormat};
use crate::gl::program::Inputs;
use crate::gl::{Current, GlError};
use crate::look::bitmaps;
use crate::rig::{AlphaMode, Asset, ImageData, InstanceId, Mesh, TextureRef, TextureWrap};
use crate::view::{Appearance, ColorSource, Show};

/// The key of the checker among the images.
const CHECKER: usize = usize::MAX;

/// All surfaces of an asset in one show mode.
#[derive(Debug)]
pub(super) struct Paint<'gl> {
    pub(super) show: Show,
    pub(super) max_influences: Option<NonZeroU32>,
    pub(super) shading: Shading<'gl>,
    /// One per instance.
    pub(super) surfaces: Vec<Appearance>,
    table: TexelBuffer<'gl>,
    finishes: TexelBuffer<'gl>,
    colors: TexelBuffer<'gl>,
    uvs: TexelBuffer<'gl>,
    textures: Textures<'gl>,
}

impl<'gl> Paint<'gl> {
    /// * `max_influences` – the most influences of a vertex that are blended.
    pub(super) fn new(
        gl: Current<'gl>,
        asset: &Asset,
        show: &Show,
        max_influences: Option<NonZeroU32>,
    ) -> Result<Self, GlError> {
        let source = show.source();
        let appearance = |instance| Appearance::of(asset, instance, show);
        let surfaces: Vec<Appearance> = asset.instances.iter().map(appearance).collect();
        let mut collector = Collector::default();
        let (mut rows, mut colors, mut uvs) = (Vec::new(), Vec::new(), Vec::new());
        let mut finishes: Vec<[u32; 4]> = Vec::new();
        let instances = (0..).map(InstanceId::from_index).zip(&asset.instances);
        for (surface, (index, instance)) in surfaces.iter().zip(instances) {
            rows.push(surface.row(surface.levels(asset, source, &mut collector)));
            let mesh = asset.mesh_of(instance);
            finishes.extend(surface.finish_rows(asset, mesh, &mut collector));
            let vertices = show.vertices(asset, index, max_influences);
            let color = |v| vertices.color(v, surface.base_color).to_array();
            colors.extend((0..mesh.positions.len()).map(color));
            uvs.extend(padded(surface.uvs(mesh), mesh.positions.len()));
        }
        let vertices = "the vertices of all instances";
        let needs = Needs {
            show: number_of(source),
            textures: !collector.is_empty(),
            finish: surfaces.iter().any(Appearance::has_finish),
            masks: surfaces.iter().any(Appearance::is_masked),
            translucent: surfaces.iter().any(Appearance::is_translucent),
        };
        Ok(Self {
            show: show.clone(),
            max_influences,
            shading: Shading::link(gl, needs)?,
            surfaces,
            table: TexelBuffer::upload(gl, &rows, TexelFormat::Rgba32U, "the instances")?,
            finishes: TexelBuffer::upload(gl, &finishes, TexelFormat::Rgba32U, "the instances")?,
            colors: TexelBuffer::upload(gl, &colors, TexelFormat::Rgba32F, vertices)?,
            uvs: TexelBuffer::upload(gl, &uvs, TexelFormat::Rg32F, vertices)?,
            textures: collector.upload(gl)?,
        })
    }

    /// Whether any surface is blended.
    pub(super) fn has_translucent(&self) -> bool {
        self.surfaces.iter().any(Appearance::is_translucent)
    }

    pub(super) fn give(&self, inputs: &Inputs<'_, '_>) {
        inputs.buffer(c"u_surfaces", &self.table);
        inputs.buffer(c"u_finishes", &self.finishes);
        inputs.buffer(c"u_colors", &self.colors);
        inputs.buffer(c"u_uvs", &self.uvs);
        inputs.buffer(c"u_levels", &self.textures.levels);
        inputs.buffer(c"u_texels", &self.textures.texels);
    }
}

impl Appearance {
    /// Whether it is blended.
    pub(super) fn is_translucent(&self) -> bool {
        self.alpha == AlphaMode::Blend
    }

    fn has_finish(&self) -> bool {
        self.finish.reflection.is_some() || self.finish.bumps.is_some()
    }

    fn is_masked(&self) -> bool {
        matches!(self.alpha, AlphaMode::Mask(_))
    }

    /// Its texture among those of the image.
    fn levels(&self, asset: &Asset, source: ColorSource, collector: &mut Collector) -> Levels {
        if matches!(source, ColorSource::Checker) {
            return collector.add(CHECKER, bitmaps::checker());
        }
        let image = self.texture.map(|texture| texture.image.index());
        let drawn = image.and_then(|index| Some((index, bitmaps::drawn(&asset.images[index])?)));
        drawn.map_or_else(Levels::default, |(index, bitmap)| {
            collector.add(index, bitmap)
        })
    }

    /// Its parameters for shaders.
    fn row(&self, levels: Levels) -> [u32; 4] {
        let [u, v] = self.texture.map_or([0; 2], wraps);
        let sides = if self.one_sided { 0 } else { BOTH_SIDES };
        [levels.first, levels.count, u | sides, v]
    }

    /// What finish.glsl reads of it.
    fn finish_rows(&self, asset: &Asset, mesh: &Mesh, collector: &mut Collector) -> [[u32; 4]; 3] {
        let mut map = |texture: Option<TextureRef>| {
            let image = |texture: TextureRef| texture.image.index();
            match texture.map(|texture| (texture, &asset.images[image(texture)].data)) {
                Some((texture, ImageData::Bitmap(bitmap))) => {
                    let Levels { first, count } = collector.add_numbers(image(texture), bitmap);
                    let [u, v] = wraps(texture);
                    [first, count, u, v]
                }
                _ => [0; 4],
            }
        };
        let (reflection, bumps) = (self.finish.reflection, self.finish.bumps);
        let flag = |is_set: bool, flag: u32| if is_set { flag } else { 0 };
        let flags =
            flag(reflection.is_some(), REFLECTS) | flag(!mesh.tangents.is_empty(), HAS_TANGENTS);
        let [roughness, metallic] =
            reflection.map_or([0.0; 2], |own| [own.roughness, own.metallic]);
        let scale = bumps.map_or(0.0, |own| own.scale);
        let [roughness, metallic, scale] = [roughness, metallic, scale].map(f32::to_bits);
        [
            map(bumps.map(|own| own.texture)),
            map(reflection.and_then(|own| own.texture)),
            [roughness, metallic, scale, flags],
        ]
    }
}

/// How a texture goes on in u and v, as numbers for shaders.
fn wraps(texture: TextureRef) -> [u32; 2] {
    [texture.wrap_u, texture.wrap_v].map(|wrap| match wrap {
        TextureWrap::Repeat => 0,
        TextureWrap::Mirror => 1,
        TextureWrap::Clamp => 2,
    })
}

/// One coordinate per vertex; zeros where there are none.
fn padded(uvs: &[Vec2], vertices: usize) -> impl Iterator<Item = [f32; 2]> {
    let at = |vertex| uvs.get(vertex).copied().unwrap_or(Vec2::ZERO);
    (0..vertices).map(move |vertex| at(vertex).to_array())
}

fn number_of(source: ColorSource) -> i32 {
    match source {
        ColorSource::Material { lit: true } | ColorSource::Clay => SHOW_LIT,
        ColorSource::Material { lit: false } => SHOW_TEXTURE,
        ColorSource::Normals => SHOW_NORMALS,
        ColorSource::VertexValues(_) => SHOW_VALUES,
        ColorSource::VertexColors(_) | ColorSource::Checker => SHOW_COLORS,
        ColorSource::Depth => SHOW_DEPTH,
        ColorSource::Edges => SHOW_WIREFRAME,
    }
}
