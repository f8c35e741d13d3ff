//! The ways to store the same numbers.

use data_encoding::BASE64;
use serde_json::json;

use super::super::draft::{
    ABOUT_Z, Draft, F32, I16, TRIANGLE, U8, U16, Weights, arm_nodes, strip_influences,
};
use super::Case;

const ACCESSORS: &str = "3.6.2 Accessors";

pub(super) const CASES: &[Case] = &[
    Case::new(
        "sparse-positions",
        "3.6.2.3 Sparse Accessors",
        [
            "Positions in a sparse accessor: one vertex is replaced.",
            "A wrong engine shows the vertex where the base has it.",
        ],
        || {
            let mut draft = Draft::mover();
            let replaced = [TRIANGLE[0], TRIANGLE[1], [0.0, 2.0, 1.0]];
            draft.bound(0, "VEC3", replaced.as_flattened());
            draft.json["accessors"][0]["sparse"] = sparse(&mut draft, 2, replaced[2]);
            draft.rotate(0, ABOUT_Z);
            draft
        },
    ),
    Case::new(
        "sparse-morph-target",
        "3.6.2.3 Sparse Accessors",
        [
            "A morph target in a sparse accessor without a base: all other offsets are zero.",
            "A wrong engine ignores the target, or fails without a buffer view.",
        ],
        || {
            let mut draft = Draft::mover();
            let offset = [0.0, 0.0, 2.0];
            let sparse = sparse(&mut draft, 1, offset);
            let target = json!({
                "componentType": F32, "count": 3, "type": "VEC3", "sparse": sparse, "min": [0, 0, 0], "max": offset,
            });
            let target = draft.push("accessors", target);
            draft.json["meshes"][0]["primitives"][0]["targets"] = json!([{ "POSITION": target }]);
            draft.track(0, "weights", "LINEAR", &[0.0, 1.0], &[0.0, 1.0]);
            draft
        },
    ),
    Case::new(
        "interleaved",
        "3.6.2.4 Data Alignment",
        [
            "Positions and normals are interleaved in one buffer view, whose stride is 24 bytes.",
            "A wrong engine ignores the stride and reads positions and normals alternately.",
        ],
        || {
            let mut draft = Draft::mover();
            let vertices = TRIANGLE
                .iter()
                .flat_map(|position| [*position, [0.0, 0.0, 1.0]]);
            let numbers = vertices.flatten().flat_map(f32::to_le_bytes);
            let view = draft.view(&numbers.collect::<Vec<u8>>());
            draft.json["bufferViews"][view]["byteStride"] = json!(24);
            for (accessor, offset) in [(0, 0), (1, 12)] {
                draft.json["accessors"][accessor]["bufferView"] = json!(view);
                draft.json["accessors"][accessor]["byteOffset"] = json!(offset);
            }
            draft.rotate(0, ABOUT_Z);
            draft
        },
    ),
    Case::new(
        "accessors-in-one-view",
        ACCESSORS,
        [
            "Key times and values share a buffer view; the accessor of the values starts at an offset of 8 bytes.",
            "A wrong engine ignores the offset and reads the times as values.",
        ],
        || {
            let mut draft = Draft::mover();
            let numbers: [f32; 8] = [0.0, 1.0, 1.0, 2.0, 3.0, -1.0, 0.5, 0.0];
            let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
            let view = draft.view(&bytes);
            draft.track(0, "translation", "LINEAR", &[0.0, 1.0], &numbers[2..]);
            let sampler = draft.json["animations"][0]["samplers"][0].clone();
            for (name, offset) in [("input", 0), ("output", 8)] {
                let accessor = sampler[name]
                    .as_u64()
                    .and_then(|index| usize::try_from(index).ok());
                let accessor = &mut draft.json["accessors"][accessor.unwrap_or_default()];
                accessor["bufferView"] = json!(view);
                accessor["byteOffset"] = json!(offset);
            }
            draft
        },
    ),
    Case::new(
        "two-buffers",
        "3.6.1 Buffers and Buffer Views",
        [
            "The positions are in a second buffer.",
            "A wrong engine reads all views from the first buffer.",
        ],
        || {
            let mut draft = Draft::mover();
            let bytes: Vec<u8> = TRIANGLE
                .as_flattened()
                .iter()
                .flat_map(|n| (2.0 * n).to_le_bytes())
                .collect();
            let uri = format!(
                "data:application/octet-stream;base64,{}",
                BASE64.encode(&bytes)
            );
            draft.push("buffers", json!({ "byteLength": bytes.len(), "uri": uri }));
            draft.json["bufferViews"][0]["buffer"] = json!(1);
            draft.json["accessors"][0]["max"] = json!([2, 2, 0]);
            draft.rotate(0, ABOUT_Z);
            draft
        },
    ),
    Case::new(
        "quantized-positions",
        "KHR_mesh_quantization",
        [
            "Positions in normalized shorts, as the extension allows. Each is the integer divided by 32767.",
            "A wrong engine does not divide.",
        ],
        || {
            let mut draft = Draft::mover();
            let shorts: [[i16; 4]; 3] = [[0, 0, 0, 0], [32767, 0, -32767, 0], [0, 32767, 0, 0]];
            let bytes: Vec<u8> = shorts
                .iter()
                .flatten()
                .flat_map(|n| n.to_le_bytes())
                .collect();
            let view = draft.view(&bytes);
            draft.json["bufferViews"][view]["byteStride"] = json!(8);
            draft.json["accessors"][0] = json!({
                "bufferView": view, "componentType": I16, "count": 3, "type": "VEC3", "normalized": true,
                "min": [0, 0, -32767], "max": [32767, 32767, 0],
            });
            for list in ["extensionsUsed", "extensionsRequired"] {
                draft.json[list] = json!(["KHR_mesh_quantization"]);
            }
            draft.rotate(0, ABOUT_Z);
            draft
        },
    ),
    Case::new(
        "without-indices",
        "3.7.2.1 Meshes, Overview",
        [
            "A primitive without indices: every three vertices are a triangle.",
            "A wrong engine does not load it.",
        ],
        || {
            let mut draft = Draft::mover();
            let primitive = draft.json["meshes"][0]["primitives"][0].as_object_mut();
            primitive.and_then(|primitive| primitive.remove("indices"));
            draft.rotate(0, ABOUT_Z);
            draft
        },
    ),
    Case::new(
        "several-primitives",
        "3.7.2.1 Meshes, Overview",
        [
            "A skinned mesh of two primitives, with joints in bytes and in shorts.",
            "A wrong engine loads or skins only the first one.",
        ],
        || {
            let (mut draft, rows) = (Draft::new(arm_nodes()), strip_influences());
            let first = draft.strip_primitive(&rows[..3], U8, Weights::Float);
            let second = draft.strip_primitive(&rows, U16, Weights::Float);
            draft.push("meshes", json!({ "primitives": [first, second] }));
            draft.skin(&[1, 2, 3], Some(&super::super::draft::ARM));
            draft.bend([2, 3]);
            draft
        },
    ),
];

/// A sparse part that replaces one element.
fn sparse(draft: &mut Draft, element: u8, value: [f32; 3]) -> serde_json::Value {
    let indices = draft.view(&[element]);
    let bytes: Vec<u8> = value.iter().flat_map(|n| n.to_le_bytes()).collect();
    let values = draft.view(&bytes);
    json!({
        "count": 1,
        "indices": { "bufferView": indices, "componentType": U8 },
        "values": { "bufferView": values },
    })
}
