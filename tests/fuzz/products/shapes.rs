//! Products of geometry: vertices, instances, primitives, triangles on each pixel, morph targets.

use serde_json::{Value, json};

use super::counts;
use super::document::{Document, small};
use crate::random::Random;

const JOINTS: usize = 4;

/// Nodes × vertices.
pub(super) fn instances(random: &mut Random) -> Vec<u8> {
    let [nodes, vertices] = counts(random, [16, 14]);
    let is_skinned = random.once_in(2);
    let mut document = Document::default();
    let skin = document.chain(JOINTS);
    let strip = document.strip(vertices, JOINTS);
    document.add("meshes", json!({"primitives": [strip]}));
    for _ in 0..nodes {
        let mut node = json!({"mesh": 0});
        if is_skinned {
            node["skin"] = json!(skin);
        }
        document.add("nodes", node);
    }
    document.rotate(1);
    document.glb()
}

/// Primitives × vertices, with the same accessors.
pub(super) fn primitives(random: &mut Random) -> Vec<u8> {
    let [primitives, vertices] = counts(random, [15, 16]);
    let mut document = Document::default();
    let strip = document.strip(vertices, JOINTS);
    skinned(document, vec![strip; primitives], json!({}))
}

/// A skinned mesh of `primitives`, with more properties.
fn skinned(mut document: Document, primitives: Vec<Value>, more: Value) -> Vec<u8> {
    let skin = document.chain(JOINTS);
    let mut mesh = more;
    mesh["primitives"] = primitives.into();
    document.add("meshes", mesh);
    document.add("nodes", json!({"mesh": 0, "skin": skin}));
    document.rotate(1);
    document.glb()
}

/// Nodes × instances of `EXT_mesh_gpu_instancing` × vertices.
pub(super) fn gpu_instances(random: &mut Random) -> Vec<u8> {
    let [nodes, instances, vertices] = counts(random, [10, 32, 14]);
    let mut document = Document::default();
    let strip = document.strip(vertices, JOINTS);
    document.add("meshes", json!({"primitives": [strip]}));
    let places = document.add("accessors", zeros_of(instances, "VEC3"));
    document.use_extension("EXT_mesh_gpu_instancing");
    let extension = json!({"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": places}}});
    for _ in 0..nodes {
        document.add("nodes", json!({"mesh": 0, "extensions": extension}));
    }
    document.glb()
}

/// An accessor that no byte of the file stands for.
fn zeros_of(count: usize, kind: &str) -> Value {
    let width = if kind == "VEC4" { 4 } else { 3 };
    json!({"componentType": 5126, "count": count, "type": kind,
        "min": vec![0; width], "max": vec![0; width]})
}

/// Vertices that are all zeros, since the file stores no bytes for them; sometimes it stores the first.
pub(super) fn zeros(random: &mut Random) -> Vec<u8> {
    let [vertices] = counts(random, [33]);
    let mut document = Document::default();
    let (index, corner) = (document.view(&[0; 4]), document.view(&[63; 12]));
    let mut positions = zeros_of(vertices, "VEC3");
    if random.once_in(2) {
        positions["sparse"] = json!({"count": 1, "values": {"bufferView": corner},
            "indices": {"bufferView": index, "componentType": 5125}});
    }
    let attributes = json!({
        "POSITION": document.add("accessors", positions),
        "WEIGHTS_0": document.add("accessors", zeros_of(vertices, "VEC4")),
        "JOINTS_0": document.add("accessors",
            json!({"componentType": 5123, "count": vertices, "type": "VEC4"})),
    });
    skinned(document, vec![json!({"attributes": attributes})], json!({}))
}

/// Primitives × triangles that fill the image, each in front of the one before, or at the same depth.
pub(super) fn overdraw(random: &mut Random) -> Vec<u8> {
    let [primitives, triangles] = counts(random, [6, 15]);
    let is_translucent = random.once_in(2);
    let step = if random.once_in(2) { 0.0 } else { 0.5 };
    let mut document = Document::default();
    let corners = (0..triangles).flat_map(|index| {
        let depth = step * small(index) / small(triangles);
        [[-1.0, -1.0, depth], [3.0, -1.0, depth], [-1.0, 3.0, depth]]
    });
    let corners: Vec<f32> = corners.flatten().collect();
    let positions = document.floats("VEC3", &corners);
    let mode = if is_translucent { "BLEND" } else { "OPAQUE" };
    document.add(
        "materials",
        json!({"alphaMode": mode,
        "pbrMetallicRoughness": {"baseColorFactor": [1.0, 0.5, 0.2, 0.5]}}),
    );
    let primitive = json!({"attributes": {"POSITION": positions}, "material": 0});
    document.add("meshes", json!({"primitives": vec![primitive; primitives]}));
    document.add("nodes", json!({"mesh": 0}));
    document.glb()
}

/// Primitives × morph targets × vertices, with the same accessors.
pub(super) fn morph_targets(random: &mut Random) -> Vec<u8> {
    let [primitives, targets, vertices] = counts(random, [5, 15, 13]);
    let mut document = Document::default();
    let mut strip = document.strip(vertices, JOINTS);
    let offsets = document.floats("VEC3", &vec![0.01; 3 * vertices]);
    strip["targets"] = vec![json!({"POSITION": offsets}); targets].into();
    let weights = json!({"weights": vec![0.5; targets]});
    skinned(document, vec![strip; primitives], weights)
}
