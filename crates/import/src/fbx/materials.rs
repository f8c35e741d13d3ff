//! Materials and their textures.

use std::collections::BTreeMap;
use std::path::PathBuf;

use glam::{DMat4, DVec3, Vec2, Vec3};
use ufbx::{Material as Raw, MaterialMap, Scene, Texture, TextureType, WrapMode};

use super::load::dmat4;
use crate::log::Notes;
use crate::rig::{
    AlphaMode, Bumps, Finish, Image, ImageData, ImageId, Material, MaterialId, Mesh, Reflection,
    TextureRef, TextureWrap,
};
use crate::surfaces::plausible_opacity;
use crate::vertices::f32_of;

/// The materials of a scene and the images that they use.
pub(super) struct Materials {
    /// In the order of the file.
    pub(super) list: Vec<Material>,
    pub(super) images: Vec<Image>,
    /// One per material.
    uv_mappings: Vec<UvMapping>,
}

/// How a material's texture maps to a mesh.
#[derive(Default)]
struct UvMapping {
    /// The name of the set of texture coordinates; empty for the first.
    uv_set: String,
    /// `texture_from_uv`, with v upwards, where it is not the identity.
    transform: Option<DMat4>,
    /// Whether a mesh has resolved the name to an index.
    is_used: bool,
}

impl Materials {
    pub(super) fn read(scene: &Scene, notes: &mut Notes) -> Self {
        let mut images = Images::default();
        let materials = scene.materials.iter();
        let (list, uv_mappings) = materials
            .map(|material| read(material, &mut images, notes))
            .unzip();
        Self {
            list,
            images: images.list,
            uv_mappings,
        }
    }

    /// Resolves which set of `raw` the texture of `id` uses, and applies the texture's transform to that set of `mesh`.
    ///
    /// * `mesh` – made from the part of `raw` that has this material.
    pub(super) fn map_texture(
        &mut self,
        id: MaterialId,
        raw: &ufbx::Mesh,
        mesh: &mut Mesh,
        notes: &mut Notes,
    ) {
        let uv_mapping = &mut self.uv_mappings[id.index()];
        let Some(texture) = self.list[id.index()].base_color_texture else {
            return;
        };
        let mut sets = raw.uv_sets.iter();
        let named = sets.position(|set| set.name.as_ref() == uv_mapping.uv_set);
        let set = named.unwrap_or(0);
        let number = u32::try_from(set).unwrap_or(0);
        if uv_mapping.is_used && texture.uv_set != number {
            let message = "uses different texture coordinate sets on different meshes; the first mesh decides";
            notes.add(
                format!("material {:?}", self.list[id.index()].name),
                message,
            );
            return;
        }
        uv_mapping.is_used = true;
        for texture in self.list[id.index()].textures_mut() {
            texture.uv_set = number;
        }
        if let (Some(transform), Some(uvs)) = (uv_mapping.transform, mesh.uv_sets.get_mut(set)) {
            for uv in uvs {
                *uv = moved(transform, *uv);
            }
        }
    }
}

/// The index of `material` in the list.
pub(super) fn id_of(material: &Raw) -> MaterialId {
    MaterialId(material.element.typed_id)
}

/// Transforms `uv`, whose v grows downwards, by a transform whose v grows upwards.
fn moved(transform: DMat4, uv: Vec2) -> Vec2 {
    let uv = uv.as_dvec2();
    let up = transform.transform_point3(DVec3::new(uv.x, 1.0 - uv.y, 0.0));
    Vec2::new(f32_of(up.x), f32_of(1.0 - up.y))
}

fn read(material: &Raw, images: &mut Images, notes: &mut Notes) -> (Material, UvMapping) {
    let name = material.element.name.to_string();
    let location = format!("material {name:?}");
    let texture = texture(material).and_then(|texture| file_of(texture, &location, notes));
    let used = texture.and_then(|texture| used(texture, images));
    // A texture replaces the colour.
    let color = if used.is_some() {
        Vec3::ONE
    } else {
        color(material)
    };
    let shown = texture.filter(|_| used.is_some());
    let (opacity, alpha) = opacity(material, shown, &location, notes);
    let uv_mapping = texture.map(uv_mapping).unwrap_or_default();
    let material = Material {
        name,
        base_color: color.extend(opacity),
        base_color_texture: used,
        alpha,
        two_sided: material.features.double_sided.enabled,
        finish: finish(material, texture, images),
    };
    (material, uv_mapping)
}

/// The use of `texture`, with the first set of texture coordinates.
fn used(texture: &Texture, images: &mut Images) -> Option<TextureRef> {
    Some(TextureRef {
        image: images.of(texture)?,
        uv_set: 0,
        wrap_u: wrap(texture.wrap_u),
        wrap_v: wrap(texture.wrap_v),
    })
}

/// Roughness and metal of the shaders that have them, and the normal map.
///
/// * `base_color` – its texture decides which texture coordinates are drawn.
fn finish(material: &Raw, base_color: Option<&Texture>, images: &mut Images) -> Finish {
    let pbr = &material.pbr;
    let value = |map: &MaterialMap, otherwise: f32| {
        let stated = map.has_value.then(|| f32_of(map.value_vec4.x));
        stated.unwrap_or(otherwise)
    };
    let is_stated = pbr.roughness.has_value || pbr.metalness.has_value;
    let placed = |texture: &Texture| (texture.uv_set.to_string(), texture.has_uv_transform);
    let normals = first_texture([&pbr.normal_map, &material.fbx.normal_map]).filter(|texture| {
        let is_plain = texture.type_ == TextureType::File && !texture.has_uv_transform;
        is_plain && base_color.is_none_or(|base| placed(base) == placed(texture))
    });
    Finish {
        reflection: (material.features.pbr.enabled && is_stated).then(|| Reflection {
            roughness: value(&pbr.roughness, 1.0),
            metallic: value(&pbr.metalness, 0.0),
            texture: None,
        }),
        bumps: normals.and_then(|texture| {
            Some(Bumps {
                texture: used(texture, images)?,
                scale: 1.0,
            })
        }),
    }
}

fn texture(material: &Raw) -> Option<&Texture> {
    first_texture([&material.pbr.base_color, &material.fbx.diffuse_color])
}

fn opacity_texture(material: &Raw) -> Option<&Texture> {
    let (pbr, fbx) = (&material.pbr, &material.fbx);
    first_texture([
        &pbr.opacity,
        &fbx.transparency_color,
        &fbx.transparency_factor,
    ])
}

fn first_texture<const N: usize>(maps: [&MaterialMap; N]) -> Option<&Texture> {
    let mut textures = maps
        .into_iter()
        .filter(|map| map.texture_enabled)
        .filter_map(|map| map.texture.as_deref());
    textures.next()
}

fn uv_mapping(texture: &Texture) -> UvMapping {
    UvMapping {
        uv_set: texture.uv_set.to_string(),
        transform: texture
            .has_uv_transform
            .then(|| dmat4(&texture.uv_to_texture)),
        is_used: false,
    }
}

/// Material colours are linear, as Maya and Blender use them.
fn color(material: &Raw) -> Vec3 {
    let pbr = &material.pbr;
    let (color, factor) = (rgb(&pbr.base_color), &pbr.base_factor);
    let factor = if factor.has_value {
        factor.value_vec4.x
    } else {
        1.0
    };
    color.map_or(Vec3::ONE, |color| (color * factor).as_vec3())
}

fn rgb(map: &MaterialMap) -> Option<DVec3> {
    let value = &map.value_vec4;
    map.has_value.then(|| DVec3::new(value.x, value.y, value.z))
}

/// The alpha of the base colour, and how it is drawn.
///
/// A texture replaces the stated value, as in Blender's importer. If it is also the colour's image, its alpha channel is
/// the opacity.
///
/// * `shown` – the texture of the base colour.
fn opacity(
    material: &Raw,
    shown: Option<&Texture>,
    location: &str,
    notes: &mut Notes,
) -> (f32, AlphaMode) {
    if let Some(texture) = opacity_texture(material) {
        let texture = file_of(texture, location, notes);
        let image = |texture: &Texture| texture.has_file.then_some(texture.file_index);
        let image_of_opacity = texture.and_then(image);
        if image_of_opacity.is_some() && image_of_opacity == shown.and_then(image) {
            return (1.0, AlphaMode::Blend);
        }
        let message =
            "its opacity texture is not the base colour's and cannot be drawn; read as opaque";
        notes.add(location, message);
        return (1.0, AlphaMode::Opaque);
    }
    plausible_opacity(f32_of(stated_opacity(material)), location, notes)
}

/// The opacity of the shader; else of the property `Opacity`, which most exporters write; else 1 minus FBX's own
/// transparency.
fn stated_opacity(material: &Raw) -> f64 {
    let mean = |color: DVec3| color.element_sum() / 3.0;
    if let Some(opacity) = rgb(&material.pbr.opacity) {
        return mean(opacity);
    }
    if let Some(opacity) = ufbx::find_prop(&material.element.props, "Opacity") {
        return opacity.value_vec4.x;
    }
    let (color, factor) = (
        &material.fbx.transparency_color,
        &material.fbx.transparency_factor,
    );
    match (rgb(color), factor.has_value) {
        (Some(color), true) => 1.0 - mean(color) * factor.value_vec4.x,
        (None, true) => 1.0 - factor.value_vec4.x,
        _ => 1.0,
    }
}

/// The images that materials use, each once.
#[derive(Default)]
pub(super) struct Images {
    pub(super) list: Vec<Image>,
    /// By ufbx's number of the image file, which textures share.
    known: BTreeMap<u32, ImageId>,
}

impl Images {
    /// The image of `texture`, which is [a file](file_of); `None` if it names none.
    pub(super) fn of(&mut self, texture: &Texture) -> Option<ImageId> {
        if texture.has_file
            && let Some(&known) = self.known.get(&texture.file_index)
        {
            return Some(known);
        }
        let id = ImageId::from_index(self.list.len());
        self.list.push(image(texture)?);
        if texture.has_file {
            self.known.insert(texture.file_index, id);
        }
        Some(id)
    }
}

/// Prefers the relative path, which is valid on other machines too. Images are searched for by all its parts.
fn image(texture: &Texture) -> Option<Image> {
    let paths = [
        &texture.relative_filename,
        &texture.absolute_filename,
        &texture.filename,
    ];
    let path = paths.into_iter().find(|path| !path.is_empty());
    let data = if texture.content.is_empty() {
        ImageData::File(PathBuf::from(path?.as_ref()))
    } else {
        ImageData::Encoded(texture.content.to_vec())
    };
    let name = path.map_or_else(|| texture.element.name.to_string(), ToString::to_string);
    Some(Image { name, data })
}

/// The texture that has the image file; of several layers, the lowest.
fn file_of<'a>(texture: &'a Texture, location: &str, notes: &mut Notes) -> Option<&'a Texture> {
    if texture.type_ == TextureType::File {
        return Some(texture);
    }
    let message = "has a layered or procedural texture; its first image is used";
    notes.add(location, message);
    texture.file_textures.iter().next().map(AsRef::as_ref)
}

pub(super) fn wrap(mode: WrapMode) -> TextureWrap {
    match mode {
        WrapMode::Repeat => TextureWrap::Repeat,
        WrapMode::Clamp => TextureWrap::Clamp,
    }
}
