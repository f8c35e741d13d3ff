//! Transforms of nodes and of their parents.

use serde_json::{Value, json};

use super::super::draft::{ABOUT_X, ABOUT_Y, ABOUT_Z, Draft};
use super::Case;

const TRANSFORMS: &str = "3.5.3 Transformations";

pub(super) const CASES: &[Case] = &[
    Case::new(
        "chain",
        "3.5.2 Node Hierarchy",
        [
            "Rotations of a grandparent and a parent move a mesh below them.",
            "A wrong engine leaves the mesh where its own node is.",
        ],
        || {
            let mut draft = below(
                json!({ "name": "top" }),
                json!({ "translation": [0, 1, 0] }),
            );
            draft.bend([0, 1]);
            draft
        },
    ),
    Case::new(
        "children-before-parents",
        "3.5.2 Node Hierarchy",
        [
            "The nodes are listed from the leaf to the root; their order means nothing.",
            "An engine that computes global transforms in the order of the file uses those of parents before they are known.",
        ],
        || {
            let mut draft = Draft::new(json!([
                { "name": "leaf", "mesh": 0, "translation": [1, 0, 0] },
                { "name": "inner", "translation": [0, 1, 0], "children": [0] },
                { "name": "top", "children": [1] },
            ]));
            draft.triangle();
            draft.bend([1, 2]);
            draft
        },
    ),
    Case::new(
        "translation-rotation-scale-order",
        TRANSFORMS,
        [
            "A node is scaled, then rotated, then translated: T * R * S.",
            "A wrong engine stretches the triangle along other axes.",
        ],
        || {
            let node = json!({ "translation": [1, 0, 0], "rotation": ABOUT_Z, "scale": [1, 3, 1] });
            let mut draft = below(json!({ "name": "top" }), node);
            draft.rotate(0, ABOUT_X);
            draft
        },
    ),
    Case::new(
        "non-uniform-scale-in-hierarchy",
        TRANSFORMS,
        [
            "A node rotates below one that is scaled along X: its global transform is sheared.",
            "An engine that stores global transforms as translation, rotation and scale loses the shear.",
        ],
        || {
            let top = json!({ "name": "top", "scale": [2, 1, 1] });
            let mut draft = below(top, json!({ "translation": [0, 1, 0] }));
            draft.rotate(1, ABOUT_Z);
            draft
        },
    ),
    Case::new(
        "negative-scale",
        TRANSFORMS,
        [
            "A node with a negative scale along X mirrors everything below it.",
            "A wrong engine does not mirror.",
        ],
        || {
            let mut draft = below(
                json!({ "name": "top", "scale": [-1, 1, 1] }),
                json!({ "translation": [1, 1, 0] }),
            );
            draft.rotate(1, ABOUT_Y);
            draft
        },
    ),
    Case::new(
        "matrix",
        TRANSFORMS,
        [
            "A node whose transform is a matrix, column by column, below one that rotates.",
            "A wrong engine ignores the matrix, or reads it row by row.",
        ],
        || {
            // Rotated by 90° about Z, and translated.
            let matrix = json!([0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 1, 2, 3, 1]);
            let mut draft = below(json!({ "name": "top" }), json!({ "matrix": matrix }));
            draft.rotate(0, ABOUT_X);
            draft
        },
    ),
    Case::new(
        "scaled-matrix",
        TRANSFORMS,
        [
            "A matrix with a rotation and different scales, one of them negative.",
            "An engine that decomposes matrices may lose the mirroring or swap the scales.",
        ],
        || {
            let matrix = json!([0, -2, 0, 0, 3, 0, 0, 0, 0, 0, -1, 0, 0.5, 0, 0, 1]);
            let mut draft = below(json!({ "name": "top" }), json!({ "matrix": matrix }));
            draft.rotate(0, ABOUT_Y);
            draft
        },
    ),
    Case::new(
        "rigid-mesh-on-a-joint",
        "3.7.3.1 Skins, Overview",
        [
            "A mesh without a skin is attached to a joint, next to a mesh that the joint deforms.",
            "A wrong engine leaves the attached mesh in place.",
        ],
        || {
            let mut nodes = super::super::draft::arm_nodes();
            nodes[3]["children"] = json!([4]);
            push(
                &mut nodes,
                json!({ "name": "prop", "mesh": 1, "translation": [0, 0.5, 0] }),
            );
            let mut draft = Draft::arm_of(nodes);
            draft.triangle();
            draft
        },
    ),
];

/// A triangle on a node with some transform, below another node.
fn below(mut top: Value, mut node: Value) -> Draft {
    top["children"] = json!([1]);
    node["name"] = json!("mover");
    node["mesh"] = json!(0);
    let mut draft = Draft::new(Value::Array(vec![top, node]));
    draft.triangle();
    draft
}

fn push(nodes: &mut Value, node: Value) {
    nodes.as_array_mut().expect("nodes are a list").push(node);
}
