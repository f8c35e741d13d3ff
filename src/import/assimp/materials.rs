//! Materials.

use glam::Vec4;
use russimp::sys::{aiMaterial, aiScene};

use super::images::Images;
use super::properties::Properties;
use super::raw::Raw;
use crate::import::notes::Notes;
use crate::import::surfaces::{plain, plausible_opacity};
use crate::rig::Format;
use crate::rig::{AlphaMode, Material, TextureRef, TextureWrap};

/// assimp's numbers for the purpose of a texture (`aiTextureType`).
const DIFFUSE: u32 = 1;
const BASE_COLOR: u32 = 12;

/// The colour that multiplies without effect.
const WHITE: Vec4 = Vec4::ONE;

/// The default cutoff of glTF 2.0 §3.9.4.
const DEFAULT_CUTOFF: f32 = 0.5;

/// Reads all materials; the images that they name are added to `images`.
pub(super) fn read(
    scene: Raw<'_, aiScene>,
    format: Format,
    images: &mut Images,
    notes: &mut Notes,
) -> Vec<Material> {
    let materials = scene.materials();
    materials
        .map(|material| match material {
            Some(material) => read_one(material, format, images, notes),
            None => plain(""),
        })
        .collect()
}

fn read_one(
    material: Raw<'_, aiMaterial>,
    format: Format,
    images: &mut Images,
    notes: &mut Notes,
) -> Material {
    let properties = Properties::read(material);
    let name = properties.text("?mat.name", 0).unwrap_or_default();
    let texture = texture(&properties, images);
    let mut base_color = color(&properties);
    // Older formats replace the colour by the texture; only glTF multiplies them.
    if texture.is_some() && format != Format::Gltf {
        base_color = WHITE;
    }
    if format != Format::Gltf {
        base_color.w = opacity(&properties, &name, notes);
    }
    Material {
        base_color,
        base_color_texture: texture,
        alpha: alpha(&properties, base_color.w),
        two_sided: properties.flag("$mat.twosided"),
        name,
    }
}

/// Material colours are linear in every format: Maya and Blender use them so, and converters to glTF copy the numbers
/// unchanged into its linear factors.
fn color(properties: &Properties<'_>) -> Vec4 {
    let numbers = properties
        .numbers("$clr.base", 0)
        .or_else(|| properties.numbers("$clr.diffuse", 0));
    match numbers.as_deref() {
        Some([r, g, b, a, ..]) => Vec4::new(*r, *g, *b, *a),
        Some([r, g, b]) => Vec4::new(*r, *g, *b, 1.0),
        _ => WHITE,
    }
}

fn opacity(properties: &Properties<'_>, name: &str, notes: &mut Notes) -> f32 {
    let stated = properties.numbers("$mat.opacity", 0);
    let stated = stated.and_then(|numbers| numbers.first().copied());
    let location = format!("material {name:?}");
    plausible_opacity(stated.unwrap_or(1.0), &location, notes).0
}

fn alpha(properties: &Properties<'_>, opacity: f32) -> AlphaMode {
    match properties.text("$mat.gltf.alphaMode", 0).as_deref() {
        Some("MASK") => {
            let cutoff = properties.numbers("$mat.gltf.alphaCutoff", 0);
            let cutoff = cutoff.and_then(|numbers| numbers.first().copied());
            AlphaMode::Mask(cutoff.unwrap_or(DEFAULT_CUTOFF))
        }
        Some("BLEND") => AlphaMode::Blend,
        None if opacity < 1.0 => AlphaMode::Blend,
        _ => AlphaMode::Opaque,
    }
}

fn texture(properties: &Properties<'_>, images: &mut Images) -> Option<TextureRef> {
    let file = |kind| properties.text("$tex.file", kind).map(|path| (kind, path));
    let named = file(BASE_COLOR).or_else(|| file(DIFFUSE));
    let (kind, path) = named.filter(|(_, path)| !path.is_empty())?;
    let wrap = |key| wrap(properties.integer(key, kind).unwrap_or(0));
    let uv_set = properties.integer("$tex.uvwsrc", kind).unwrap_or(0);
    Some(TextureRef {
        image: images.named(&path),
        uv_set: u32::try_from(uv_set).unwrap_or(0),
        wrap_u: wrap("$tex.mapmodeu"),
        wrap_v: wrap("$tex.mapmodev"),
    })
}

/// assimp's `aiTextureMapMode`.
fn wrap(mode: i32) -> TextureWrap {
    match mode {
        1 | 3 => TextureWrap::Clamp,
        2 => TextureWrap::Mirror,
        _ => TextureWrap::Repeat,
    }
}
