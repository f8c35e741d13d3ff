//! Damaged documents: the result is an error or a valid asset.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::testing::{I8, Model, U8, import};
use crate::files::Reach;
use crate::rig::{Asset, Image, ImageData};
use crate::{ImporterError, Wanted};

/// The JSON pointers of all values below `value`.
fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
    let mut visit = |name: &dyn std::fmt::Display, member: &Value| {
        let mut location = at.to_owned();
        write!(location, "/{name}").expect("a string takes text");
        found.push(location.clone());
        pointers(member, &location, found);
    };
    for (name, member) in value.as_object().into_iter().flatten() {
        visit(name, member);
    }
    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
        visit(&index, item);
    }
}

pub(super) fn pointers_of(json: &Value) -> Vec<String> {
    let mut found = Vec::new();
    pointers(json, "", &mut found);
    found
}

/// Replacements for any value.
pub(super) fn strange() -> Vec<Value> {
    let all = json!([
        null, true, -1, 0, 1, 7, 255, 1 << 28, u32::MAX, 1_u64 << 32, u64::MAX, i64::MIN,
        0.5, -0.0, 1e300, "", "STEP", "data:;base64,AAAA",
        [], [0], [0, 1, 2, 1], [[]], {}, {"a": 1},
    ]);
    serde_json::from_value(all).expect("it is a list")
}

#[test]
fn the_victim_is_sound() {
    let asset = rich().read();
    assert_eq!(asset.notes, []);
    assert_eq!(asset.evidence.defects, []);
    let clip = &asset.clips[0];
    assert_eq!((clip.channels.len(), clip.morph_channels.len()), (2, 1));
    assert_eq!(asset.meshes[0].morph_targets[0].positions.len(), 3);
}

#[test]
fn a_glb_cut_anywhere_is_refused() {
    let file = rich().glb();
    for length in 0..file.len() {
        assert!(import(&file[..length]).is_err(), "{length}");
    }
    import(&file).unwrap();
}

#[test]
fn a_text_cut_anywhere_says_that_it_is_cut_off() {
    let text = rich().text();
    for length in (1..text.len()).filter(|&length| text.is_char_boundary(length)) {
        let error = import(&text.as_bytes()[..length]).unwrap_err().to_string();
        assert!(
            error.starts_with("the JSON text is cut off at line 1, column"),
            "{length}: {error}"
        );
    }
}

/// `model` with another value at a JSON pointer.
fn replaced(model: &Model, location: &str, value: &Value) -> Model {
    let (mut json, bytes) = (model.json.clone(), model.bytes.clone());
    let replaced = json.pointer_mut(location);
    *replaced.expect("it is one of its values") = value.clone();
    Model { json, bytes }
}

#[test]
fn every_value_may_be_replaced_by_any_other() {
    let strange = strange();
    let model = rich();
    let pointers = pointers_of(&model.json);
    let (mut read, mut refused) = (0, 0);
    for location in &pointers {
        for value in &strange {
            match replaced(&model, location, value).import() {
                Ok(_) => read += 1,
                Err(_) => refused += 1,
            }
        }
    }
    assert!(
        read > 100 && refused > 100,
        "{read} read, {refused} refused"
    );
}

#[test]
fn a_reference_that_leads_nowhere_is_reported() {
    /// Members that refer to other parts.
    const REFERENCES: &str = "buffer bufferView children index indices input inverseBindMatrices joints material mesh \
        node nodes output sampler scene skin source POSITION NORMAL JOINTS_0 WEIGHTS_0 TEXCOORD_0";
    let references: Vec<&str> = REFERENCES
        .split(' ')
        .filter(|name| !name.is_empty())
        .collect();
    let model = rich();
    let mut tried = 0;
    for location in pointers_of(&model.json) {
        let mut names = location.rsplit('/');
        let name = names.find(|name| name.parse::<usize>().is_err());
        let is_number = model.json.pointer(&location).is_some_and(Value::is_number);
        if !is_number || !name.is_some_and(|name| references.contains(&name)) {
            continue;
        }
        for value in [json!(99), json!(u64::MAX)] {
            let asset = replaced(&model, &location, &value).import();
            let is_missing = |image: &Image| matches!(image.data, ImageData::Missing(_));
            let is_reported =
                |asset: Asset| !asset.notes.is_empty() || asset.images.iter().any(is_missing);
            assert!(asset.map_or(true, is_reported), "{location}");
            tried += 1;
        }
    }
    assert!(tried > 80, "{tried}");
}

#[test]
fn a_small_file_that_asks_for_much_is_refused() {
    let mut model = Model::triangle(&json!([{"mesh": 0}]));
    model.json["accessors"][0] =
        json!({"componentType": 5126, "count": 1_u64 << 31, "type": "VEC3"});
    assert!(model.refusal().ends_with("more than its size can justify"));
    model.set_indices(&[0, 1, 2]);
    let asset = model.read();
    let read = asset.meshes[0].positions.len();
    assert_eq!(read, 3, "only what is used is read");
    let mut model = Model::triangle(&json!([{"mesh": 0}]));
    model.primitive()["targets"] = vec![json!({"POSITION": 1}); 1000].into();
    model.json["accessors"][0]["count"] = 3.into();
    let zeros = json!({"componentType": 5126, "count": 1 << 20, "type": "VEC3"});
    model.json["accessors"] = json!([zeros, zeros]);
    assert!(model.refusal().ends_with("more than its size can justify"));
}

#[test]
fn many_nodes_with_meshes_of_many_primitives_are_refused() {
    let mut model = Model::triangle(&json!(vec![json!({"mesh": 0}); 5000]));
    let primitive = model.primitive().clone();
    model.json["meshes"][0]["primitives"] = vec![primitive; 5000].into();
    assert!(model.refusal().ends_with("more than its size can justify"));
}

#[test]
fn a_model_that_there_is_no_room_for_is_refused_for_that() {
    let file = rich().glb();
    let read = |memory_bytes: usize| {
        let wanted = Wanted {
            memory_bytes: memory_bytes as u64,
            ..Wanted::default()
        };
        super::read(file.as_slice(), "".as_ref(), &Reach::default(), &wanted)
    };
    let enough = (0..)
        .step_by(64)
        .find(|&bytes| read(bytes).is_ok())
        .expect("it is a small model");
    assert_eq!(read(enough), read(usize::MAX));
    for bytes in (0..enough - 64).step_by(61) {
        assert_eq!(read(bytes), Err(ImporterError::OutOfMemory), "{bytes}");
    }
}

/// A document that uses every feature.
pub(super) fn rich() -> Model {
    let mut model = Model::weighted(
        [0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0],
        &[0.5, 0.5, 0.0, 0.0].repeat(3),
    );
    let matrices = model.floats("MAT4", &glam::Mat4::IDENTITY.to_cols_array().repeat(2));
    let uvs = model.accessor(&[0, 255, 0, 0, 0, 255, 0, 0, 255, 0, 0, 0], U8, "VEC2", 3);
    model.json["bufferViews"][uvs]["byteStride"] = 4.into();
    model.normalize(uvs);
    let indices = model.accessor(&[0, 1, 2, 0], U8, "SCALAR", 4);
    let (at, values) = (model.view(&[1]), model.view(&[0; 12]));
    let sparse = json!({"count": 1, "indices": {"bufferView": at, "componentType": U8}, "values": {"bufferView": values}});
    let offsets = model.floats("VEC3", &[0.25; 9]);
    model.json["accessors"][offsets]["sparse"] = sparse;
    model.json["accessors"][offsets]["min"] = json!([0, 0, 0]);
    let times = model.floats("SCALAR", &[0.0, 1.0]);
    let rotations = model.accessor(&[0, 0, 0, 127, 0, 127, 0, 0], I8, "VEC4", 2);
    model.normalize(rotations);
    let cubic = model.floats("VEC3", &[0.5; 18]);
    let weights = model.floats("SCALAR", &[0.0, 1.0]);
    let image = model.view(b"no image");
    model.attribute("TEXCOORD_0", uvs);
    let normals = model.floats("VEC3", &[0.0, 0.0, 1.0].repeat(3));
    model.attribute("NORMAL", normals);
    *model.primitive() = {
        let mut primitive = model.primitive().clone();
        primitive["indices"] = indices.into();
        primitive["mode"] = 5.into();
        primitive["material"] = 0.into();
        primitive["targets"] = json!([{"POSITION": offsets, "NORMAL": offsets}]);
        primitive
    };
    let json = &mut model.json;
    json["scene"] = 0.into();
    json["scenes"] = json!([{"nodes": [0, 1]}]);
    json["nodes"] = json!([
        {"mesh": 0, "skin": 0, "weights": [0.5]},
        {"name": "a", "children": [2], "translation": [0, 1, 0], "rotation": [0, 0, 0, 1], "scale": [1, 1, 1]},
        {"name": "b", "matrix": glam::Mat4::IDENTITY.to_cols_array()},
    ]);
    json["skins"][0]["inverseBindMatrices"] = matrices.into();
    json["animations"] = json!([{
        "channels": [
            {"sampler": 0, "target": {"node": 1, "path": "rotation"}},
            {"sampler": 1, "target": {"node": 0, "path": "translation"}},
            {"sampler": 2, "target": {"node": 0, "path": "weights"}},
        ],
        "samplers": [
            {"input": times, "output": rotations},
            {"input": times, "output": cubic, "interpolation": "CUBICSPLINE"},
            {"input": times, "output": weights, "interpolation": "STEP"},
        ],
    }]);
    let transform = json!({"KHR_texture_transform": {"offset": [0.5, 0], "rotation": 1, "scale": [2, 2], "texCoord": 0}});
    let texture = json!({"index": 0, "texCoord": 0, "extensions": transform});
    json["materials"] =
        json!([{"pbrMetallicRoughness": {"baseColorTexture": texture}, "alphaMode": "MASK"}]);
    json["textures"] = json!([{"source": 0, "sampler": 0}]);
    json["samplers"] = json!([{"wrapS": 33071}]);
    json["images"] = json!([{"bufferView": image, "mimeType": "image/png"}]);
    model
}
