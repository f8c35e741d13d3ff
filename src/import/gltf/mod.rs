//! Import of glTF 2.0, as text or binary.
//!
//! The crate `gltf` gives the types of a document; everything behind them is here, because a harness has to say what a
//! file holds also where it breaks the standard. No reference, count or offset is trusted.
//!
//! What is read and what becomes of it:
//! - every node is a joint, in the scene or not ([`nodes`]); every primitive with triangles is a mesh ([`primitives`]);
//! - numbers come from buffers through accessors, of any type that the standard and `KHR_mesh_quantization` allow
//!   ([`accessors`]);
//! - animations keep their keys and interpolation ([`clips`]); weights are those of the file ([`influences`]);
//! - an error names the part that is wrong, such as `accessors[3]`, and what is doubtful but usable becomes a note.
//!
//! Memory is bounded by the size of the files, which the numbers asked for have to be in proportion to, and the nodes
//! by a fixed limit; nothing recurses into the hierarchy.

mod accessors;
mod buffers;
mod clips;
mod container;
mod document;
mod error;
mod extensions;
mod fitting;
mod images;
mod influences;
mod instances;
mod key_checks;
mod keys;
mod links;
mod log;
mod materials;
mod mend;
mod morphs;
mod nodes;
mod parts;
#[cfg(feature = "assimp")]
mod peer;
mod primitives;
mod skins;
mod slots;
mod topology;
mod uri;
mod uvs;

use std::path::Path;

use self::accessors::Accessors;
use self::buffers::Buffers;
use self::container::Container;
use self::document::Document;
use self::error::GltfError;
use self::images::Images;
use self::log::{EXAMINED, Log};
use self::materials::Materials;
use self::nodes::Nodes;
use self::primitives::Meshes;
use self::skins::Skins;
use self::slots::Slots;
use super::importer::{Importer, ImporterError};
use crate::rig::{Asset, Skeleton};
use crate::units::Space;

#[cfg(feature = "assimp")]
pub(super) use peer::check_for_assimp;

/// The crate's version, as Cargo.toml asks for it.
const VERSION: &str = "1.4";

/// The reader of glTF 2.0.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gltf;

impl Importer for Gltf {
    fn name(&self) -> &'static str {
        "gltf"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["gltf", "glb", "vrm"]
    }

    fn version(&self) -> String {
        VERSION.to_owned()
    }

    fn import(&self, path: &Path) -> Result<Asset, ImporterError> {
        let file = std::fs::read(path).map_err(|error| GltfError::Unreadable {
            reason: error.to_string(),
        })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        read(&file, folder)
    }
}

/// Makes an [`Asset`] of the bytes of a file.
///
/// * `folder` – what paths in it are relative to.
fn read(file: &[u8], folder: &Path) -> Result<Asset, ImporterError> {
    let container = Container::read(file).map_err(GltfError::from)?;
    let document = Document::read(container.json)?;
    let buffers = Buffers::new(&document, container.binary, folder, file.len());
    let mut asset = convert(&document, &Accessors::new(&document, &buffers))?;
    asset.files = buffers.files();
    Ok(asset)
}

fn convert(document: &Document, accessors: &Accessors<'_>) -> Result<Asset, GltfError> {
    let mut log = Log::default();
    extensions::note(document, &mut log.notes);
    let nodes = Nodes::read(document, &mut log)?;
    let skins = Skins::read(document, accessors, &nodes, &mut log)?;
    let mut images = Images::new(document, accessors);
    let mut materials = Materials::read(document, &mut images, &mut log.notes)?;
    let fewest = skins.slots.iter().map(Slots::listed).min();
    let fewest = fewest.unwrap_or(u32::MAX);
    let mut meshes = Meshes::read(document, accessors, &nodes, fewest, &mut log)?;
    let instances = instances::read(document, accessors, &nodes, &skins, &mut meshes, &mut log)?;
    uvs::apply(&materials.transforms, &mut materials.list, &mut meshes.list);
    Ok(Asset {
        importer: format!("gltf {VERSION}"),
        space: Space::Y_UP_METRES,
        stated_space: None,
        clips: clips::read_all(document, accessors, &nodes, &mut log),
        skeleton: Skeleton::new(nodes.joints).expect("parents are added before their children"),
        meshes: meshes.list,
        skins: skins.list,
        instances,
        materials: materials.list,
        images: images.into_inner(),
        files: Vec::new(),
        notes: log.notes.into_inner(),
        evidence: log.defects.into_evidence(EXAMINED.iter().copied()),
    })
}

#[cfg(test)]
mod hostile;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
