//! A model as a glTF file, for faults that an asset cannot represent.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use skincheck::export::to_gltf;
use skincheck::import::{self, Options};
use skincheck::rig::Asset;

/// The document, and the bytes of a second buffer.
pub(crate) struct Stored {
    pub(crate) json: Value,
    extra: Vec<u8>,
}

impl Stored {
    /// Writes `asset` to a document; content that glTF cannot represent is lost.
    pub(crate) fn of(asset: &Asset) -> Self {
        let text = to_gltf(asset).expect("models are finite");
        Self {
            json: serde_json::from_str(&text).expect("it is JSON"),
            extra: Vec::new(),
        }
    }

    /// Writes the document, and its second buffer beside it.
    pub(crate) fn write(&self, path: &Path) {
        let buffer = path.with_extension("bin");
        let mut json = self.json.clone();
        if !self.extra.is_empty() {
            let uri = buffer.file_name().and_then(|name| name.to_str());
            let buffer = json!({ "byteLength": self.extra.len(), "uri": uri });
            push(&mut json["buffers"], buffer);
        }
        fs::write(buffer, &self.extra).expect("the folder is writable");
        fs::write(path, json.to_string()).expect("the folder is writable");
    }

    /// Adds an accessor of floats.
    ///
    /// * `kind` – with its width, such as `VEC3` and 3.
    pub(crate) fn add(&mut self, kind: (&str, usize), numbers: &[f32]) -> usize {
        let bytes = numbers.iter().flat_map(|number| number.to_le_bytes());
        self.add_bytes(kind, 5126, &bytes.collect::<Vec<_>>())
    }

    /// Adds an accessor of numbers of glTF's `component` type.
    pub(crate) fn add_bytes(
        &mut self,
        (kind, width): (&str, usize),
        component: usize,
        bytes: &[u8],
    ) -> usize {
        let view = self.add_view(bytes);
        let size = [1, 1, 2, 2, 4, 4, 4][component - 5120];
        let count = bytes.len() / size / width;
        let accessor =
            json!({ "bufferView": view, "componentType": component, "count": count, "type": kind });
        push(&mut self.json["accessors"], accessor)
    }

    /// Adds a buffer view, which begins at a multiple of 4.
    pub(crate) fn add_view(&mut self, bytes: &[u8]) -> usize {
        let offset = self.extra.len().next_multiple_of(4);
        self.extra.resize(offset, 0);
        self.extra.extend_from_slice(bytes);
        let view = json!({ "buffer": 1, "byteOffset": offset, "byteLength": bytes.len() });
        push(&mut self.json["bufferViews"], view)
    }

    /// The accessor of an attribute of the first primitive.
    pub(crate) fn attribute(&self, name: &str) -> usize {
        index(&self.json["meshes"][0]["primitives"][0]["attributes"][name])
    }

    /// The number of elements of an accessor.
    pub(crate) fn count(&self, accessor: usize) -> usize {
        index(&self.json["accessors"][accessor]["count"])
    }

    /// Adds a morph target without offsets to the first mesh.
    pub(crate) fn add_target(&mut self) {
        let count = self.count(self.attribute("POSITION"));
        let still = vec![0.0; 3 * count];
        let offsets = self.add(("VEC3", 3), &still);
        for bound in ["min", "max"] {
            self.json["accessors"][offsets][bound] = json!([0.0, 0.0, 0.0]);
        }
        let primitive = &mut self.json["meshes"][0]["primitives"][0];
        let targets = &mut primitive["targets"];
        if targets.is_null() {
            *targets = json!([]);
        }
        push(targets, json!({ "POSITION": offsets }));
    }
}

/// Writes `asset`, changes the document, and reads it back.
pub(super) fn through_file(asset: &mut Asset, change: impl FnOnce(&mut Stored)) -> bool {
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("model.gltf");
    let mut stored = Stored::of(asset);
    change(&mut stored);
    stored.write(&path);
    *asset = import::load(&path, &Options::default()).expect("it can be read");
    true
}

/// The index of the added element.
pub(crate) fn push(list: &mut Value, item: Value) -> usize {
    let list = list.as_array_mut().expect("it is a list");
    list.push(item);
    list.len() - 1
}

pub(crate) fn index(value: &Value) -> usize {
    let index = value.as_u64().expect("it is a reference");
    index as usize
}
