//! Extensions that a document requires or uses (glTF 2.0, §3.12).

use super::document::Document;
use crate::import::ImporterError;
use crate::rig::{Asset, Note};

/// Moves textures on surfaces; ignored, as it moves no vertex.
const TEXTURE_TRANSFORM: &str = "KHR_texture_transform";

/// Extensions that change neither shape nor pose, or that are read.
const HARMLESS: [&str; 3] = [
    "KHR_mesh_quantization",
    "KHR_lights_punctual",
    TEXTURE_TRANSFORM,
];

/// Begins the names of those that change the look of surfaces only.
const MATERIALS: &str = "KHR_materials_";

/// Refuses a document that requires what is not read: what was made of it would be another model.
///
/// # Errors
///
/// [`ImporterError::Unsupported`] with the name of the first such extension.
pub(super) fn check(document: &Document) -> Result<(), ImporterError> {
    let is_read = |name: &str| HARMLESS.contains(&name) || name.starts_with(MATERIALS);
    let mut required = document.extensions_required.iter();
    match required.find(|name| !is_read(name)) {
        Some(name) => Err(ImporterError::Unsupported {
            what: format!("the glTF extension {name}, which the file requires,"),
        }),
        None => Ok(()),
    }
}

/// Adds a note for what is ignored.
pub(super) fn note(asset: &mut Asset, document: &Document) {
    let mut named = document
        .extensions_required
        .iter()
        .chain(&document.extensions_used);
    if named.any(|name| name == TEXTURE_TRANSFORM) {
        asset.notes.push(Note {
            place: "file".to_owned(),
            message: format!("{TEXTURE_TRANSFORM} is ignored: textures lie as without it"),
        });
    }
}
