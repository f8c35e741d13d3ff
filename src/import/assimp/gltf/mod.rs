//! What assimp 6.0.2 loses or breaks in glTF 2.0, put right on both sides of it.
//!
//! Before: the JSON that assimp gets to see is changed so that nothing in it is lost on assimp ([`patch`]):
//!
//! - every node has a name of its own. assimp finds joints by name, and gives nodes and joints without a name different
//!   ones (`glTF2Importer.cpp`, `GetNodeName` and `ImportNode`);
//! - joints outside of the scene are in it ([`scene`]). assimp would leave their bones without nodes;
//! - a mesh that several skins deform is one mesh a skin. assimp would keep the last skin for all (`ImportNode`);
//! - a skin without inverse bind matrices gets identities. assimp would follow a null pointer (`ImportNode`);
//! - vertex attributes are floats. assimp copies integers, normalized or not, as if they were
//!   (`glTF2Asset.inl`, `Accessor::ExtractData`).
//!
//! After: names, rest transforms, names of skins, weights of morph targets, and above all the animations come from the
//! file itself ([`animations`]). assimp would make step and cubic spline linear, round times to f32 milliseconds, cut
//! negative morph weights, and miscount the targets of cubic ones (`CreateNodeAnim`, `CreateMeshMorphAnim`). So do the
//! weights of vertices ([`influences`]): assimp drops those of 0 and below, and of joints that are not there, without a
//! word (`BuildVertexWeightMapping`).
//!
//! Files that require what is not read here are refused ([`extensions`]).

mod accessors;
mod animations;
mod buffers;
mod container;
mod document;
mod extensions;
mod influences;
mod patch;
mod rest;
mod scene;

use std::ffi::CStr;
use std::path::Path;

use serde::Deserialize;

use self::accessors::Accessors;
use self::container::Container;
use self::document::Document;
use crate::import::ImporterError;
use crate::rig::Asset;

/// A glTF file beside what assimp makes of it.
pub(super) struct Companion {
    /// The file as assimp shall see it.
    pub(super) bytes: Vec<u8>,
    document: Document,
    buffers: Vec<Vec<u8>>,
}

impl Companion {
    /// Reads the file at `path`, if it is called a glTF file and is one of version 2; `None` leaves all to assimp.
    ///
    /// # Errors
    ///
    /// [`ImporterError::Parse`] for JSON of the wrong shape, buffers that cannot be read, and skins with too few
    /// matrices; [`ImporterError::Unsupported`] for a required extension that is not read.
    pub(super) fn open(path: &Path) -> Result<Option<Self>, ImporterError> {
        let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
        if extension != "gltf" && extension != "glb" {
            return Ok(None);
        }
        let file = std::fs::read(path).map_err(parse)?;
        let Some(container) = Container::read(&file) else {
            return Ok(None);
        };
        let Ok(mut json) = serde_json::from_slice::<serde_json::Value>(container.json) else {
            return Ok(None);
        };
        if !json["asset"]["version"]
            .as_str()
            .is_some_and(|version| version.starts_with('2'))
        {
            return Ok(None);
        }
        let document = Document::deserialize(&json).map_err(parse)?;
        extensions::check(&document)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let buffers = buffers::load(&document, container.binary, folder)?;
        patch::patch(
            &mut json,
            &document,
            &Accessors::new(&document, &buffers),
            folder,
        )?;
        Ok(Some(Self {
            bytes: container.with_json(&json),
            document,
            buffers,
        }))
    }

    /// The extension of what [`Companion::bytes`] are.
    pub(super) fn hint(&self) -> &'static CStr {
        if self.bytes.starts_with(container::MAGIC) {
            c"glb"
        } else {
            c"gltf"
        }
    }

    /// Puts right what assimp made of the file.
    pub(super) fn complete(&self, asset: Asset) -> Result<Asset, ImporterError> {
        let accessors = Accessors::new(&self.document, &self.buffers);
        let (mut asset, joints) = rest::complete(asset, &self.document)?;
        animations::complete(&mut asset, &self.document, &accessors, &joints);
        influences::complete(&mut asset, &self.document, &accessors, &joints);
        extensions::note(&mut asset, &self.document);
        Ok(asset)
    }
}

fn parse(error: impl std::fmt::Display) -> ImporterError {
    ImporterError::Parse {
        message: format!("glTF: {error}"),
    }
}

#[cfg(test)]
mod tests;
