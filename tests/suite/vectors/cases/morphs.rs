//! Morph targets and their weights.

use serde_json::json;

use super::super::draft::{Draft, TRIANGLE, U8, Weights, arm_nodes, strip_influences};
use super::Case;

const TARGETS: &str = "3.7.2.2 Morph Targets";
const WEIGHTS: &str = "3.11 Animations, morph target weights";

/// Offsets of the triangle's corners.
const UP: [[f32; 3]; 3] = [[0.0, 1.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.0]];
const OUT: [[f32; 3]; 3] = [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 2.0]];

pub(super) const CASES: &[Case] = &[
    Case::new(
        "morph",
        TARGETS,
        [
            "Two morph targets with the mesh's weights: each offset times its weight is added to the vertex.",
            "A wrong engine ignores the targets or the weights of the mesh.",
        ],
        || {
            let mut draft = morphed();
            draft.json["meshes"][0]["weights"] = json!([0.5, 0.25]);
            draft.translate(0, [0.0; 3], [0.0, 0.0, 1.0]);
            draft
        },
    ),
    Case::new(
        "morph-weights-of-the-node",
        TARGETS,
        [
            "The node has weights, which replace those of its mesh.",
            "A wrong engine uses those of the mesh.",
        ],
        || {
            let mut draft = morphed();
            draft.json["meshes"][0]["weights"] = json!([1, 0]);
            draft.json["nodes"][0]["weights"] = json!([0.25, 0.75]);
            draft.translate(0, [0.0; 3], [0.0, 0.0, 1.0]);
            draft
        },
    ),
    Case::new(
        "morph-mesh-on-two-nodes",
        TARGETS,
        [
            "Two nodes show one mesh with different weights.",
            "An engine that keeps weights in the mesh shows both alike.",
        ],
        || {
            let mut draft = Draft::new(json!([
                { "name": "left", "mesh": 0, "weights": [1, 0] },
                { "name": "right", "mesh": 0, "weights": [0, 1] },
            ]));
            add_morphed(&mut draft);
            draft.track(1, "weights", "LINEAR", &[0.0, 1.0], &[0.0, 1.0, 0.5, 0.5]);
            draft
        },
    ),
    Case::new(
        "morph-animated",
        WEIGHTS,
        [
            "A clip drives the weights of two targets. The numbers go key by key, and in each key target by target.",
            "A wrong engine reads all keys of the first target first, or does not play the track.",
        ],
        || driven("LINEAR", &[0.0, 0.5, 1.0], &[0.0, 1.0, 0.5, 0.0, 1.0, 0.25]),
    ),
    Case::new(
        "morph-animated-step",
        WEIGHTS,
        [
            "A STEP track of morph weights holds each key until the next one.",
            "A wrong engine blends between the keys.",
        ],
        || driven("STEP", &[0.0, 0.5, 1.0], &[0.0, 1.0, 0.5, 0.0, 1.0, 0.25]),
    ),
    Case::new(
        "morph-animated-cubic",
        WEIGHTS,
        [
            "A CUBICSPLINE track of morph weights: for each key the in-tangents of all targets, then their values, then their \
             out-tangents.",
            "A wrong engine reads the three numbers of each target in a row, or ignores the tangents.",
        ],
        || {
            let first = [[0.0, 0.0], [0.0, 1.0], [2.0, -1.0]];
            let second = [[-1.0, 0.5], [1.0, 0.25], [0.0, 0.0]];
            let values = [first, second].concat();
            driven("CUBICSPLINE", &[0.0, 1.0], values.as_flattened())
        },
    ),
    Case::new(
        "morph-weights-beyond-one",
        WEIGHTS,
        [
            "Weights below 0 and above 1 are valid.",
            "A wrong engine clamps them.",
        ],
        || driven("LINEAR", &[0.0, 1.0], &[-1.0, 0.5, 0.5, 2.0]),
    ),
    Case::new(
        "morph-weights-in-bytes",
        WEIGHTS,
        [
            "Animated morph weights in normalized bytes: each is the integer divided by 255.",
            "A wrong engine does not divide.",
        ],
        || {
            let mut draft = morphed();
            let output = draft.accessor(U8, "SCALAR", &[0, 255, 51, 0, 255, 102]);
            draft.json["accessors"][output]["normalized"] = json!(true);
            draft.track_of(0, "weights", "LINEAR", &[0.0, 0.5, 1.0], output);
            draft
        },
    ),
    Case::new(
        "morph-before-skin",
        TARGETS,
        [
            "A skinned mesh with a morph target: its offset is added before the joints move the vertex.",
            "A wrong engine adds it in world space, or skins the mesh without it.",
        ],
        || {
            let mut draft = Draft::new(arm_nodes());
            let rows = strip_influences();
            let mut primitive = draft.strip_primitive(&rows, U8, Weights::Float);
            let target = draft.target(&vec![[0.5, 0.0, 0.25]; 2 * rows.len()]);
            primitive["targets"] = json!([target]);
            draft.mesh(primitive);
            draft.skin(&[1, 2, 3], Some(&super::super::draft::ARM));
            draft.bend([2, 3]);
            draft.track(0, "weights", "LINEAR", &[0.0, 1.0], &[0.25, 1.0]);
            draft
        },
    ),
];

/// A triangle with two targets, on the node `mover`.
fn morphed() -> Draft {
    let mut draft = Draft::new(json!([{ "name": "mover", "mesh": 0 }]));
    add_morphed(&mut draft);
    draft
}

fn add_morphed(draft: &mut Draft) {
    let mut primitive = draft.primitive(&TRIANGLE, &[0, 1, 2]);
    primitive["targets"] = json!([draft.target(&UP), draft.target(&OUT)]);
    draft.mesh(primitive);
}

fn driven(interpolation: &str, times: &[f32], values: &[f32]) -> Draft {
    let mut draft = morphed();
    draft.track(0, "weights", interpolation, times, values);
    draft
}
