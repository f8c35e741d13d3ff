//! Materials, their properties (a list of keys and bytes), and images, inside the model or beside it.

use std::path::PathBuf;

use glam::Vec4;
use russimp::sys::{
    aiMaterial, aiMaterialProperty, aiPropertyTypeInfo_aiPTI_Buffer,
    aiPropertyTypeInfo_aiPTI_Float, aiPropertyTypeInfo_aiPTI_Integer,
    aiPropertyTypeInfo_aiPTI_String, aiScene, aiTexel, aiTexture,
};

use super::raw::{self, Raw};
use crate::log::Notes;
use crate::rig::{
    AlphaMode, Bitmap, Finish, Format, Image, ImageData, ImageId, Material, TextureRef, TextureWrap,
};
use crate::surfaces::{plain, plausible_opacity};

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
    let mut texture = texture(&properties, images);
    let layers = [BASE_COLOR, DIFFUSE].map(|kind| properties.count("$tex.file", kind));
    if let Some(layers @ 2..) = layers.into_iter().find(|layers| *layers > 0) {
        let message = format!("has {layers} layers of colour; only the first is drawn");
        notes.add(format!("material {name:?}"), message);
    }
    // `M3DImporter.cpp`: `importTextures` reads only names.
    if format == Format::Model3d && texture.is_some_and(|own| images.is_without_data(own.image)) {
        let message = "assimp drops the image that the file embeds";
        notes.add(format!("material {name:?}"), message);
        texture = None;
    }
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
        finish: Finish::default(),
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
    let stated = properties
        .numbers("$mat.opacity", 0)
        .and_then(|numbers| numbers.first().copied());
    let location = format!("material {name:?}");
    plausible_opacity(stated.unwrap_or(1.0), &location, notes).0
}

fn alpha(properties: &Properties<'_>, opacity: f32) -> AlphaMode {
    match properties.text("$mat.gltf.alphaMode", 0).as_deref() {
        Some("MASK") => {
            let cutoff = properties
                .numbers("$mat.gltf.alphaCutoff", 0)
                .and_then(|numbers| numbers.first().copied());
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

/// The images of a scene: first the embedded ones in assimp's order, then files in the order in which materials name them.
#[derive(Default)]
pub(super) struct Images {
    list: Vec<Image>,
    embedded: usize,
}

impl Images {
    /// All embedded images, whether or not a material uses them. A gap in assimp's list becomes a missing image, so that
    /// the indices of the others do not change.
    pub(super) fn read(scene: Raw<'_, aiScene>) -> Self {
        let list: Vec<Image> = scene.textures().map(embedded).collect();
        let embedded = list.len();
        Self { list, embedded }
    }

    /// The image that a material calls `path`: an embedded image by `*` and its index or by its file name, or a file.
    pub(super) fn named(&mut self, path: &str) -> ImageId {
        let number = path.strip_prefix('*').and_then(|n| n.parse::<usize>().ok());
        let number = number.filter(|&number| number < self.embedded);
        let known = number.or_else(|| self.position(path));
        ImageId::from_index(known.unwrap_or_else(|| {
            self.list.push(Image {
                name: path.to_owned(),
                data: ImageData::File(PathBuf::from(path)),
            });
            self.list.len() - 1
        }))
    }

    fn is_without_data(&self, image: ImageId) -> bool {
        matches!(self.list[image.index()].data, ImageData::Missing(_))
    }

    /// The list.
    pub(super) fn into_inner(self) -> Vec<Image> {
        self.list
    }

    fn position(&self, path: &str) -> Option<usize> {
        let exact = self.list.iter().position(|image| image.name == path);
        let mut embedded = self.list[..self.embedded].iter();
        let file = file_name(path);
        exact.or_else(|| {
            embedded.position(|image| !image.name.is_empty() && file_name(&image.name) == file)
        })
    }
}

/// The part of `path` after the last separator of any system.
fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

fn embedded(texture: Option<Raw<'_, aiTexture>>) -> Image {
    let Some(texture) = texture else {
        return Image {
            name: String::new(),
            data: ImageData::Missing("the file embeds an empty image".to_owned()),
        };
    };
    Image {
        name: raw::text_of(&texture.mFilename),
        data: data(texture),
    }
}

fn data(texture: Raw<'_, aiTexture>) -> ImageData {
    let (bytes, texels) = (texture.compressed(), texture.texels());
    if !bytes.is_empty() {
        ImageData::Encoded(bytes.to_vec())
    } else if texels.is_empty() {
        ImageData::Missing("the file embeds an empty image".to_owned())
    } else {
        ImageData::Bitmap(Bitmap {
            width: texture.mWidth,
            height: texture.mHeight,
            rgba: texels.iter().copied().flat_map(rgba).collect(),
        })
    }
}

fn rgba(texel: aiTexel) -> [u8; 4] {
    [texel.r, texel.g, texel.b, texel.a]
}

/// The properties of one material.
pub(super) struct Properties<'a>(Vec<(Vec<u8>, Raw<'a, aiMaterialProperty>)>);

impl<'a> Properties<'a> {
    /// The properties of `material`.
    pub(super) fn read(material: Raw<'a, aiMaterial>) -> Self {
        let properties = material.properties().flatten();
        Self(properties.map(|p| (raw::bytes_of(&p.mKey), p)).collect())
    }

    /// The property of the first texture if `kind` is the purpose of a texture; of the material if it is 0.
    fn find(&self, key: &str, kind: u32) -> Option<Raw<'a, aiMaterialProperty>> {
        let mut properties = self.0.iter();
        let found = properties.find(|(name, property)| {
            name == key.as_bytes() && property.mSemantic == kind && property.mIndex == 0
        });
        found.map(|&(_, property)| property)
    }

    /// How many textures of a kind have the property.
    fn count(&self, key: &str, kind: u32) -> usize {
        let all = self.0.iter();
        let own =
            all.filter(|(name, property)| name == key.as_bytes() && property.mSemantic == kind);
        own.count()
    }

    /// A text.
    pub(super) fn text(&self, key: &str, kind: u32) -> Option<String> {
        let property = self.find(key, kind)?;
        if property.mType != aiPropertyTypeInfo_aiPTI_String {
            return None;
        }
        text(property.data())
    }

    /// Numbers.
    pub(super) fn numbers(&self, key: &str, kind: u32) -> Option<Vec<f32>> {
        let property = self.find(key, kind)?;
        let types = [
            aiPropertyTypeInfo_aiPTI_Float,
            aiPropertyTypeInfo_aiPTI_Buffer,
        ];
        types
            .contains(&property.mType)
            .then(|| numbers(property.data()))
    }

    /// The first of some whole numbers.
    pub(super) fn integer(&self, key: &str, kind: u32) -> Option<i32> {
        let property = self.find(key, kind)?;
        let first = *property.data().first_chunk::<4>()?;
        let types = [
            aiPropertyTypeInfo_aiPTI_Integer,
            aiPropertyTypeInfo_aiPTI_Buffer,
        ];
        types
            .contains(&property.mType)
            .then(|| i32::from_ne_bytes(first))
    }

    /// Whether any bit is set. assimp stores a `bool` as one byte or as an int.
    pub(super) fn flag(&self, key: &str) -> bool {
        let property = self.find(key, 0);
        property.is_some_and(|property| property.data().iter().any(|&byte| byte != 0))
    }
}

/// A string: its length in 4 bytes, then its bytes.
fn text(data: &[u8]) -> Option<String> {
    let (len, bytes) = data.split_first_chunk::<4>()?;
    let len = usize::try_from(u32::from_ne_bytes(*len)).ok()?;
    Some(raw::decode(bytes.get(..len)?))
}

/// assimp is compiled for single precision. A torn number at the end is skipped.
fn numbers(data: &[u8]) -> Vec<f32> {
    let words = data.as_chunks().0.iter();
    words.map(|bytes| f32::from_ne_bytes(*bytes)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_shorter_than_it_says_is_none() {
        let mut data = 9_u32.to_ne_bytes().to_vec();
        data.extend(b"short\0");
        assert_eq!(text(&data), None);
        data[..4].copy_from_slice(&5_u32.to_ne_bytes());
        assert_eq!(text(&data).as_deref(), Some("short"));
        assert_eq!(text(&[1, 2]), None);
    }

    #[test]
    fn a_torn_number_is_skipped() {
        let mut data = 0.25_f32.to_ne_bytes().to_vec();
        data.push(7);
        assert_eq!(numbers(&data), [0.25]);
    }
}
