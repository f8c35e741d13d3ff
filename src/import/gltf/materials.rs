//! Surfaces (glTF 2.0, §3.9). Of a surface the base colour is drawn, lit in one way for all, so that
//! `KHR_materials_unlit` asks for nothing more.

use glam::{Vec2, Vec4};
use gltf::json::material::{AlphaMode as GltfAlpha, Material as GltfMaterial};
use gltf::json::texture::{Info, Sampler, WrappingMode};
use gltf::json::validation::Checked;
use gltf::json::{Index, Texture};
use serde_json::Value;

use super::document::Document;
use super::error::GltfError;
use super::images::Images;
use super::mend::NOTHING;
use super::uvs::UvTransform;
use crate::import::notes::Notes;
use crate::rig::{AlphaMode, Material, TextureRef, TextureWrap};

/// The older model of surfaces, which has its base colour under another name.
const SPECULAR_GLOSSINESS: &str = "KHR_materials_pbrSpecularGlossiness";

/// The materials of a document, and how each moves its texture on the surface.
pub(super) struct Materials {
    pub(super) list: Vec<Material>,
    /// One a material; see [`super::uvs`].
    pub(super) transforms: Vec<Option<UvTransform>>,
}

impl Materials {
    /// Reads all materials; the images that they need are added to `images`.
    ///
    /// # Errors
    ///
    /// [`GltfError::Missing`] for a texture, sampler or image that is not there.
    pub(super) fn read(
        document: &Document,
        images: &mut Images<'_>,
        notes: &mut Notes,
    ) -> Result<Self, GltfError> {
        let mut materials = Self {
            list: Vec::new(),
            transforms: Vec::new(),
        };
        for (index, material) in document.root.materials.iter().enumerate() {
            let place = format!("materials[{index}]");
            let base = Base::of(material, &place)?;
            let texture = match &base.texture {
                Some(info) => texture(document, info, &place, images, notes)?,
                None => None,
            };
            let transform = base.texture.as_ref().filter(|_| texture.is_some());
            materials.transforms.push(transform.and_then(transform_of));
            materials.list.push(Material {
                name: material.name.clone().unwrap_or_default(),
                base_color: Vec4::from_array(base.color),
                base_color_texture: texture,
                alpha: alpha(material),
                two_sided: material.double_sided,
            });
        }
        Ok(materials)
    }
}

/// The colour of a surface, of whichever model.
struct Base {
    /// Linear RGBA.
    color: [f32; 4],
    texture: Option<Info>,
}

impl Base {
    fn of(material: &GltfMaterial, place: &str) -> Result<Self, GltfError> {
        let older = material.extensions.as_ref();
        let older = older.and_then(|extensions| extensions.others.get(SPECULAR_GLOSSINESS));
        if let Some(older) = older {
            let place = format!("{place}.extensions.{SPECULAR_GLOSSINESS}");
            return Ok(Self {
                color: member(older, "diffuseFactor", &place)?.unwrap_or([1.0; 4]),
                texture: member(older, "diffuseTexture", &place)?,
            });
        }
        let reflection = &material.pbr_metallic_roughness;
        Ok(Self {
            color: reflection.base_color_factor.0,
            texture: reflection.base_color_texture.clone(),
        })
    }
}

fn member<T: serde::de::DeserializeOwned>(
    of: &Value,
    name: &str,
    place: &str,
) -> Result<Option<T>, GltfError> {
    let value = of.get(name).cloned().unwrap_or_default();
    serde_json::from_value(value).map_err(|error| GltfError::Malformed {
        place: format!("{place}.{name}"),
        reason: error.to_string(),
    })
}

fn texture(
    document: &Document,
    info: &Info,
    place: &str,
    images: &mut Images<'_>,
    notes: &mut Notes,
) -> Result<Option<TextureRef>, GltfError> {
    let texture = document.part(info.index, || place.to_owned())?;
    let in_texture = || texture_place(info.index);
    let sampler = texture
        .sampler
        .map(|sampler| document.part(sampler, in_texture))
        .transpose()?;
    if texture.source == Index::new(NOTHING) {
        // A picture in another format stands in an extension's source, which is not known here.
        let message = if texture.extensions.is_some() {
            "left out: its picture is in no format that can be read"
        } else {
            "left out: it has no `source`, and so no picture"
        };
        notes.add(in_texture(), message);
        return Ok(None);
    }
    document.part(texture.source, in_texture)?;
    Ok(Some(TextureRef {
        image: images.id_of(texture.source.value()),
        uv_set: uv_set(info),
        wrap_u: wrap(sampler, |sampler| sampler.wrap_s),
        wrap_v: wrap(sampler, |sampler| sampler.wrap_t),
    }))
}

fn texture_place(texture: Index<Texture>) -> String {
    format!("textures[{}]", texture.value())
}

/// `KHR_texture_transform` has the last word.
fn uv_set(info: &Info) -> u32 {
    let transform = info
        .extensions
        .as_ref()
        .and_then(|all| all.texture_transform.as_ref());
    transform
        .and_then(|transform| transform.tex_coord)
        .unwrap_or(info.tex_coord)
}

fn transform_of(info: &Info) -> Option<UvTransform> {
    let transform = info.extensions.as_ref()?.texture_transform.as_ref()?;
    Some(UvTransform {
        offset: Vec2::from_array(transform.offset.0),
        rotation: transform.rotation.0,
        scale: Vec2::from_array(transform.scale.0),
    })
}

/// Without a sampler, and with a mode that is none, textures repeat (§3.8.4).
fn wrap(sampler: Option<&Sampler>, mode: fn(&Sampler) -> Checked<WrappingMode>) -> TextureWrap {
    match sampler.map(mode) {
        Some(Checked::Valid(WrappingMode::ClampToEdge)) => TextureWrap::Clamp,
        Some(Checked::Valid(WrappingMode::MirroredRepeat)) => TextureWrap::Mirror,
        _ => TextureWrap::Repeat,
    }
}

fn alpha(material: &GltfMaterial) -> AlphaMode {
    match material.alpha_mode {
        Checked::Valid(GltfAlpha::Mask) => {
            AlphaMode::Mask(material.alpha_cutoff.unwrap_or_default().0)
        }
        Checked::Valid(GltfAlpha::Blend) => AlphaMode::Blend,
        _ => AlphaMode::Opaque,
    }
}
