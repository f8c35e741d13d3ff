//! Materials (glTF 2.0, §3.9). Only the base colour is drawn, with the same light for all, so `KHR_materials_unlit`
//! needs no support.

use glam::{Vec2, Vec4};

use super::document;
use super::error::GltfError;
use super::images::Images;
use super::json::{self, Alpha, BaseColor, Root, Sampler, TextureInfo};
use super::lenient::Whole;
use super::uvs::UvTransform;
use crate::import::notes::Notes;
use crate::rig::{AlphaMode, Material, TextureRef, TextureWrap};

/// The materials of a document, and their texture transforms.
pub(super) struct Materials {
    pub(super) list: Vec<Material>,
    /// One per material; see [`super::uvs`].
    pub(super) transforms: Vec<Option<UvTransform>>,
}

impl Materials {
    /// Reads all materials; the images that they need are added to `images`.
    ///
    /// # Errors
    ///
    /// [`GltfError::Missing`] for a texture, sampler or image that is not there.
    pub(super) fn read(
        root: &Root<'_>,
        images: &mut Images<'_>,
        notes: &mut Notes,
    ) -> Result<Self, GltfError> {
        let mut materials = Self {
            list: Vec::new(),
            transforms: Vec::new(),
        };
        for (index, material) in root.materials.iter().enumerate() {
            let location = format!("materials[{index}]");
            let base = base(material);
            let info = base.and_then(|base| base.texture.as_ref());
            let texture = info.map(|info| texture(root, info, &location, images, notes));
            let texture = texture.transpose()?.flatten();
            let transform = info.filter(|_| texture.is_some()).and_then(transform_of);
            materials.transforms.push(transform);
            materials.list.push(Material {
                name: (*material.name).to_owned(),
                base_color: base
                    .and_then(|base| base.factor)
                    .map_or(Vec4::ONE, Vec4::from),
                base_color_texture: texture,
                alpha: alpha(material),
                two_sided: material.double_sided,
            });
        }
        Ok(materials)
    }
}

/// The base colour of a material. If a file has both material models, the older one is used: the file was made for it.
fn base<'a>(material: &'a json::Material<'_>) -> Option<&'a BaseColor> {
    let older = material.extensions.as_ref();
    let older = older.and_then(|extensions| extensions.specular_glossiness.as_ref());
    older.or(material.pbr_metallic_roughness.as_ref())
}

fn texture(
    root: &Root<'_>,
    info: &TextureInfo,
    location: &str,
    images: &mut Images<'_>,
    notes: &mut Notes,
) -> Result<Option<TextureRef>, GltfError> {
    let texture = document::part(&root.textures, info.index, || location.to_owned())?;
    let in_texture = || format!("textures[{}]", info.index.0);
    let sampler = texture.sampler;
    let sampler = sampler.map(|sampler| document::part(&root.samplers, sampler, in_texture));
    let sampler = sampler.transpose()?;
    // WebP needs an extension, which is supported.
    let webp = texture
        .extensions
        .as_ref()
        .and_then(|all| all.webp.as_ref());
    let source = texture.source.or(webp.and_then(|webp| webp.source));
    let Some(source) = source else {
        let message = if texture.extensions.is_some() {
            "skipped: its image is in a format that is not supported"
        } else {
            "skipped: it has no `source`, and so no image"
        };
        notes.add(in_texture(), message);
        return Ok(None);
    };
    document::part(&root.images, source, in_texture)?;
    Ok(Some(TextureRef {
        image: images.id_of(source.index()),
        uv_set: uv_set(info),
        wrap_u: wrap(sampler, |sampler| sampler.wrap_s),
        wrap_v: wrap(sampler, |sampler| sampler.wrap_t),
    }))
}

/// The set of a texture; `KHR_texture_transform` overrides the standard's.
fn uv_set(info: &TextureInfo) -> u32 {
    let extensions = info.extensions.as_ref();
    let transform = extensions.and_then(|all| all.transform.as_ref());
    let set = transform.and_then(|transform| transform.tex_coord);
    let set = set.or(info.tex_coord).unwrap_or_default();
    u32::try_from(set.0).unwrap_or(u32::MAX)
}

fn transform_of(info: &TextureInfo) -> Option<UvTransform> {
    let transform = info.extensions.as_ref()?.transform.as_ref()?;
    Some(UvTransform {
        offset: transform.offset.map_or(Vec2::ZERO, Vec2::from),
        rotation: transform.rotation.unwrap_or(0.0),
        scale: transform.scale.map_or(Vec2::ONE, Vec2::from),
    })
}

/// Textures repeat without a sampler (§3.8.4), and with a mode that the standard does not define.
fn wrap(sampler: Option<&Sampler>, mode: fn(&Sampler) -> Option<Whole>) -> TextureWrap {
    match sampler.and_then(mode) {
        Some(Whole(33071)) => TextureWrap::Clamp,
        Some(Whole(33648)) => TextureWrap::Mirror,
        _ => TextureWrap::Repeat,
    }
}

fn alpha(material: &json::Material<'_>) -> AlphaMode {
    match material.alpha_mode {
        Alpha::Mask => AlphaMode::Mask(material.alpha_cutoff.unwrap_or(0.5)),
        Alpha::Blend => AlphaMode::Blend,
        Alpha::Opaque => AlphaMode::Opaque,
    }
}
