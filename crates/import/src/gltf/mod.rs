//! Import of glTF 2.0, as text or binary.
//!
//! A test harness must report the contents of files that break the standard, so documents are read as leniently as
//! possible ([`json`]). Every reference, count and offset is checked.
//!
//! How each part is read:
//! - every node is a joint, in the scene or not ([`nodes`]); every primitive with triangles is a mesh ([`primitives`]);
//! - numbers come from buffers through accessors, of any type that the standard, `KHR_mesh_quantization` and
//!   `KHR_accessor_float16` and `_float64` allow
//!   ([`accessors`]); what meshopt and Draco compressed is decoded first ([`compression`]);
//! - animations keep their keys and interpolation ([`clips`]); weights are unchanged ([`skins`]);
//! - an error names the faulty part, such as `accessors[3]`; parts that are odd but usable become notes.
//!
//! Memory is bounded in proportion to the size of the files, and the number of nodes by a fixed limit; nothing recurses
//! into the hierarchy.

mod accessors;
mod buffers;
mod clips;
mod compression;
mod container;
mod document;
mod error;
mod instances;
mod json;
mod lenient;
mod materials;
mod nodes;
#[cfg(feature = "assimp")]
mod peer;
mod primitives;
mod skins;
mod standard;
#[cfg(test)]
mod testing;
mod topology;
mod uv_transform;
mod vrm;

use std::path::Path;

use super::files::Reach;
use super::importer::sealed::Sealed;
use super::importer::{Importer, ImporterError, Wanted};
use super::log::Log;
use super::resolve::resolve;
use super::source::{KeyTimes, Source};
use crate::paths::open_regular;
use crate::rig::{Asset, Format, Origins, Reader, ReaderCode};
use crate::units::Space;
use accessors::Accessors;
use buffers::Buffers;
use compression::Decoded;
use container::{Container, read_file};
use error::GltfError;
use json::Root;
use materials::{Images, Materials};
use nodes::Nodes;
use primitives::Meshes;
use standard::Uses;
pub use topology::triangles;

#[cfg(feature = "assimp")]
pub(super) use peer::check_for_assimp;

/// The supported version of the standard.
const VERSION: &str = "2.0";

fn reader() -> Reader {
    Reader {
        code: ReaderCode::Gltf,
        version: VERSION.to_owned(),
        dialect: String::new(),
    }
}

/// An upper bound on the bytes made from a byte of a document: a child that is listed twice becomes a note.
const BYTES_PER_BYTE: u64 = 128;

/// The reader of glTF 2.0.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gltf;

impl Sealed for Gltf {}

impl Importer for Gltf {
    fn name(&self) -> &'static str {
        "gltf"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["gltf", "glb", "vrm", "vrma"]
    }

    fn version(&self) -> String {
        VERSION.to_owned()
    }

    /// Only safe Rust, memory in proportion to the file within a limit, and no recursion.
    fn is_contained(&self) -> bool {
        true
    }

    fn import_some(&self, path: &Path, wanted: &Wanted) -> Result<Asset, ImporterError> {
        let file = open_regular(path).map_err(GltfError::from)?;
        let len = file.metadata().map_err(GltfError::from)?.len();
        if len > wanted.memory_bytes {
            return Err(ImporterError::OutOfMemory);
        }
        let bytes = read_file(file, len).map_err(GltfError::from)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let reach = Reach::of(path, &wanted.read_from);
        read(&bytes, folder, &reach, wanted)
    }
}

/// Makes an [`Asset`] from the bytes of a file whose buffers are inside.
#[cfg(test)]
fn from_memory(file: &[u8]) -> Result<Asset, ImporterError> {
    let (folder, reach) = (Path::new(""), Reach::default());
    read(file, folder, &reach, &Wanted::default())
}

/// Makes an [`Asset`] from the bytes of a file.
///
/// * `folder` – the folder that its paths are relative to.
/// * `reach` – the files that it may name.
fn read(
    file: &[u8],
    folder: &Path,
    reach: &Reach,
    wanted: &Wanted,
) -> Result<Asset, ImporterError> {
    let container = Container::read(file)?;
    let len = file.len() as u64;
    let structure = BYTES_PER_BYTE.saturating_mul(container.json.len() as u64);
    let room = (wanted.memory_bytes)
        .checked_sub(structure.saturating_add(len))
        .ok_or(ImporterError::OutOfMemory)?;
    let mut root = document::read(container.json)?;
    let mut log = Log::default();
    container.check(&root.buffers, &mut log.notes)?;
    if let Some(variant) = &wanted.variant {
        root.show_variant(variant);
    }
    if compression::needs_foreign_code(&root) && !wanted.may_run_foreign_code {
        return Err(ImporterError::NeedsProcess);
    }
    let stored = std::mem::take(&mut root.buffers);
    let reach = (folder, reach);
    let most = wanted.memory_bytes;
    let mut buffers = Buffers::new(&stored, container.binary, reach, len, most);
    let (decoded, mut room) = Decoded::of(&root, &buffers, room)?;
    let mut parts = Vec::new();
    if wanted.decoded {
        room = (room.checked_sub(decoded.size())).ok_or(ImporterError::OutOfMemory)?;
        parts = decoded.parts();
    }
    buffers.add_decoded(decoded.put_into(&mut root, stored.len()));
    let accessors = Accessors::new(&root, &buffers, room);
    let source = convert(&root, &accessors, wanted, log);
    if accessors.lacked_room() {
        return Err(ImporterError::OutOfMemory);
    }
    let mut source = source?;
    source.origins.decoded = parts;
    resolve(Source {
        files: buffers.files(),
        ..source
    })
}

fn convert(
    root: &Root<'_>,
    accessors: &Accessors<'_>,
    wanted: &Wanted,
    mut log: Log,
) -> Result<Source, GltfError> {
    document::note_version(root, &mut log.notes);
    document::note_extensions(root, &mut log.notes);
    let mut nodes = Nodes::read(root, &mut log)?;
    nodes.add_copies(root, accessors, &mut log)?;
    let mut uses = Uses::default();
    let skins = skins::read(root, accessors, &nodes, &mut uses, &mut log)?;
    let mut images = Images::new(root, accessors);
    let mut materials = Materials::read(root, &mut images, &mut log.notes)?;
    let counts = skins.iter().map(|skin| skin.joints.len());
    let fewest = counts.min().unwrap_or(usize::MAX);
    let mut meshes = Meshes::read(root, accessors, &nodes, fewest, &mut uses, &mut log)?;
    let clips = clips::read(root, accessors, &nodes, &wanted.clips, &mut uses, &mut log)?;
    let mut driven = vec![false; nodes.list.len()];
    for channel in clips.iter().flat_map(|clip| &clip.visibility_channels) {
        driven[channel.node] = true;
    }
    nodes.show_driven(root, &driven);
    let hidden_nodes = nodes.hidden_at_rest(root, &driven);
    let instances = instances::read(root, accessors, &nodes, &meshes, &mut log)?;
    materials::transform_uvs(&materials.transforms, &mut materials.list, &mut meshes.list);
    standard::check(root, accessors, &uses, &mut log);
    let humanoid = vrm::humanoid(root, &nodes, &mut log.notes);
    let expressions = vrm::expressions::read(root, &nodes, (&meshes.list, &instances), &mut log);
    let constraints = vrm::constraints::read(root, &nodes, &mut log.notes);
    let numbered = |list: &str, count: usize| {
        let pointers = (0..count).map(|number| format!("/{list}/{number}"));
        pointers.collect::<Vec<_>>()
    };
    let origins = Origins {
        nodes: nodes
            .node_of
            .iter()
            .map(|node| format!("/nodes/{node}"))
            .collect(),
        meshes: meshes.origins,
        primitives: meshes.primitives,
        skins: numbered("skins", skins.len()),
        materials: numbered("materials", materials.list.len()),
        clips: numbered("animations", root.animations.len()),
        ..Origins::default()
    };
    Ok(Source {
        origins,
        clips,
        key_times: KeyTimes::Increasing,
        nodes: nodes.list,
        meshes: meshes.list,
        skins,
        instances,
        hidden_nodes,
        materials: materials.list,
        variants: root.variants(),
        expressions,
        constraints,
        humanoid,
        images: images.into_inner(),
        log,
        ..Source::new(Format::Gltf, reader(), Space::Y_UP_METRES)
    })
}

#[cfg(test)]
mod hostile;

#[cfg(test)]
mod tests;
