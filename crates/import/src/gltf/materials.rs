//! Materials (glTF 2.0, §3.9): base colour, roughness, metal and normal maps. All have the same light, so
//! `KHR_materials_unlit` needs no support.
//!
//! A material that transforms its texture gets its own set of texture coordinates after the file's sets, which are not
//! changed. A vertex is drawn with one pair of texture coordinates, so roughness, metal and normals are read only from
//! textures that lie on the surface as the base colour's texture does.

use std::path::PathBuf;

use glam::{Vec2, Vec4};

use super::accessors::Accessors;
use super::error::GltfError;
use super::json::{self, Alpha, Root, Sampler, Shading, TextureInfo};
use super::lenient::Whole;
use super::uv_transform::UvTransform;
use super::{buffers, document};
use crate::files;
use crate::log::Notes;
use crate::rig::{
    AlphaMode, Bumps, Finish, Image, ImageData, ImageId, Material, MaterialId, Mesh, Reflection,
    TextureRef, TextureWrap,
};
use crate::vertices::f32_of;

/// The materials of a document, and their texture transforms.
#[derive(Default)]
pub(super) struct Materials {
    pub(super) list: Vec<Material>,
    /// One per material; see [`super::materials`].
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
        let mut materials = Self::default();
        for (index, material) in root.materials.iter().enumerate() {
            let location = format!("materials[{index}]");
            let shading = shading(material);
            let info = shading.and_then(|own| own.texture.as_ref());
            let texture = info
                .map(|info| texture(root, info, &location, images, notes))
                .transpose()?
                .flatten();
            let transform = info.filter(|_| texture.is_some()).and_then(transform_of);
            materials.transforms.push(transform);
            materials.list.push(Material {
                name: (*material.name).to_owned(),
                base_color: shading
                    .and_then(|own| own.factor)
                    .map_or(Vec4::ONE, Vec4::from),
                base_color_texture: texture,
                alpha: alpha(material),
                two_sided: material.double_sided,
                finish: Finish::default(),
            });
        }
        // After all base colours: images are read until memory is used up.
        let all = materials.list.iter_mut().zip(&materials.transforms);
        for ((read, transform), material) in all.zip(root.materials.iter()) {
            let base = read.base_color_texture;
            let placed =
                base.map(|texture| (texture.uv_set, transform.unwrap_or(UvTransform::IDENTITY)));
            read.finish = finish(root, material, placed, images);
        }
        Ok(materials)
    }
}

/// How `material` reflects light.
///
/// * `placed` – the set of the base colour's texture, and its transform.
fn finish(
    root: &Root<'_>,
    material: &json::Material<'_>,
    placed: Option<(u32, UvTransform)>,
    images: &mut Images<'_>,
) -> Finish {
    // A reference that is broken changes no base colour and moves no vertex, so the texture is left out without a word.
    let mut drawn = |info: &TextureInfo| {
        let transform = transform_of(info).unwrap_or(UvTransform::IDENTITY);
        let is_drawn = match placed {
            Some(placed) => placed == (uv_set(info), transform),
            None => transform == UvTransform::IDENTITY,
        };
        let read = || texture(root, info, "", images, &mut Notes::default()).ok()?;
        is_drawn.then(read).flatten()
    };
    let shading = shading(material);
    let stated = shading.filter(|own| {
        own.metallic.is_some() || own.roughness.is_some() || own.reflection_texture.is_some()
    });
    Finish {
        reflection: stated.map(|own| Reflection {
            roughness: own.roughness.map_or(1.0, f32_of),
            metallic: own.metallic.map_or(1.0, f32_of),
            texture: own.reflection_texture.as_ref().and_then(&mut drawn),
        }),
        bumps: material.normal_texture.as_ref().and_then(|info| {
            Some(Bumps {
                texture: drawn(info)?,
                scale: info.scale.map_or(1.0, f32_of),
            })
        }),
    }
}

/// The shading of a material. If a file has both material models, the older one is used: the file was made for it.
fn shading<'a>(material: &'a json::Material<'_>) -> Option<&'a Shading> {
    let extensions = material.extensions.as_ref();
    let older = extensions.and_then(|all| all.specular_glossiness.as_ref());
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
    let sampler = texture
        .sampler
        .map(|sampler| document::part(&root.samplers, sampler, in_texture))
        .transpose()?;
    // An extension comes first: the texture's own image is for programs that do not know it.
    let extensions = texture.extensions.as_ref();
    let mut others = extensions
        .map(|all| [&all.basisu, &all.webp])
        .into_iter()
        .flatten()
        .flatten();
    let other = others.find_map(|other| other.source);
    let source = other.or(texture.source);
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
    let set = transform
        .and_then(|transform| transform.tex_coord)
        .or(info.tex_coord)
        .unwrap_or_default();
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

/// The images of the model, in the order in which materials name them.
pub(super) struct Images<'a> {
    root: &'a Root<'a>,
    accessors: &'a Accessors<'a>,
    list: Vec<Image>,
    /// The index in the list for each image of the document.
    ids: Vec<Option<ImageId>>,
}

impl<'a> Images<'a> {
    /// An empty list.
    pub(super) fn new(root: &'a Root<'a>, accessors: &'a Accessors<'a>) -> Self {
        Self {
            root,
            accessors,
            list: Vec::new(),
            ids: vec![None; root.images.len()],
        }
    }

    /// The id of image `index` of the document, which must exist.
    pub(super) fn id_of(&mut self, index: usize) -> ImageId {
        if let Some(known) = self.ids[index] {
            return known;
        }
        let id = ImageId::from_index(self.list.len());
        self.ids[index] = Some(id);
        self.list.push(self.read(index));
        id
    }

    /// The list.
    pub(super) fn into_inner(self) -> Vec<Image> {
        self.list
    }

    fn read(&self, index: usize) -> Image {
        let image = &self.root.images[index];
        let path = image
            .uri
            .as_deref()
            .filter(|uri| !buffers::is_data(uri))
            .map(files::percent_decoded);
        let name = Some((*image.name).to_owned()).filter(|name| !name.is_empty());
        Image {
            name: name.or_else(|| path.clone()).unwrap_or_default(),
            data: match path {
                Some(path) => ImageData::File(PathBuf::from(path)),
                None => self.embedded(image),
            },
        }
    }

    /// An image that cannot be read is missing, which is not an error: images do not move vertices.
    fn embedded(&self, image: &json::Image<'_>) -> ImageData {
        let bytes = match (&image.uri, image.buffer_view) {
            (Some(uri), _) => {
                buffers::data(uri).ok_or_else(|| "its data URI is badly encoded".to_owned())
            }
            (None, Some(view)) => self
                .accessors
                .bytes(view)
                .map_err(|problem| problem.to_string()),
            (None, None) => Err("it has neither a uri nor data".to_owned()),
        };
        bytes.map_or_else(ImageData::Missing, ImageData::Encoded)
    }
}

/// Gives each mesh whose material has a transform the set that the material then refers to.
///
/// * `transforms` – one per material.
pub(super) fn transform_uvs(
    transforms: &[Option<UvTransform>],
    materials: &mut [Material],
    meshes: &mut [Mesh],
) {
    for (index, (material, transform)) in materials.iter_mut().zip(transforms).enumerate() {
        let transform = transform.filter(|transform| *transform != UvTransform::IDENTITY);
        let (Some(transform), Some(texture)) = (transform, material.base_color_texture) else {
            continue;
        };
        let id = MaterialId::from_index(index);
        let set = texture.uv_set as usize;
        let has_set = |mesh: &Mesh| mesh.uv_sets.get(set).is_some_and(|set| !set.is_empty());
        let users = || {
            meshes
                .iter()
                .filter(|mesh| mesh.material == Some(id) && has_set(mesh))
        };
        let Some(new) = users().map(|mesh| mesh.uv_sets.len()).max() else {
            continue;
        };
        let map = transform.map();
        for mesh in meshes
            .iter_mut()
            .filter(|mesh| mesh.material == Some(id) && has_set(mesh))
        {
            let moved = mesh.uv_sets[set].iter().map(|&uv| map(uv)).collect();
            mesh.uv_sets.resize(new, Vec::new());
            mesh.uv_sets.push(moved);
        }
        for texture in material.textures_mut() {
            texture.uv_set = u32::try_from(new).unwrap_or(u32::MAX);
        }
    }
}
