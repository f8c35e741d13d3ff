//! Faults in reading: the file as such an engine reads it.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::{Fault, Plant};
use crate::vectors::draft::{I8, I16, U8, U16};

type File = Map<String, Value>;

pub(super) fn all() -> impl Iterator<Item = Fault> {
    FAULTS.iter().map(|(name, mistake, change)| Fault {
        name,
        mistake,
        plant: Plant::File(*change),
    })
}

/// The file as an engine takes it.
type Change = fn(&mut File);

const FAULTS: &[(&str, &str, Change)] = &[
    (
        "single-keys-ignored",
        "tracks with one key are ignored",
        |file| {
            let inputs: Vec<bool> = samplers(file)
                .map(|sampler| at(&sampler["input"]))
                .collect::<Vec<usize>>()
                .into_iter()
                .map(|input| file["accessors"][input]["count"] == 1)
                .collect();
            channels(file).retain(|channel| !inputs[at(&channel["sampler"])]);
        },
    ),
    (
        "sampler-used-once",
        "a sampler drives only the first of its channels",
        |file| {
            let mut seen = BTreeSet::new();
            channels(file).retain(|channel| seen.insert(at(&channel["sampler"])));
        },
    ),
    (
        "undriven-parts-reset",
        "a clip that drives a part of a node's transform resets the other parts",
        |file| {
            let targets: Vec<Value> = channels(file)
                .iter()
                .map(|own| own["target"].clone())
                .collect();
            let driven: Vec<(usize, String)> = targets
                .iter()
                .map(|target| (at(&target["node"]), text(&target["path"])))
                .collect();
            for (index, node) in each(file, "nodes").enumerate() {
                let own = || {
                    driven
                        .iter()
                        .filter(|(node, path)| *node == index && path != "weights")
                };
                for part in ["translation", "rotation", "scale"] {
                    if own().next().is_some() && own().all(|(_, path)| path != part) {
                        remove(node, part);
                    }
                }
            }
        },
    ),
    (
        "signed-as-unsigned",
        "signed integers are read as unsigned",
        |file| {
            component(file, I8, U8);
            component(file, I16, U16);
        },
    ),
    (
        "normalized-ignored",
        "normalized integers are not divided",
        |file| each(file, "accessors").for_each(|accessor| remove(accessor, "normalized")),
    ),
    (
        "shorts-as-bytes",
        "joints and weights in shorts are read as bytes",
        |file| {
            for accessor in attributes(file, &["JOINTS_0", "WEIGHTS_0"]) {
                let accessor = &mut file["accessors"][accessor];
                if accessor["componentType"] == U16 {
                    accessor["componentType"] = json!(U8);
                }
            }
        },
    ),
    (
        "weights-in-bytes-ignored",
        "a mesh with weights in bytes is not skinned",
        |file| {
            let accessors = file["accessors"].clone();
            for primitive in primitives(file) {
                if accessors[at(&primitive["attributes"]["WEIGHTS_0"])]["componentType"] == U8 {
                    remove(&mut primitive["attributes"], "WEIGHTS_0");
                    remove(&mut primitive["attributes"], "JOINTS_0");
                }
            }
        },
    ),
    (
        "nodes-in-file-order",
        "global transforms are computed in file order, so a node listed before its parent ignores it",
        |file| {
            for (index, node) in each(file, "nodes").enumerate() {
                retain_children(node, |child| child > index);
            }
        },
    ),
    (
        "scale-sign-lost",
        "negative scales are read as positive ones",
        |file| {
            for node in each(file, "nodes") {
                if let Some(scale) = numbers::<3>(&node["scale"]) {
                    node["scale"] = json!(scale.map(f32::abs));
                }
            }
        },
    ),
    (
        "plain-nodes-ignored",
        "nodes that are not joints do not move the joints below them",
        |file| {
            let joints: BTreeSet<usize> = joints(file).collect();
            let mut plain = BTreeSet::new();
            // From the joints up; files have few nodes.
            for _ in 0..each(file, "nodes").count() {
                for (index, node) in each(file, "nodes").enumerate() {
                    let mut children = node["children"].as_array().into_iter().flatten().map(at);
                    if children.any(|child| joints.contains(&child) || plain.contains(&child))
                        && !joints.contains(&index)
                    {
                        plain.insert(index);
                    }
                }
            }
            channels(file).retain(|channel| !plain.contains(&at(&channel["target"]["node"])));
            for (index, node) in each(file, "nodes").enumerate() {
                if plain.contains(&index) {
                    for part in ["translation", "rotation", "scale", "matrix"] {
                        remove(node, part);
                    }
                }
            }
        },
    ),
    (
        "joints-are-a-chain",
        "each joint is a child of the one that the skin lists before it",
        |file| {
            let skins: Vec<Vec<usize>> = each(file, "skins").map(joints_of).collect();
            for joints in skins {
                for pair in joints.windows(2) {
                    for node in each(file, "nodes") {
                        retain_children(node, |child| child != pair[1]);
                    }
                    let parent = &mut file["nodes"][pair[0]];
                    if parent["children"].is_null() {
                        parent["children"] = json!([]);
                    }
                    if let Some(children) = parent["children"].as_array_mut() {
                        children.push(json!(pair[1]));
                    }
                }
            }
        },
    ),
    (
        "joints-sorted",
        "the joints of a skin are sorted in node order",
        |file| {
            for skin in each(file, "skins") {
                let mut joints = joints_of(skin);
                joints.sort_unstable();
                skin["joints"] = json!(joints);
            }
        },
    ),
    (
        "unbound-skins-ignored",
        "skins without inverse bind matrices are ignored",
        |file| {
            let unbound: Vec<bool> = each(file, "skins")
                .map(|skin| skin["inverseBindMatrices"].is_null())
                .collect();
            for node in each(file, "nodes") {
                if node.get("skin").is_some_and(|skin| unbound[at(skin)]) {
                    remove(node, "skin");
                }
            }
        },
    ),
    (
        "skin-used-once",
        "a skin deforms only the first of its meshes",
        |file| {
            let mut seen = BTreeSet::new();
            for node in each(file, "nodes") {
                if node.get("skin").is_some_and(|skin| !seen.insert(at(skin))) {
                    remove(node, "skin");
                }
            }
        },
    ),
    (
        "first-skin-only",
        "all meshes are bound to the first skin",
        |file| {
            each(file, "nodes")
                .filter(|node| node.get("skin").is_some())
                .for_each(|node| node["skin"] = json!(0));
        },
    ),
    (
        "weights-of-the-mesh-ignored",
        "the morph weights of a mesh are ignored",
        |file| each(file, "meshes").for_each(|mesh| remove(mesh, "weights")),
    ),
    (
        "weights-of-the-node-ignored",
        "the morph weights of a node are ignored",
        |file| each(file, "nodes").for_each(|node| remove(node, "weights")),
    ),
    (
        "normals-of-targets-ignored",
        "morph targets do not move normals",
        |file| {
            for primitive in primitives(file) {
                for target in primitive["targets"].as_array_mut().into_iter().flatten() {
                    remove(target, "NORMAL");
                }
            }
        },
    ),
    (
        "sparse-ignored",
        "the replaced elements of sparse accessors are ignored",
        |file| each(file, "accessors").for_each(|accessor| remove(accessor, "sparse")),
    ),
    (
        "stride-ignored",
        "the stride of buffer views is ignored",
        |file| each(file, "bufferViews").for_each(|view| remove(view, "byteStride")),
    ),
    (
        "accessor-offset-ignored",
        "the byte offset of accessors is ignored",
        |file| each(file, "accessors").for_each(|accessor| remove(accessor, "byteOffset")),
    ),
    (
        "first-buffer-only",
        "all buffer views are read from the first buffer",
        |file| each(file, "bufferViews").for_each(|view| view["buffer"] = json!(0)),
    ),
    (
        "first-primitive-only",
        "only the first primitive of a mesh is loaded",
        |file| {
            for mesh in each(file, "meshes") {
                if let Some(primitives) = mesh["primitives"].as_array_mut() {
                    primitives.truncate(1);
                }
            }
        },
    ),
    (
        "needs-indices",
        "primitives without indices are not loaded",
        |file| {
            let drop =
                |node: &Value, bare: &[bool]| node.get("mesh").is_some_and(|mesh| bare[at(mesh)]);
            let meshes = each(file, "meshes");
            let bare: Vec<bool> = meshes
                .map(|mesh| mesh["primitives"][0]["indices"].is_null())
                .collect();
            each(file, "nodes")
                .filter(|node| drop(node, &bare))
                .for_each(|node| remove(node, "mesh"));
        },
    ),
];

/// The elements of a list; none if the file lacks it.
fn each<'a>(file: &'a mut File, list: &str) -> impl Iterator<Item = &'a mut Value> {
    let list = file.get_mut(list).and_then(Value::as_array_mut);
    list.into_iter().flatten()
}

fn samplers(file: &mut File) -> impl Iterator<Item = &mut Value> {
    let samplers = file["animations"][0]["samplers"].as_array_mut();
    samplers.into_iter().flatten()
}

fn channels(file: &mut File) -> &mut Vec<Value> {
    let channels = file["animations"][0]["channels"].as_array_mut();
    channels.expect("the animation has channels")
}

fn primitives(file: &mut File) -> impl Iterator<Item = &mut Value> {
    each(file, "meshes").flat_map(|mesh| mesh["primitives"].as_array_mut().into_iter().flatten())
}

/// The accessors of some vertex attributes.
fn attributes(file: &mut File, names: &[&str]) -> Vec<usize> {
    let attributes = primitives(file).map(|primitive| primitive["attributes"].clone());
    let accessors = attributes.flat_map(|own| {
        let own = names.iter().map(move |name| own[*name].clone());
        own.filter(|accessor| !accessor.is_null())
            .collect::<Vec<Value>>()
    });
    accessors.map(|accessor| at(&accessor)).collect()
}

fn component(file: &mut File, from: u32, to: u32) {
    for accessor in each(file, "accessors").filter(|accessor| accessor["componentType"] == from) {
        accessor["componentType"] = json!(to);
    }
}

fn joints(file: &mut File) -> impl Iterator<Item = usize> {
    each(file, "skins").flat_map(joints_of)
}

fn joints_of(skin: &mut Value) -> Vec<usize> {
    skin["joints"]
        .as_array()
        .into_iter()
        .flatten()
        .map(at)
        .collect()
}

fn retain_children(node: &mut Value, stays: impl Fn(usize) -> bool) {
    if let Some(children) = node.get_mut("children").and_then(Value::as_array_mut) {
        children.retain(|child| stays(at(child)));
        if children.is_empty() {
            remove(node, "children");
        }
    }
}

fn remove(object: &mut Value, member: &str) {
    object.as_object_mut().map(|members| members.remove(member));
}

/// An index; one that no list has if it is missing.
fn at(index: &Value) -> usize {
    let index = index.as_u64().and_then(|index| usize::try_from(index).ok());
    index.unwrap_or(usize::MAX)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[expect(clippy::cast_possible_truncation, reason = "glTF's numbers are in f32")]
fn numbers<const N: usize>(list: &Value) -> Option<[f32; N]> {
    let list: Vec<f32> = list
        .as_array()?
        .iter()
        .filter_map(Value::as_f64)
        .map(|number| number as f32)
        .collect();
    list.try_into().ok()
}
