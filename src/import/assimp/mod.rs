//! Import through assimp, version 6.
//!
//! The raw structures of `russimp::sys` are read; the safe half of the binding loses or breaks too much of them (see
//! `tests`). All pointers are followed in [`raw`], and the calls are in [`scene`]: the rest is safe code that trusts no
//! index, count, time or name.
#![allow(unsafe_code)]

mod clips;
mod collada;
mod color;
mod fbx;
mod format;
mod geometric;
mod images;
mod instances;
mod materials;
mod math;
mod meshes;
mod morph_clips;
mod morphs;
mod names;
mod nodes;
mod properties;
mod raw;
mod scene;
mod skins;
mod space;
mod tracks;
mod weld;

use std::path::Path;

use russimp::sys::aiScene;

use self::format::Format;
use self::images::Images;
use self::nodes::Nodes;
use self::notes::Notes;
use self::raw::Raw;
use self::scene::Scene;
use self::skins::Skins;
use super::importer::{Importer, ImporterError};
use super::notes;
use crate::rig::{Asset, Skeleton};

/// The assimp library, linked statically.
#[derive(Debug, Clone, Copy)]
pub(super) struct Assimp;

impl Importer for Assimp {
    fn name(&self) -> &'static str {
        "assimp"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &[
            "fbx", "gltf", "glb", "dae", "zae", "md5mesh", "md5anim", "x", "b3d", "smd", "ms3d",
            "m3d", "a3d", "mesh.xml", "mesh", "mdl", "iqm", "bvh", "obj",
        ]
    }

    fn version(&self) -> String {
        scene::version()
    }

    fn import(&self, path: &Path) -> Result<Asset, ImporterError> {
        super::gltf::check_for_assimp(path)?;
        let scene = Scene::read(path)?;
        let fbx = fbx::Companion::open(path);
        let mut asset = fbx.complete(convert(scene.raw(), &fbx)?);
        collada::note(&mut asset, path);
        Ok(asset)
    }
}

/// Makes an [`Asset`] of a scene.
///
/// * `fbx` – what an FBX file says beside assimp; empty for other formats.
fn convert(scene: Raw<'_, aiScene>, fbx: &fbx::Companion) -> Result<Asset, ImporterError> {
    let title = format::title(scene);
    let format = Format::of(&title);
    let mut notes = Notes::default();
    if let Some(lost) = format.lost_rig() {
        notes.add("file", lost);
    }
    let hierarchy = Nodes::read(scene)?;
    let mut images = Images::read(scene);
    let materials = materials::read(scene, format, &mut images, &mut notes);
    let mut skins = Skins::default();
    let meshes = meshes::read_all(
        scene,
        format,
        materials.len(),
        &hierarchy,
        &mut skins,
        &mut notes,
    );
    let instances = instances::read(scene, format, fbx, &hierarchy, &meshes, &mut notes);
    Ok(Asset {
        importer: format!("assimp {} ({title})", scene::version()),
        space: space::of(scene, format, &mut notes),
        stated_space: space::stated(hierarchy.root(), format),
        instances,
        meshes: meshes.into_iter().map(|bound| bound.mesh).collect(),
        skins: skins.into_inner(),
        clips: clips::read_all(scene, format, &fbx.takes, &hierarchy, &mut notes),
        materials,
        images: images.into_inner(),
        notes: notes.into_inner(),
        skeleton: Skeleton::new(hierarchy.joints).map_err(inconsistent)?,
    })
}

fn inconsistent(error: impl std::fmt::Display) -> ImporterError {
    ImporterError::Inconsistent {
        what: error.to_string(),
    }
}

#[cfg(test)]
mod tests;
