//! Import through assimp, version 6.
//!
//! It reads the raw structures of `russimp::sys`, because the safe half of the binding loses or breaks too much (see
//! `tests`). All pointers are followed in [`raw`], and the calls are in [`scene`]: the rest is safe code that checks
//! every index, count, time and name.
#![allow(unsafe_code)]

mod bvh;
mod clips;
mod document;
mod files;
mod format;
mod geometric;
mod images;
mod instances;
mod kinds;
mod losses;
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
mod xfile;

use std::path::Path;
use std::sync::LazyLock;

use russimp::sys::aiScene;

use self::images::Images;
use self::nodes::Nodes;
use self::raw::Raw;
use self::scene::Scene;
use self::skins::Skins;
use super::importer::sealed::Sealed;
use super::importer::{Importer, ImporterError, Wanted};
use super::log::Log;
use super::loss::Loss;
use super::reach::Refusal;
use super::resolve::resolve;
use super::source::Source;
use crate::rig::{Asset, Format, Reader, ReaderCode};

/// The assimp library, linked statically.
#[derive(Debug, Clone, Copy)]
pub(super) struct Assimp;

/// The extensions that the linked assimp supports. A build with its own configuration may lack importers (M3D).
static EXTENSIONS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let known = [
        "fbx", "gltf", "glb", "dae", "md5mesh", "md5anim", "x", "b3d", "smd", "ms3d", "m3d",
        "mesh.xml", "mesh", "mdl", "iqm", "bvh", "obj",
    ];
    let known = known.into_iter();
    known.filter(|own| scene::reads(own)).collect()
});

impl Sealed for Assimp {}

impl Importer for Assimp {
    fn name(&self) -> &'static str {
        "assimp"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &EXTENSIONS
    }

    fn version(&self) -> String {
        scene::version()
    }

    fn losses(&self, path: &Path, asset: &Asset) -> Vec<Loss> {
        losses::of(path, asset)
    }

    fn differs_always(&self, path: &Path) -> Option<&'static str> {
        let extension = path.extension()?.to_ascii_lowercase();
        match extension.to_str()? {
            "dae" => Some(
                "assimp finds COLLADA joints by name, reads curves as linear, and merges clips",
            ),
            "iqm" => Some("assimp reads no rig of IQM"),
            "md5mesh" | "md5anim" => Some("assimp adds nodes of its own to MD5 and rotates it"),
            _ => None,
        }
    }

    fn is_foreign(&self) -> bool {
        true
    }

    fn import_some(&self, path: &Path, wanted: &Wanted) -> Result<Asset, ImporterError> {
        super::gltf::check_for_assimp(path)?;
        let motion = bvh::read(path);
        let scene = match (&motion, xfile::spaced(path)) {
            (Some(bytes), _) => Scene::read_bytes(bytes, c"bvh")?,
            (None, Some(bytes)) => Scene::read_bytes(&bytes, c"x")?,
            (None, None) => Scene::read(path, &wanted.read_from)?,
        };
        let mut source = convert(scene.raw())?;
        source.files = scene.files_beside();
        for path in scene.files_out_of_reach() {
            let message = format!("{} is not read: {}", path.display(), Refusal::Outside);
            source.log.notes.add("file", message);
        }
        if let Some(bytes) = &motion {
            bvh::note(bytes, &mut source.log.notes);
        }
        resolve(source)
    }
}

/// Reads a scene.
fn convert(scene: Raw<'_, aiScene>) -> Result<Source, ImporterError> {
    let title = format::title(scene);
    let format = Format::of_title(&title);
    let reader = Reader {
        code: ReaderCode::Assimp,
        version: scene::version(),
        dialect: title,
    };
    let mut log = Log::default();
    let notes = &mut log.notes;
    if let Some(lost) = format.losses() {
        notes.add("file", lost);
    }
    let hierarchy = Nodes::read(scene)?;
    let mut images = Images::read(scene);
    let materials = materials::read(scene, format, &mut images, notes);
    let mut skins = Skins::default();
    let meshes = meshes::read_all(
        scene,
        format,
        materials.len(),
        &hierarchy,
        &mut skins,
        notes,
    );
    let instances = instances::read(scene, &hierarchy, &meshes, notes);
    let space = space::of(scene, format, notes);
    let clips = clips::read_all(scene, format, &hierarchy, &mut log);
    Ok(Source {
        instances,
        meshes: meshes.into_iter().map(|bound| bound.mesh).collect(),
        skins: skins.into_inner(),
        clips,
        nodes: hierarchy.joints.into_iter().map(Into::into).collect(),
        materials,
        images: images.into_inner(),
        log,
        hidden: format.hidden(),
        invented: format.invented(),
        ..Source::new(format, reader, space)
    })
}

#[cfg(test)]
mod tests;
