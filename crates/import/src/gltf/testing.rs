//! Files that are built piece by piece.

use serde_json::{Value, json};

use super::buffers;
use crate::ImporterError;
use crate::rig::Asset;

/// Component types of accessors (glTF 2.0, §3.6.2.2).
pub(super) const I8: u32 = 5120;
pub(super) const U8: u32 = 5121;
pub(super) const I16: u32 = 5122;
pub(super) const U16: u32 = 5123;
pub(super) const U32: u32 = 5125;
pub(super) const F32: u32 = 5126;
pub(super) const F64: u32 = 5130;
pub(super) const F16: u32 = 5131;

/// A document with a buffer.
pub(super) struct Model {
    pub(super) json: Value,
    pub(super) bytes: Vec<u8>,
}

impl Model {
    /// A document with only these nodes and no scene, so that all are shown.
    pub(super) fn of_nodes(nodes: &Value) -> Self {
        let json = json!({"asset": {"version": "2.0"}, "nodes": nodes, "accessors": [], "bufferViews": []});
        let bytes = Vec::new();
        Self { json, bytes }
    }

    /// A triangle as the only primitive of mesh 0, with positions only.
    pub(super) fn triangle(nodes: &Value) -> Self {
        let mut model = Self::of_nodes(nodes);
        model.json["meshes"] = json!([{"name": "triangle", "primitives": [{"attributes": {}}]}]);
        let corners = model.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        model.attribute("POSITION", corners);
        model
    }

    /// A triangle whose corners have these joints and weights, four each, on a node with a skin of two joints.
    pub(super) fn weighted(joints: [u8; 12], weights: &[f32]) -> Self {
        let nodes = json!([{"mesh": 0, "skin": 0}, {"name": "a"}, {"name": "b"}]);
        let mut model = Self::triangle(&nodes);
        model.json["skins"] = json!([{"joints": [1, 2]}]);
        let joints = model.accessor(&joints, U8, "VEC4", 3);
        model.attribute("JOINTS_0", joints);
        let weights = model.floats("VEC4", weights);
        model.attribute("WEIGHTS_0", weights);
        model
    }

    /// Adds an accessor of numbers, with the bounds that positions and key times must state.
    pub(super) fn floats(&mut self, kind: &str, numbers: &[f32]) -> usize {
        let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
        let index = self.accessor(&bytes, F32, kind, numbers.len() / width(kind));
        let columns = || {
            (0..width(kind)).map(|column| numbers.iter().skip(column).step_by(width(kind)).copied())
        };
        let least = columns().map(|column| column.fold(f32::MAX, f32::min));
        let greatest = columns().map(|column| column.fold(f32::MIN, f32::max));
        let accessor = &mut self.json["accessors"][index];
        accessor["min"] = least.collect();
        accessor["max"] = greatest.collect();
        index
    }

    /// Adds an accessor with a buffer view of its own.
    pub(super) fn accessor(
        &mut self,
        bytes: &[u8],
        component: u32,
        kind: &str,
        count: usize,
    ) -> usize {
        let view = self.view(bytes);
        let accessor =
            json!({"bufferView": view, "componentType": component, "count": count, "type": kind});
        self.add("accessors", accessor)
    }

    /// Adds a buffer view, at a multiple of 4 bytes.
    pub(super) fn view(&mut self, bytes: &[u8]) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let view = json!({"buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len()});
        self.bytes.extend(bytes);
        self.add("bufferViews", view)
    }

    fn add(&mut self, list: &str, part: Value) -> usize {
        let parts = self.json[list]
            .as_array_mut()
            .expect("the list is there from the start");
        parts.push(part);
        parts.len() - 1
    }

    pub(super) fn attribute(&mut self, name: &str, accessor: usize) {
        self.primitive()["attributes"][name] = accessor.into();
    }

    /// Gives the first primitive of mesh 0 these indices.
    pub(super) fn set_indices(&mut self, indices: &[u8]) {
        let indices = self.accessor(indices, U8, "SCALAR", indices.len());
        self.primitive()["indices"] = indices.into();
    }

    /// The first primitive of mesh 0.
    pub(super) fn primitive(&mut self) -> &mut Value {
        &mut self.json["meshes"][0]["primitives"][0]
    }

    /// The text of the file, with its buffer inside.
    pub(super) fn text(&self) -> String {
        let mut json = self.json.clone();
        json["buffers"] =
            json!([{"uri": buffers::data_uri(&self.bytes), "byteLength": self.bytes.len()}]);
        json.to_string()
    }

    /// The file as a GLB.
    pub(super) fn glb(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        json["buffers"] = json!([{"byteLength": self.bytes.len()}]);
        let mut binary = self.bytes.clone();
        binary.resize(binary.len().next_multiple_of(4), 0);
        glb(&json.to_string(), Some(&binary))
    }

    pub(super) fn import(&self) -> Result<Asset, ImporterError> {
        import(self.text().as_bytes())
    }

    pub(super) fn read(&self) -> Asset {
        self.import().expect("it can be read")
    }

    /// Marks the integers of an accessor as fractions.
    pub(super) fn normalize(&mut self, accessor: usize) {
        self.json["accessors"][accessor]["normalized"] = true.into();
    }

    /// States a stride for the buffer view of an accessor.
    pub(super) fn set_stride(&mut self, accessor: usize, stride: usize) {
        let view = self.json["accessors"][accessor]["bufferView"].as_u64();
        let view = view.and_then(|view| usize::try_from(view).ok());
        self.json["bufferViews"][view.expect("it has a view")]["byteStride"] = stride.into();
    }

    /// The error message of a file that cannot be read.
    pub(super) fn refusal(&self) -> String {
        self.import().expect_err("it cannot be read").to_string()
    }
}

/// The asset of a file, which is valid.
pub(super) fn import(file: &[u8]) -> Result<Asset, ImporterError> {
    let asset = super::from_memory(file)?;
    asset.validate().expect("what is read is valid");
    Ok(asset)
}

fn width(kind: &str) -> usize {
    match kind {
        "SCALAR" => 1,
        "VEC2" => 2,
        "VEC3" => 3,
        "MAT4" => 16,
        _ => 4,
    }
}

/// A GLB of these two chunks.
pub(super) fn glb(json: &str, binary: Option<&[u8]>) -> Vec<u8> {
    let mut text = json.as_bytes().to_vec();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut chunks = chunk(*b"JSON", &text);
    let binary = binary.map(|binary| chunk(*b"BIN\0", binary));
    chunks.extend(binary.unwrap_or_default());
    let mut file = b"glTF".to_vec();
    file.extend(2_u32.to_le_bytes());
    file.extend(length(chunks.len() + 12));
    file.extend(chunks);
    file
}

fn chunk(kind: [u8; 4], contents: &[u8]) -> Vec<u8> {
    let mut chunk = length(contents.len()).to_vec();
    chunk.extend(kind);
    chunk.extend(contents);
    chunk
}

fn length(length: usize) -> [u8; 4] {
    u32::try_from(length).expect("it is small").to_le_bytes()
}
