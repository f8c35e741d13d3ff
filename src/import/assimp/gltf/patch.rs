//! Changes to the document that assimp gets to see; see the parent module for why.

use std::collections::HashMap;
use std::path::Path;

use serde_json::{Value, json};

use super::accessors::{Accessors, F32};
use super::document::Document;
use super::rest::stand_in;
use super::{buffers, parse, scene};
use crate::import::ImporterError;

/// Attributes that assimp takes for floats, without the number of their set.
const FLOAT_ATTRIBUTES: [&str; 5] = ["POSITION", "NORMAL", "TANGENT", "TEXCOORD", "WEIGHTS"];

/// An identity, as numbers of a MAT4.
const IDENTITY: [f32; 16] = glam::Mat4::IDENTITY.to_cols_array();

/// Changes `json`, whose contents `document` holds.
pub(super) fn patch(
    json: &mut Value,
    document: &Document,
    accessors: &Accessors<'_>,
    folder: &Path,
) -> Result<(), ImporterError> {
    if let Some(object) = json.as_object_mut() {
        object.remove("animations");
    }
    name_nodes(json);
    scene::complete(json, document);
    locate_files(json, folder)?;
    let mut added = Added::new(document);
    complete_skins(json, document, accessors, &mut added)?;
    give_each_skin_its_mesh(json);
    convert_attributes(json, document, accessors, &mut added)?;
    added.write(json);
    Ok(())
}

fn list<'a>(json: &'a mut Value, key: &str) -> impl Iterator<Item = &'a mut Value> {
    let list = json.get_mut(key).and_then(Value::as_array_mut);
    list.into_iter().flatten()
}

fn name_nodes(json: &mut Value) {
    for (index, node) in list(json, "nodes").enumerate() {
        node["name"] = stand_in(index).into();
    }
}

/// assimp is handed bytes, so it does not know what paths are relative to.
fn locate_files(json: &mut Value, folder: &Path) -> Result<(), ImporterError> {
    let uri = |part: &Value| {
        let uri = part["uri"].as_str().filter(|uri| !buffers::is_data(uri));
        uri.map(str::to_owned)
    };
    for buffer in list(json, "buffers") {
        if let Some(uri) = uri(buffer) {
            let path = std::path::absolute(buffers::path(&uri, folder)).map_err(parse)?;
            let path = path.to_str().ok_or_else(|| ImporterError::Path {
                reason: "it is not valid Unicode".to_owned(),
            })?;
            buffer["uri"] = path.into();
        }
    }
    for image in list(json, "images") {
        if let Some(uri) = uri(image) {
            image["uri"] = buffers::percent_decoded(&uri).into();
        }
    }
    Ok(())
}

fn complete_skins(
    json: &mut Value,
    document: &Document,
    accessors: &Accessors<'_>,
    added: &mut Added,
) -> Result<(), ImporterError> {
    for (index, (value, skin)) in list(json, "skins").zip(&document.skins).enumerate() {
        let joints = skin.joints.len();
        let Some(accessor) = skin.inverse_bind_matrices else {
            let identities: Vec<f32> = IDENTITY.repeat(joints);
            value["inverseBindMatrices"] = added.accessor(&identities, "MAT4", joints).into();
            continue;
        };
        let numbers = accessors.floats(accessor);
        let numbers =
            numbers.map_err(|e| parse(format!("accessor {accessor} of skin {index} {e}")))?;
        if numbers.len() < joints * IDENTITY.len() {
            let matrices = numbers.len() / IDENTITY.len();
            return Err(parse(format!(
                "skin {index} has {matrices} inverse bind matrices for {joints} joints"
            )));
        }
    }
    Ok(())
}

/// A copy of the mesh for every skin but the first that uses it, and for its uses without a skin.
fn give_each_skin_its_mesh(json: &mut Value) {
    let mut meshes = json["meshes"].as_array().cloned().unwrap_or_default();
    let mut skin_of_mesh: HashMap<u64, Option<u64>> = HashMap::new();
    let mut copies: HashMap<(u64, Option<u64>), usize> = HashMap::new();
    for node in list(json, "nodes") {
        let (Some(mesh), skin) = (node["mesh"].as_u64(), node["skin"].as_u64()) else {
            continue;
        };
        if *skin_of_mesh.entry(mesh).or_insert(skin) == skin {
            continue;
        }
        let original = usize::try_from(mesh).ok().and_then(|mesh| meshes.get(mesh));
        let Some(original) = original.cloned() else {
            continue;
        };
        let copy = *copies.entry((mesh, skin)).or_insert_with(|| {
            meshes.push(original);
            meshes.len() - 1
        });
        node["mesh"] = copy.into();
    }
    if !copies.is_empty() {
        json["meshes"] = meshes.into();
    }
}

fn convert_attributes(
    json: &mut Value,
    document: &Document,
    accessors: &Accessors<'_>,
    added: &mut Added,
) -> Result<(), ImporterError> {
    let mut converted: HashMap<usize, usize> = HashMap::new();
    let primitives = list(json, "meshes").flat_map(|mesh| list(mesh, "primitives"));
    for (name, value) in primitives.flat_map(attributes) {
        let accessor = value.as_u64().and_then(|index| usize::try_from(index).ok());
        let Some(index) = accessor.filter(|_| is_float(name)) else {
            continue;
        };
        let Some(accessor) = document.accessors.get(index) else {
            continue;
        };
        if accessor.component_type == F32 {
            continue;
        }
        let new = if let Some(&known) = converted.get(&index) {
            known
        } else {
            let numbers = accessors.floats(index);
            let numbers = numbers.map_err(|e| parse(format!("accessor {index} {e}")))?;
            added.accessor(&numbers, &accessor.kind, accessor.count)
        };
        converted.insert(index, new);
        *value = new.into();
    }
    Ok(())
}

/// All attributes of a primitive, those of its morph targets included.
fn attributes(primitive: &mut Value) -> Vec<(&String, &mut Value)> {
    let Some(primitive) = primitive.as_object_mut() else {
        return Vec::new();
    };
    let mut attributes = Vec::new();
    for (key, value) in primitive {
        match (key.as_str(), value) {
            ("attributes", Value::Object(own)) => attributes.extend(own.iter_mut()),
            ("targets", Value::Array(targets)) => {
                let targets = targets.iter_mut().filter_map(Value::as_object_mut);
                attributes.extend(targets.flatten());
            }
            _ => {}
        }
    }
    attributes
}

fn is_float(attribute: &str) -> bool {
    let kind = attribute.split('_').next().unwrap_or(attribute);
    FLOAT_ATTRIBUTES.contains(&kind)
}

/// Accessors to be added, with a buffer of their own.
struct Added {
    bytes: Vec<u8>,
    accessors: Vec<Value>,
    views: Vec<Value>,
    first_accessor: usize,
    first_view: usize,
    buffer: usize,
}

impl Added {
    fn new(document: &Document) -> Self {
        Self {
            bytes: Vec::new(),
            accessors: Vec::new(),
            views: Vec::new(),
            first_accessor: document.accessors.len(),
            first_view: document.buffer_views.len(),
            buffer: document.buffers.len(),
        }
    }

    /// Adds an accessor of floats and returns its index.
    fn accessor(&mut self, numbers: &[f32], kind: &str, count: usize) -> usize {
        let length = size_of_val(numbers);
        let view = self.first_view + self.views.len();
        self.views.push(json!({
            "buffer": self.buffer,
            "byteOffset": self.bytes.len(),
            "byteLength": length,
        }));
        self.bytes
            .extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        self.accessors.push(json!({
            "bufferView": view,
            "componentType": F32,
            "count": count,
            "type": kind,
        }));
        self.first_accessor + self.accessors.len() - 1
    }

    fn write(self, json: &mut Value) {
        if self.accessors.is_empty() {
            return;
        }
        let buffer = json!({
            "uri": buffers::data_uri(&self.bytes),
            "byteLength": self.bytes.len(),
        });
        append(json, "buffers", vec![buffer]);
        append(json, "bufferViews", self.views);
        append(json, "accessors", self.accessors);
    }
}

fn append(json: &mut Value, key: &str, mut items: Vec<Value>) {
    match json.get_mut(key).and_then(Value::as_array_mut) {
        Some(list) => list.append(&mut items),
        None => json[key] = items.into(),
    }
}
