//! Import through assimp, version 6.
//!
//! It reads the raw structures of `russimp::sys`, because the safe half of the binding loses or breaks too much (see
//! `tests`). All pointers are followed in [`raw`], and the calls are in [`scene`]: the rest is safe code that checks
//! every index, count, time and name.
#![allow(unsafe_code)]

mod b3d;
mod bvh;
mod clips;
mod files;
mod format;
mod materials;
mod meshes;
mod ms3d;
mod nodes;
mod preflight;
mod raw;
mod scene;

use std::io;
use std::path::Path;
use std::sync::LazyLock;

use russimp::sys::aiScene;

use super::importer::sealed::Sealed;
use super::importer::{Importer, ImporterError, Wanted};
use super::log::Log;
use super::resolve::resolve;
use super::source::Source;
use crate::paths::read_up_to;
use crate::rig::{Asset, Format, Reader, ReaderCode};
use materials::Images;
use meshes::Skins;
use nodes::Nodes;
use raw::Raw;
use scene::Scene;

/// The assimp library, linked statically.
#[derive(Debug, Clone, Copy)]
pub(super) struct Assimp;

/// The extensions that the linked assimp supports. A build with its own configuration may lack importers (M3D).
static EXTENSIONS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let known = [
        "fbx", "gltf", "glb", "dae", "md5mesh", "md5anim", "x", "b3d", "smd", "ms3d", "m3d",
        "mesh.xml", "mesh", "mdl", "iqm", "bvh", "obj",
    ]
    .into_iter();
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

    fn import_some(&self, path: &Path, wanted: &Wanted) -> Result<Asset, ImporterError> {
        super::gltf::check_for_assimp(path)?;
        preflight::check_obj(path)?;
        let motion = read_of(path, "bvh");
        let scene = match (&motion, preflight::spaced(path)) {
            (Some(bytes), _) => Scene::read_bytes(bytes, c"bvh")?,
            (None, Some(bytes)) => Scene::read_bytes(&bytes, c"x")?,
            (None, None) => Scene::read(path, &wanted.read_from)?,
        };
        let mut source = convert(scene.raw())?;
        source.files = scene.files_beside();
        for path in scene.files_out_of_reach() {
            // assimp also tries parts of the path that the file names, so the folder to allow is not known.
            let message = format!(
                "{} is not read: it is outside of the model's folder; allow it with --read-from DIR",
                path.display()
            );
            source.log.notes.add("file", message);
        }
        if let Some(bytes) = read_of(path, "b3d") {
            b3d::note_losses(&b3d::parts(&bytes), &mut source.log);
        }
        if let Some(bytes) = read_of(path, "ms3d") {
            ms3d::note_losses(&ms3d::parts(&bytes), &mut source.log);
        }
        if let Some(bytes) = &motion {
            bvh::note_lost_positions(bytes, &mut source.log.notes);
        }
        resolve(source)
    }
}

/// The bytes of a file with this extension; `None` of another, or if it is not readable.
fn read_of(path: &Path, extension: &str) -> Option<Vec<u8>> {
    let own = path.extension()?;
    own.eq_ignore_ascii_case(extension)
        .then(|| read_large(path).ok())
        .flatten()
}

/// The bytes of a regular file of any length.
fn read_large(path: &Path) -> io::Result<Vec<u8>> {
    read_up_to(path, u64::MAX - 1)
}

/// Reads a scene.
fn convert(scene: Raw<'_, aiScene>) -> Result<Source, ImporterError> {
    let title = format::title(scene);
    let format = format::of_title(&title);
    let reader = Reader {
        code: ReaderCode::Assimp,
        version: scene::version(),
        dialect: title,
    };
    let mut log = Log::default();
    let notes = &mut log.notes;
    if let Some(lost) = format::losses(format) {
        notes.add("file", lost);
    }
    let mut hierarchy = Nodes::read(scene)?;
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
    let instances = meshes::read_instances(scene, &hierarchy, &meshes, notes);
    let space = nodes::space_of(scene, format, notes);
    let mut clips = clips::read_all(scene, format, &hierarchy, &mut log);
    let mut skins = skins.into_inner();
    if format == Format::Model3d {
        hierarchy.make_rigid();
        clips::normalize_rotations(&mut clips);
        // The format states none: joints are bound where they rest.
        for skin in &mut skins {
            skin.inverse_binds = None;
        }
    }
    Ok(Source {
        instances,
        meshes: meshes.into_iter().map(|bound| bound.mesh).collect(),
        skins,
        clips,
        nodes: hierarchy.joints.into_iter().map(Into::into).collect(),
        materials,
        images: images.into_inner(),
        log,
        hidden: format::hidden(format),
        invented: format::invented(format),
        ..Source::new(format, reader, space)
    })
}

#[cfg(test)]
mod tests;
