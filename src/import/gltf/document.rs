//! A document in the types of the crate `gltf`, and how to follow its references.
//!
//! Only the plain data of the crate is used (`gltf::json`). Its other half takes the document as valid, and panics
//! where a reference leads nowhere, an accessor reaches past its data, or a member has a value of its own invention.

use gltf::json::{
    Accessor, Animation, Buffer, Image, Index, Material, Mesh, Node, Root, Scene, Skin, Texture,
    buffer, texture,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::error::GltfError;
use super::extensions;
use super::json::{self, Removed};

/// Nodes are all joints, and each of the later stages goes through all of them.
const MAX_NODES: usize = 1 << 20;

/// A document of version 2 that asks for no extension that is not read.
#[derive(Debug)]
pub(super) struct Document {
    /// What the file says, but for what [`json::mend`] takes out. References may lead anywhere.
    pub(super) root: Root,
    /// What it takes out.
    pub(super) removed: Removed,
}

impl Document {
    /// Reads the JSON text of a document.
    ///
    /// # Errors
    ///
    /// [`GltfError`] for a text that is no document, one of another version, and one that requires an extension that
    /// is not read.
    pub(super) fn read(text: &[u8]) -> Result<Self, GltfError> {
        let mut document = json::parse(text)?;
        check_version(&document)?;
        extensions::check(&document)?;
        let removed = json::mend(&mut document);
        let root = typed(&mut document)?;
        let (count, limit) = (root.nodes.len(), MAX_NODES);
        if count > limit {
            let what = "nodes";
            return Err(GltfError::TooMany { what, count, limit });
        }
        Ok(Self { root, removed })
    }

    /// The part number `index` of its kind.
    ///
    /// * `place` – the part that refers to it.
    ///
    /// # Errors
    ///
    /// [`GltfError::Missing`] if there is none.
    pub(super) fn part<T: Part>(
        &self,
        index: Index<T>,
        place: impl FnOnce() -> String,
    ) -> Result<&T, GltfError>
    where
        Root: AsRef<[T]>,
    {
        let parts: &[T] = self.root.as_ref();
        parts.get(index.value()).ok_or_else(|| GltfError::Missing {
            place: place(),
            kind: T::KIND,
            index: index.value(),
            count: parts.len(),
        })
    }
}

/// A part of a document that others refer to by its number.
pub(super) trait Part {
    /// What a message calls it.
    const KIND: &'static str;
}

macro_rules! parts {
    ($($part:ty: $kind:literal),* $(,)?) => {
        $(impl Part for $part {
            const KIND: &'static str = $kind;
        })*
    };
}

parts! {
    Accessor: "accessor",
    Buffer: "buffer",
    buffer::View: "bufferView",
    Image: "image",
    Material: "material",
    Mesh: "mesh",
    Node: "node",
    Scene: "scene",
    Skin: "skin",
    Texture: "texture",
    texture::Sampler: "sampler",
}

fn check_version(document: &Value) -> Result<(), GltfError> {
    let malformed = |reason: &str| GltfError::Malformed {
        place: "asset".to_owned(),
        reason: reason.to_owned(),
    };
    let version = document["asset"]["version"].as_str();
    let version = version.ok_or_else(|| malformed("version is missing"))?;
    match version.split('.').next() {
        Some("2") => Ok(()),
        _ => Err(GltfError::Version {
            version: version.to_owned(),
        }),
    }
}

/// Part by part, so that an error can name the one that it is in.
fn typed(document: &mut Value) -> Result<Root, GltfError> {
    Ok(Root {
        accessors: list::<Accessor>(document, "accessors")?,
        animations: list::<Animation>(document, "animations")?,
        buffers: list(document, "buffers")?,
        buffer_views: list(document, "bufferViews")?,
        extensions_required: list(document, "extensionsRequired")?,
        extensions_used: list(document, "extensionsUsed")?,
        images: list(document, "images")?,
        materials: list(document, "materials")?,
        meshes: list(document, "meshes")?,
        nodes: list(document, "nodes")?,
        samplers: list(document, "samplers")?,
        scene: typed_as("scene", member(document, "scene"))?,
        scenes: list(document, "scenes")?,
        skins: list(document, "skins")?,
        textures: list(document, "textures")?,
        ..Root::default()
    })
}

fn member(document: &mut Value, name: &str) -> Value {
    document.get_mut(name).map(Value::take).unwrap_or_default()
}

fn list<T: DeserializeOwned>(document: &mut Value, name: &str) -> Result<Vec<T>, GltfError> {
    match member(document, name) {
        Value::Null => Ok(Vec::new()),
        Value::Array(items) => items
            .into_iter()
            .enumerate()
            .map(|(index, item)| typed_as(&format!("{name}[{index}]"), item))
            .collect(),
        _ => Err(GltfError::Malformed {
            place: name.to_owned(),
            reason: "is no list".to_owned(),
        }),
    }
}

fn typed_as<T: DeserializeOwned>(place: &str, value: Value) -> Result<T, GltfError> {
    serde_json::from_value(value).map_err(|error| GltfError::Malformed {
        place: place.to_owned(),
        reason: error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        Document::read(text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn what_is_no_document_says_so_with_its_place() {
        assert_eq!(refusal("{}"), "asset: version is missing");
        assert_eq!(refusal("[]"), "asset: version is missing");
        let nodes = |nodes: &str| {
            refusal(&format!(
                "{{\"asset\": {{\"version\": \"2.0\"}}, \"nodes\": {nodes}}}"
            ))
        };
        assert_eq!(nodes("7"), "nodes: is no list");
        let error = nodes("[{}, {\"mesh\": \"a\"}]");
        assert!(
            error.starts_with("nodes[1]: invalid type: string \"a\""),
            "{error}"
        );
        let error = nodes("[{\"mesh\": -1}]");
        assert!(error.starts_with("nodes[0]: invalid"), "{error}");
    }

    #[test]
    fn another_version_is_told_by_its_number() {
        assert_eq!(
            refusal("{\"asset\": {\"version\": \"1.0\"}}"),
            "glTF version 1.0"
        );
        assert_eq!(
            refusal("{\"asset\": {\"version\": \"20\"}}"),
            "glTF version 20"
        );
    }

    #[test]
    fn a_reference_past_32_bits_leads_nowhere() {
        let text = "{\"asset\": {\"version\": \"2.0\"}, \"nodes\": [{\"mesh\": 4294967296}], \"meshes\": [{}]}";
        let document = Document::read(text.as_bytes()).unwrap();
        let mesh = document.root.nodes[0].mesh.unwrap();
        let error = document
            .part(mesh, || "nodes[0]".to_owned())
            .unwrap_err()
            .to_string();
        assert_eq!(error, "nodes[0]: mesh 4294967295 is missing, there are 1");
    }

    #[test]
    fn more_nodes_than_any_model_has_are_refused() {
        let nodes = "{},".repeat(MAX_NODES);
        let text = format!("{{\"asset\": {{\"version\": \"2.0\"}}, \"nodes\": [{nodes}{{}}]}}");
        assert_eq!(
            refusal(&text),
            "1048577 nodes, and 1048576 are read at the most"
        );
    }
}
