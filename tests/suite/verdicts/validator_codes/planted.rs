//! The codes of glTF-Validator, planted one at a time in a healthy model.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "every number here is small"
)]

use serde_json::{Value, json};
use skincheck::rig::Asset;

use crate::verdicts::planted::healthy;
use crate::verdicts::planted::stored::{Stored, index, push};

/// skincheck's answer to a file on which glTF-Validator reports a code.
pub(super) enum Ours {
    /// This rule reports it.
    Rule(&'static str),
    /// skincheck refuses the file: the command fails, and the message names the part.
    Refused,
    /// No finding, for this reason.
    Silent(&'static str),
}
use Ours::{Refused, Rule, Silent};

impl Ours {
    const fn to(self, code: &'static str, plant: fn(&mut Stored)) -> Planted {
        (code, plant, self)
    }
}

/// The code, how to plant it, and skincheck's answer.
pub(super) type Planted = (&'static str, fn(&mut Stored), Ours);

pub(super) const PLANTED: &[Planted] = &[
    Rule("G817").to("ACCESSOR_MIN_MISMATCH", |file| {
        attribute(file, "POSITION")["min"][0] = json!(-9.0);
    }),
    Rule("G817").to("ACCESSOR_MAX_MISMATCH", |file| {
        attribute(file, "POSITION")["max"][0] = json!(9.0);
    }),
    Rule("G817").to("ACCESSOR_ELEMENT_OUT_OF_MIN_BOUND", |file| {
        attribute(file, "POSITION")["min"][1] = json!(0.0);
    }),
    Rule("G817").to("ACCESSOR_ELEMENT_OUT_OF_MAX_BOUND", |file| {
        let accessor = input(file);
        file.json["accessors"][accessor]["max"][0] = json!(0.5);
    }),
    Rule("G817").to("MESH_PRIMITIVE_POSITION_ACCESSOR_WITHOUT_BOUNDS", |file| {
        let accessor = file.attribute("POSITION");
        remove(&mut file.json["accessors"][accessor], &["min", "max"]);
    }),
    Rule("G817").to("ANIMATION_SAMPLER_INPUT_ACCESSOR_WITHOUT_BOUNDS", |file| {
        let accessor = input(file);
        remove(&mut file.json["accessors"][accessor], &["min", "max"]);
    }),
    Rule("G818").to("ACCESSOR_NORMALIZED_INVALID", |file| {
        attribute(file, "NORMAL")["normalized"] = json!(true);
    }),
    Rule("G818").to("ACCESSOR_OFFSET_ALIGNMENT", |file| {
        let accessor = output(file);
        let count = file.count(accessor);
        let bytes = vec![0; 16 * count + 4];
        let view = file.add_view(&bytes);
        let accessor = &mut file.json["accessors"][accessor];
        accessor["bufferView"] = json!(view);
        accessor["byteOffset"] = json!(2);
    }),
    Rule("G818").to("ACCESSOR_TOTAL_OFFSET_ALIGNMENT", |file| {
        let accessor = output(file);
        let bytes = vec![0; 16 * file.count(accessor) + 4];
        let view = file.add_view(&bytes);
        file.json["accessors"][accessor]["bufferView"] = json!(view);
        let view = &mut file.json["bufferViews"][view];
        view["byteOffset"] = json!(2);
        view["byteLength"] = json!(bytes.len() - 2);
    }),
    Rule("G818").to("ACCESSOR_MATRIX_ALIGNMENT", |file| {
        let accessor = index(&file.json["skins"][0]["inverseBindMatrices"]);
        let bytes = vec![0; 16 * file.count(accessor) + 4];
        let view = file.add_view(&bytes);
        let accessor = &mut file.json["accessors"][accessor];
        accessor["bufferView"] = json!(view);
        accessor["byteOffset"] = json!(2);
        accessor["componentType"] = json!(5120);
    }),
    Rule("G818").to("ACCESSOR_SPARSE_COUNT_OUT_OF_RANGE", |file| {
        let count = vertices(file) + 1;
        sparse(file, &vec![0; count]);
    }),
    Refused.to("ACCESSOR_SPARSE_INDEX_OOB", |file| sparse(file, &[60_000])),
    Rule("G818").to("ACCESSOR_SPARSE_INDICES_NON_INCREASING", |file| {
        sparse(file, &[3, 2]);
    }),
    Refused.to("ACCESSOR_SMALL_BYTESTRIDE", |file| {
        stride(file, file.attribute("POSITION"), 4);
    }),
    Refused.to("ACCESSOR_TOO_LONG", |file| {
        attribute(file, "POSITION")["count"] = json!(100_000);
    }),
    Rule("G818").to("ACCESSOR_USAGE_OVERRIDE", |file| {
        let indices = file.json["meshes"][0]["primitives"][0]["indices"].clone();
        attributes(file)["_NUMBER"] = indices;
    }),
    Rule("G802").to("ACCESSOR_INDEX_PRIMITIVE_RESTART", |file| {
        let indices = shorts(&[0, 1, 2, 65535, 1, 2]);
        let accessor = file.add_bytes(("SCALAR", 1), 5123, &indices);
        file.json["meshes"][0]["primitives"][0]["indices"] = json!(accessor);
    }),
    Silent("colours above 1 neither move nor hide anything; engines clamp them").to(
        "ACCESSOR_NON_CLAMPED",
        |file| {
            let colors = vec![1.5; 3 * vertices(file)];
            let accessor = file.add(("VEC3", 3), &colors);
            attributes(file)["COLOR_0"] = json!(accessor);
        },
    ),
    Rule("G812").to("ACCESSOR_INVALID_FLOAT", |file| {
        let uvs = vec![f32::NAN; 2 * vertices(file)];
        let accessor = file.add(("VEC2", 2), &uvs);
        attributes(file)["TEXCOORD_0"] = json!(accessor);
    }),
    Silent("a weight of 0 moves nothing, and many exporters pad with the last joint").to(
        "ACCESSOR_JOINTS_USED_ZERO_WEIGHT",
        |file| {
            let lists = arm();
            let joints = lists.meshes[0].influences.iter().flat_map(|list| {
                let mut joints = [2, 2, 2, 2];
                for (joint, influence) in joints.iter_mut().zip(list) {
                    *joint = influence.slot.0 as u16;
                }
                joints
            });
            let joints: Vec<u16> = joints.collect();
            let accessor = file.add_bytes(("VEC4", 4), 5123, &shorts(&joints));
            attributes(file)["JOINTS_0"] = json!(accessor);
        },
    ),
    Refused.to("SKIN_IBM_INVALID_FORMAT", |file| {
        let accessor = output(file);
        file.json["skins"][0]["inverseBindMatrices"] = json!(accessor);
    }),
    Rule("G818").to("SKIN_IBM_ACCESSOR_WITH_BYTESTRIDE", |file| {
        let accessor = index(&file.json["skins"][0]["inverseBindMatrices"]);
        stride(file, accessor, 64);
    }),
    Rule("C535").to("ANIMATION_CHANNEL_TARGET_NODE_SKIN", |file| {
        let nodes = file.json["nodes"].as_array().expect("there are nodes");
        let body = nodes.iter().position(|node| node.get("skin").is_some());
        let sampler = channel(file)["sampler"].clone();
        let channels = &mut file.json["animations"][0]["channels"];
        push(
            channels,
            json!({ "sampler": sampler, "target": { "node": body, "path": "rotation" } }),
        );
    }),
    Silent("a parent only groups the mesh").to("NODE_SKINNED_MESH_NON_ROOT", put_below_a_node),
    Rule("C518").to("ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS", |file| {
        let nodes = file.json["nodes"].as_array().expect("there are nodes");
        let body = nodes.iter().position(|node| node.get("skin").is_some());
        let weights = file.add(("SCALAR", 1), &[0.0, 1.0]);
        let times = file.add(("SCALAR", 1), &[0.0, 1.0]);
        bound(file, times, 1.0);
        let samplers = &mut file.json["animations"][0]["samplers"];
        let sampler = push(samplers, json!({ "input": times, "output": weights }));
        let channels = &mut file.json["animations"][0]["channels"];
        push(
            channels,
            json!({ "sampler": sampler, "target": { "node": body, "path": "weights" } }),
        );
    }),
    Rule("G818").to("ANIMATION_SAMPLER_ACCESSOR_WITH_BYTESTRIDE", |file| {
        let accessor = output(file);
        stride(file, accessor, 16);
    }),
    Rule("G818").to("ANIMATION_SAMPLER_INPUT_ACCESSOR_INVALID_FORMAT", |file| {
        let count = count_of_keys(file);
        let times: Vec<u16> = (0..count as u16).collect();
        let accessor = file.add_bytes(("SCALAR", 1), 5123, &shorts(&times));
        bound(file, accessor, count as f64 - 1.0);
        sampler(file)["input"] = json!(accessor);
    }),
    Silent("a curve of one key holds still, which is what it says").to(
        "ANIMATION_SAMPLER_INPUT_ACCESSOR_TOO_FEW_ELEMENTS",
        |file| {
            let times = file.add(("SCALAR", 1), &[0.0]);
            bound(file, times, 0.0);
            let still = [[0.0; 4], [0.0, 0.0, 0.0, 1.0], [0.0; 4]];
            let values = file.add(("VEC4", 4), still.as_flattened());
            *sampler(file) =
                json!({ "input": times, "output": values, "interpolation": "CUBICSPLINE" });
        },
    ),
    Rule("C518").to("ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT", |file| {
        let accessor = output(file);
        file.json["accessors"][accessor]["count"] = json!(2);
    }),
    Rule("C518").to("ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_FORMAT", |file| {
        let count = count_of_keys(file);
        let values = file.add(("VEC3", 3), &vec![0.0; 3 * count]);
        sampler(file)["output"] = json!(values);
    }),
    Rule("G818").to("MESH_PRIMITIVE_ACCESSOR_UNALIGNED", |file| {
        let colors = vec![255; 3 * vertices(file)];
        let accessor = file.add_bytes(("VEC3", 3), 5121, &colors);
        file.json["accessors"][accessor]["normalized"] = json!(true);
        attributes(file)["COLOR_0"] = json!(accessor);
    }),
    Rule("G818").to("MESH_PRIMITIVE_ACCESSOR_WITHOUT_BYTESTRIDE", |file| {
        let uvs = vec![0.0; 4 * vertices(file)];
        let accessor = file.add(("VEC2", 2), &uvs);
        let half = file.count(accessor) / 2;
        file.json["accessors"][accessor]["count"] = json!(half);
        let mut second = file.json["accessors"][accessor].clone();
        second["byteOffset"] = json!(8 * half);
        let second = push(&mut file.json["accessors"], second);
        attributes(file)["TEXCOORD_0"] = json!(accessor);
        attributes(file)["TEXCOORD_1"] = json!(second);
    }),
    Rule("G818").to(
        "MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT",
        |file| {
            let uvs = vec![0; 4 * vertices(file)];
            let accessor = file.add_bytes(("VEC2", 2), 5122, &uvs);
            attributes(file)["TEXCOORD_0"] = json!(accessor);
        },
    ),
    Rule("G818").to("MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_UNSIGNED_INT", |file| {
        let numbers = vec![0; 4 * vertices(file)];
        let accessor = file.add_bytes(("SCALAR", 1), 5125, &numbers);
        attributes(file)["_NUMBER"] = json!(accessor);
    }),
    Refused.to("MESH_PRIMITIVE_INDICES_ACCESSOR_INVALID_FORMAT", |file| {
        let accessor = file.add(("SCALAR", 1), &[0.0, 1.0, 2.0]);
        file.json["meshes"][0]["primitives"][0]["indices"] = json!(accessor);
    }),
    Rule("G818").to("MESH_PRIMITIVE_INDICES_ACCESSOR_WITH_BYTESTRIDE", |file| {
        let indices: Vec<u16> = [0, 0, 1, 0, 2, 0].to_vec();
        let accessor = file.add_bytes(("SCALAR", 1), 5123, &shorts(&indices));
        file.json["accessors"][accessor]["count"] = json!(3);
        stride(file, accessor, 4);
        file.json["meshes"][0]["primitives"][0]["indices"] = json!(accessor);
    }),
    Refused.to(
        "MESH_PRIMITIVE_MORPH_TARGET_INVALID_ATTRIBUTE_COUNT",
        |file| {
            let accessor = file.add(("VEC3", 3), &[0.0; 9]);
            target(file, "POSITION", accessor);
        },
    ),
    Rule("G818").to("MESH_PRIMITIVE_MORPH_TARGET_NO_BASE_ACCESSOR", |file| {
        let still = vec![0.0; 3 * vertices(file)];
        let accessor = file.add(("VEC3", 3), &still);
        target(file, "TANGENT", accessor);
    }),
    Refused.to("MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT", |file| {
        let accessor = file.add(("VEC2", 2), &[0.0; 6]);
        attributes(file)["TEXCOORD_0"] = json!(accessor);
    }),
    Rule("G818").to("MESH_PRIMITIVE_INVALID_ATTRIBUTE", |file| {
        let joints = attributes(file)["JOINTS_0"].clone();
        attributes(file)["BONES_0"] = joints;
    }),
    Rule("W118").to("MESH_PRIMITIVE_INDEXED_SEMANTIC_CONTINUITY", |file| {
        let mut all = attributes(file).take();
        for name in ["JOINTS", "WEIGHTS"] {
            all[format!("{name}_1")] = all[format!("{name}_0")].take();
            remove(&mut all, &[&format!("{name}_0")]);
        }
        *attributes(file) = all;
    }),
    Silent("indices that are left over draw nothing").to(
        "MESH_PRIMITIVE_INCOMPATIBLE_MODE",
        |file| {
            let corners = arm().meshes[0].triangles.clone();
            let mut indices: Vec<u16> = corners.iter().flatten().map(|&i| i as u16).collect();
            indices.push(0);
            let accessor = file.add_bytes(("SCALAR", 1), 5123, &shorts(&indices));
            file.json["meshes"][0]["primitives"][0]["indices"] = json!(accessor);
        },
    ),
    Rule("G804").to("MESH_PRIMITIVE_TANGENT_WITHOUT_NORMAL", |file| {
        let tangents = [1.0, 0.0, 0.0, 1.0].repeat(vertices(file));
        let accessor = file.add(("VEC4", 4), &tangents);
        attributes(file)["TANGENT"] = json!(accessor);
        remove(attributes(file), &["NORMAL"]);
    }),
    Silent("what has no positions is left out, and a note says so").to(
        "MESH_PRIMITIVE_NO_POSITION",
        |file| {
            let mut second = file.json["meshes"][0]["primitives"][0].clone();
            remove(&mut second["attributes"], &["POSITION"]);
            push(&mut file.json["meshes"][0]["primitives"], second);
        },
    ),
    Silent("a node may have weights of its own").to("UNUSED_MESH_WEIGHTS", |file| {
        file.add_target();
        file.json["meshes"][0]["weights"] = json!([0.0]);
        let nodes = file.json["nodes"].as_array_mut().expect("there are nodes");
        let body = nodes.iter_mut().find(|node| node.get("skin").is_some());
        body.expect("one is skinned")["weights"] = json!([0.5]);
    }),
    Silent("a material of the engine may need them").to("UNUSED_MESH_TANGENT", |file| {
        let tangents = [1.0, 0.0, 0.0, 1.0].repeat(vertices(file));
        let accessor = file.add(("VEC4", 4), &tangents);
        attributes(file)["TANGENT"] = json!(accessor);
    }),
];

/// Puts the skinned mesh below a node without a transform. The validator calls this informative since 2.0.0-dev.3.11, and warns of a
/// transform of the node.
fn put_below_a_node(file: &mut Stored) {
    let nodes = file.json["nodes"].as_array().expect("there are nodes");
    let body = nodes.iter().position(|node| node.get("skin").is_some());
    let group = nodes.len();
    push(
        &mut file.json["nodes"],
        json!({ "name": "group", "children": [body] }),
    );
    let roots = file.json["scenes"][0]["nodes"].as_array_mut();
    for root in roots.expect("the scene has nodes") {
        if *root == json!(body) {
            *root = json!(group);
        }
    }
}

/// The healthy model.
pub(super) fn arm() -> Asset {
    let mut models = healthy::all();
    let found = models.find(|(name, _)| name == "arm, plain");
    found.expect("it is one of them").1
}

/// The accessor of an attribute.
fn attribute<'a>(file: &'a mut Stored, name: &str) -> &'a mut Value {
    let accessor = file.attribute(name);
    &mut file.json["accessors"][accessor]
}

fn vertices(file: &Stored) -> usize {
    file.count(file.attribute("POSITION"))
}

fn count_of_keys(file: &mut Stored) -> usize {
    let accessor = input(file);
    file.count(accessor)
}

fn attributes(file: &mut Stored) -> &mut Value {
    &mut file.json["meshes"][0]["primitives"][0]["attributes"]
}

/// The first channel that rotates a joint.
fn channel(file: &Stored) -> &Value {
    let channels = file.json["animations"][0]["channels"].as_array();
    let mut channels = channels.expect("a clip has channels").iter();
    let found = channels.find(|channel| channel["target"]["path"] == "rotation");
    found.expect("a joint turns")
}

fn sampler(file: &mut Stored) -> &mut Value {
    let sampler = index(&channel(file)["sampler"]);
    &mut file.json["animations"][0]["samplers"][sampler]
}

fn input(file: &mut Stored) -> usize {
    index(&sampler(file)["input"])
}

fn output(file: &mut Stored) -> usize {
    index(&sampler(file)["output"])
}

/// States the bounds of an accessor of times from 0.
fn bound(file: &mut Stored, accessor: usize, end: f64) {
    file.json["accessors"][accessor]["min"] = json!([0.0]);
    file.json["accessors"][accessor]["max"] = json!([end]);
}

fn stride(file: &mut Stored, accessor: usize, bytes: usize) {
    let view = index(&file.json["accessors"][accessor]["bufferView"]);
    file.json["bufferViews"][view]["byteStride"] = json!(bytes);
}

/// Replaces the normals of these vertices by their correct values.
fn sparse(file: &mut Stored, vertices: &[u16]) {
    let accessor = file.attribute("NORMAL");
    let indices = file.add_view(&shorts(vertices));
    let up = [0.0_f32, 1.0, 0.0].repeat(vertices.len());
    let up: Vec<u8> = up.iter().flat_map(|number| number.to_le_bytes()).collect();
    let values = file.add_view(&up);
    file.json["accessors"][accessor]["sparse"] = json!({
        "count": vertices.len(),
        "indices": { "bufferView": indices, "componentType": 5123 },
        "values": { "bufferView": values },
    });
}

fn target(file: &mut Stored, name: &str, accessor: usize) {
    file.json["meshes"][0]["primitives"][0]["targets"] = json!([{ name: accessor }]);
}

fn shorts(numbers: &[u16]) -> Vec<u8> {
    numbers
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect()
}

pub(super) fn remove(value: &mut Value, members: &[&str]) {
    let members_of = value.as_object_mut().expect("it is an object");
    for member in members {
        members_of.remove(*member);
    }
}
