//! Import of Model 3D, the binary form.
//!
//! +Y is up and +Z in front, as in OpenGL; the file states the length of its unit. Surfaces made by formulas (`SHPE`,
//! `PROC`) are left out with a note.
//!
//! # Reference
//!
//! bzt, "Model 3D File Format" (`m3d_format.md`), and its reader `m3d.h`.

mod actions;
mod container;
mod cursor;
mod examine;
mod lists;
mod meshes;
mod numbers;

use std::collections::BTreeMap;
use std::path::Path;

use glam::Vec4;

use self::container::Container;
use self::cursor::Damage;
use self::lists::{Lists, Surface};
use self::meshes::Part;
use super::defects::Defects;
use super::hierarchy::Hierarchy;
use super::importer::{Importer, ImporterError};
use crate::rig::{
    AlphaMode, Asset, Image, ImageData, ImageId, Joint, JointId, LocalTransform, Material,
    MaterialId, Mesh, MeshId, MeshInstance, Note, Skeleton, Skin, SkinId, TextureRef, TextureWrap,
    Trs,
};
use crate::units::{Space, amount};

/// The reader of `.m3d`.
#[derive(Debug, Clone, Copy)]
pub(super) struct M3d;

impl Importer for M3d {
    fn name(&self) -> &'static str {
        "m3d"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["m3d"]
    }

    fn version(&self) -> String {
        env!("CARGO_PKG_VERSION").to_owned()
    }

    fn import(&self, path: &Path) -> Result<Asset, ImporterError> {
        let bytes = std::fs::read(path).map_err(|error| ImporterError::Parse {
            message: format!("it cannot be read: {error}"),
        })?;
        let parsed = parse(&bytes, &self.version());
        parsed.map_err(|damage| ImporterError::Parse {
            message: damage.to_string(),
        })
    }
}

/// The model in `bytes`, a whole file.
fn parse(bytes: &[u8], version: &str) -> Result<Asset, Damage> {
    let file = Container::open(bytes)?;
    if !file.has_end() {
        return Err(Damage::Cut("OMD3"));
    }
    let lists = Lists::read(&file)?;
    let mut notes = Vec::new();
    if lists.left_out > 0 {
        notes.push(Note {
            place: "file".to_owned(),
            message: format!(
                "left out {} made by formulas",
                amount(lists.left_out, "surface")
            ),
        });
    }
    let rests = rests(&lists)?;
    let hierarchy = hierarchy(&lists, &rests)?;
    let mut defects = Defects::default();
    examine::bones(&lists, &mut defects);
    examine::weights(&lists, &mut defects);
    let clips = actions::clips(&lists, &hierarchy.ids, &rests, &mut defects)?;
    let mut parts = meshes::parts(&lists, &mut notes, &mut defects)?;
    let (materials, images) = surfaces(&lists, &mut parts);
    let meshes: Vec<Mesh> = parts.into_iter().map(|part| part.mesh).collect();
    let (joints, instances) = hung(hierarchy.joints, file.title(), &meshes);
    let skin = Skin {
        name: String::new(),
        joints: hierarchy.ids,
        inverse_bind_matrices: hierarchy.inverse_binds,
    };
    let unit = f64::from(file.metres_per_unit);
    Ok(Asset {
        importer: format!("m3d {version} (Model 3D)"),
        space: Space {
            metres_per_unit: Some(unit).filter(|unit| unit.is_finite() && *unit > 0.0),
            ..Space::Y_UP
        },
        stated_space: None,
        skeleton: Skeleton::new(joints).expect("joints were put after their parents"),
        meshes,
        skins: if skin.joints.is_empty() {
            Vec::new()
        } else {
            vec![skin]
        },
        instances,
        clips,
        materials,
        images,
        files: Vec::new(),
        notes,
        evidence: defects.into_evidence(examine::EXAMINED.iter().copied()),
    })
}

fn rests(lists: &Lists) -> Result<Vec<Trs>, Damage> {
    let bones = lists.bones.iter().enumerate();
    bones
        .map(|(index, bone)| actions::trs(lists, &bone.rest, &format!("bone {index}")))
        .collect()
}

fn hierarchy(lists: &Lists, rests: &[Trs]) -> Result<Hierarchy, Damage> {
    let bones = lists.bones.iter();
    let parents: Vec<Option<usize>> = bones.clone().map(|bone| bone.rest.bone).collect();
    let joints = bones
        .zip(rests)
        .map(|(bone, rest)| (bone.name.clone(), *rest));
    Ok(Hierarchy::new("bone", &parents, joints.collect())?)
}

/// Adds a root called `title`, and shows all `meshes` there.
fn hung(mut joints: Vec<Joint>, title: String, meshes: &[Mesh]) -> (Vec<Joint>, Vec<MeshInstance>) {
    let instance = |(index, mesh): (usize, &Mesh)| MeshInstance {
        joint: JointId::from_index(joints.len()),
        mesh: MeshId::from_index(index),
        skin: (!mesh.influences.is_empty()).then_some(SkinId(0)),
        morph_weights: Vec::new(),
    };
    let instances: Vec<_> = meshes.iter().enumerate().map(instance).collect();
    if !instances.is_empty() {
        joints.push(Joint {
            name: title,
            parent: None,
            rest: LocalTransform::Trs(Trs::IDENTITY),
        });
    }
    (joints, instances)
}

/// The surfaces that faces name, given to their meshes, and the pictures of those.
fn surfaces(lists: &Lists, parts: &mut [Part<'_>]) -> (Vec<Material>, Vec<Image>) {
    let named = lists.surfaces.iter().rev();
    let by_name: BTreeMap<&str, &Surface> =
        named.map(|surface| (&*surface.name, surface)).collect();
    let (mut materials, mut images) = (Vec::new(), Vec::new());
    for part in parts {
        let Some(surface) = part.material.and_then(|name| by_name.get(name)) else {
            continue;
        };
        part.mesh.material = Some(MaterialId::from_index(materials.len()));
        materials.push(material(surface, lists, &mut images));
    }
    (materials, images)
}

/// A picture replaces the colour.
fn material(surface: &Surface, lists: &Lists, images: &mut Vec<Image>) -> Material {
    let picture = surface.picture.as_deref().map(|name| picture(name, lists));
    let color = surface.color.filter(|_| picture.is_none());
    let color = color.map_or(Vec4::ONE, |color| {
        Vec4::from_array(color.to_le_bytes().map(|part| f32::from(part) / 255.0))
    });
    let is_clear = surface.opacity > 0.0 && surface.opacity < 1.0;
    let opacity = if is_clear { surface.opacity } else { 1.0 };
    let texture = picture.map(|picture| {
        images.push(picture);
        TextureRef {
            image: ImageId::from_index(images.len() - 1),
            uv_set: 0,
            wrap_u: TextureWrap::Repeat,
            wrap_v: TextureWrap::Repeat,
        }
    });
    Material {
        name: surface.name.clone(),
        base_color: color.truncate().extend(opacity),
        base_color_texture: texture,
        alpha: if is_clear {
            AlphaMode::Blend
        } else {
            AlphaMode::Opaque
        },
        two_sided: false,
    }
}

/// In the file, or a PNG beside it.
fn picture(name: &str, lists: &Lists) -> Image {
    let file = format!("{name}.png");
    let mut inside = lists.assets.iter();
    let inside = inside.find(|(asset, _)| asset == name || *asset == file);
    Image {
        data: match inside {
            Some((_, bytes)) => ImageData::Encoded(bytes.clone()),
            None => ImageData::File(file.clone().into()),
        },
        name: file,
    }
}

#[cfg(test)]
mod tests;
