//! Joints, inverse bind matrices and weights.

use serde_json::json;

use super::super::draft::{
    ABOUT_X, ABOUT_Y, ABOUT_Z, ARM, Draft, Influences, U8, U16, Weights, arm_nodes,
    strip_influences,
};
use super::Case;

const SKINS: &str = "3.7.3 Skins";
const WEIGHTS: &str = "3.7.3.3 Skinned Mesh Attributes";

pub(super) const CASES: &[Case] = &[
    Case::new(
        "skin",
        SKINS,
        [
            "A strip bound to a chain of three joints, with up to two influences per vertex.",
            "Almost every mistake in skinning shows here.",
        ],
        Draft::arm,
    ),
    Case::new(
        "mesh-node-transform-ignored",
        SKINS,
        [
            "The node of a skinned mesh is translated, rotated and scaled. Only the joints move a skinned mesh.",
            "A wrong engine moves the mesh away from its joints.",
        ],
        || {
            let mut nodes = arm_nodes();
            nodes[0]["translation"] = json!([1, 2, 3]);
            nodes[0]["rotation"] = json!(ABOUT_Z);
            nodes[0]["scale"] = json!([2, 2, 2]);
            Draft::arm_of(nodes)
        },
    ),
    Case::new(
        "mesh-node-animated",
        SKINS,
        [
            "A clip moves the node of a skinned mesh, besides its joints. Only the joints move a skinned mesh.",
            "A wrong engine moves the mesh away from its joints.",
        ],
        || {
            let mut draft = Draft::arm();
            draft.translate(0, [0.0; 3], [3.0, 0.0, 0.0]);
            draft
        },
    ),
    Case::new(
        "mesh-below-a-joint",
        SKINS,
        [
            "The node of a skinned mesh is a child of one of its joints.",
            "A wrong engine moves the mesh twice.",
        ],
        || {
            let mut draft = Draft::new(json!([
                { "name": "root", "children": [1, 3] },
                { "name": "middle", "translation": [0, 1, 0], "children": [2] },
                { "name": "tip", "translation": [0, 1, 0] },
                { "name": "body", "mesh": 0, "skin": 0 },
            ]));
            draft.strip(&strip_influences(), U8, Weights::Float);
            draft.skin(&[0, 1, 2], Some(&ARM));
            draft.bend([0, 1]);
            draft
        },
    ),
    Case::new(
        "nodes-above-the-joints",
        SKINS,
        [
            "A node above the joints, itself not a joint, translates, rotates and scales them all.",
            "A wrong engine ignores that node.",
        ],
        || {
            let mut nodes = arm_nodes();
            let above = json!({
                "name": "above", "translation": [0, 0, 2], "rotation": ABOUT_X, "scale": [2, 2, 2], "children": [1],
            });
            nodes.as_array_mut().expect("a list").push(above);
            Draft::arm_of(nodes)
        },
    ),
    Case::new(
        "skeleton-root-elsewhere",
        SKINS,
        [
            "The skin's `skeleton` is a translated node above the joints. It is a hint and moves nothing by itself.",
            "A wrong engine uses its transform as the origin of the skin, or ignores the nodes above it.",
        ],
        || {
            let mut nodes = arm_nodes();
            let list = nodes.as_array_mut().expect("a list");
            list.push(json!({ "name": "pelvis", "translation": [0, 1, 1], "children": [1] }));
            list.push(json!({ "name": "above", "translation": [1, 0, 0], "children": [4] }));
            let mut draft = Draft::arm_of(nodes);
            draft.json["skins"][0]["skeleton"] = json!(4);
            draft
        },
    ),
    Case::new(
        "joints-not-descendants",
        SKINS,
        [
            "The joints are siblings: none is below another. The clip moves two of them.",
            "An engine that treats the list of joints as a chain moves each joint with the ones listed before it.",
        ],
        || {
            let mut draft = Draft::new(json!([
                { "name": "body", "mesh": 0, "skin": 0 },
                { "name": "holder", "children": [2, 3, 4] },
                { "name": "low", "translation": [0, 0, 0] },
                { "name": "middle", "translation": [0, 1, 0] },
                { "name": "high", "translation": [0, 2, 0] },
            ]));
            draft.strip(&strip_influences(), U8, Weights::Float);
            draft.skin(&[2, 3, 4], Some(&ARM));
            draft.rotate(2, ABOUT_Z);
            draft.translate(3, [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]);
            draft
        },
    ),
    Case::new(
        "node-between-joints",
        SKINS,
        [
            "A node between two joints is not a joint of the skin, but rotates all nodes below it.",
            "An engine whose skeleton consists of joints alone loses its transform.",
        ],
        || {
            let mut draft = Draft::new(json!([
                { "name": "body", "mesh": 0, "skin": 0 },
                { "name": "root", "children": [2] },
                { "name": "between", "translation": [0, 1, 0], "children": [3] },
                { "name": "tip", "translation": [0, 1, 0] },
            ]));
            let rows: Vec<Influences> =
                [1.0, 0.8, 0.6, 0.2, 0.0].map(|root| vec![(0, root), (1, 1.0 - root)]).into();
            draft.strip(&rows, U8, Weights::Float);
            draft.skin(&[1, 3], Some(&[ARM[0], ARM[2]]));
            draft.bend([2, 3]);
            draft
        },
    ),
    Case::new(
        "joints-in-another-order",
        SKINS,
        [
            "The skin lists its joints from the tip to the root; vertices and inverse bind matrices use that order.",
            "A wrong engine sorts the joints in node order, or numbers them from 1.",
        ],
        || {
            let mut draft = Draft::new(arm_nodes());
            let mut rows = strip_influences();
            for (joint, _) in rows.iter_mut().flatten() {
                *joint = 2 - *joint;
            }
            draft.strip(&rows, U8, Weights::Float);
            draft.skin(&[3, 2, 1], Some(&[ARM[2], ARM[1], ARM[0]]));
            draft.bend([2, 3]);
            draft
        },
    ),
    Case::new(
        "bind-pose-is-not-the-rest-pose",
        SKINS,
        [
            "The rest pose of the joints differs from the pose in which the mesh is bound.",
            "An engine that computes inverse bind matrices from the rest pose shows the strip unbent at the start.",
        ],
        || {
            let mut nodes = arm_nodes();
            nodes[1]["rotation"] = json!(ABOUT_Z);
            nodes[2]["translation"] = json!([0, 1.5, 0]);
            Draft::arm_of(nodes)
        },
    ),
    Case::new(
        "inverse-bind-absent",
        SKINS,
        [
            "A skin without inverse bind matrices: they are all the identity, so the mesh is in the spaces of its joints.",
            "A wrong engine computes them from the rest pose, or does not skin.",
        ],
        || {
            let mut draft = Draft::new(arm_nodes());
            draft.strip(&strip_influences(), U8, Weights::Float);
            draft.skin(&[1, 2, 3], None);
            draft.bend([2, 3]);
            draft
        },
    ),
    Case::new(
        "skin-shared-by-meshes",
        SKINS,
        [
            "Two meshes on two nodes are bound to the same skin.",
            "A wrong engine skins only one of them.",
        ],
        || {
            let mut nodes = arm_nodes();
            let other = json!({ "name": "coat", "mesh": 1, "skin": 0 });
            nodes.as_array_mut().expect("a list").push(other);
            let mut draft = Draft::arm_of(nodes);
            draft.strip(&strip_influences()[..3], U8, Weights::Float);
            draft
        },
    ),
    Case::new(
        "mesh-with-two-skins",
        SKINS,
        [
            "One mesh on two nodes, each with a skin and joints of its own.",
            "A wrong engine binds both to the joints of one skin.",
        ],
        || {
            let mut nodes = arm_nodes();
            nodes.as_array_mut().expect("a list").extend([
                json!({ "name": "other body", "mesh": 0, "skin": 1 }),
                json!({ "name": "other root", "translation": [2, 0, 0], "children": [6] }),
                json!({ "name": "other middle", "translation": [0, 1, 0], "children": [7] }),
                json!({ "name": "other tip", "translation": [0, 1, 0] }),
            ]);
            let mut draft = Draft::arm_of(nodes);
            draft.skin(&[5, 6, 7], Some(&ARM));
            draft.rotate(6, ABOUT_Y);
            draft
        },
    ),
    Case::new(
        "two-sets-of-joints",
        WEIGHTS,
        [
            "Five to eight influences per vertex, in JOINTS_0 and JOINTS_1; the largest are in the second set.",
            "An engine that reads only the first set drops the largest weights.",
        ],
        || {
            // No two weights of a vertex are equal, so that the largest are never ambiguous.
            let mut list = vec![(0, 0.04), (1, 0.1), (2, 0.06), (3, 0.12)];
            list.extend([(4, 0.19), (5, 0.25), (6, 0.03), (7, 0.21)]);
            let five = vec![(0, 0.08), (2, 0.12), (4, 0.1), (6, 0.2), (7, 0.5)];
            crowd(&[list, five])
        },
    ),
    Case::new(
        "five-influences",
        WEIGHTS,
        [
            "Five influences per vertex, of which the fifth is the smallest.",
            "An engine with four influences per vertex drops a twentieth of the weight.",
        ],
        || {
            let first = vec![(0, 0.4), (1, 0.25), (2, 0.2), (3, 0.1), (4, 0.05)];
            let second = vec![(7, 0.4), (6, 0.25), (5, 0.2), (4, 0.1), (3, 0.05)];
            crowd(&[first, second])
        },
    ),
    Case::new(
        "unused-joints",
        WEIGHTS,
        [
            "The skin lists joints that no vertex uses, some of them between joints that are used.",
            "A wrong engine drops them and renumbers the others.",
        ],
        || crowd(&[vec![(2, 1.0)], vec![(2, 0.4), (6, 0.6)]]),
    ),
    Case::new(
        "joint-repeated",
        WEIGHTS,
        [
            "A vertex names a joint twice; its weights are added. glTF forbids this, but files have it.",
            "A wrong engine uses one of the two weights.",
        ],
        || crowd(&[vec![(1, 0.4), (1, 0.2), (4, 0.4)], vec![(5, 0.6), (3, 0.2), (5, 0.2)]]),
    )
    .informational(),
    Case::new(
        "weights-do-not-sum-to-one",
        WEIGHTS,
        [
            "Weights that sum to 0.5 and 2. glTF forbids this, but such files exist; the expected positions are divided by the sum.",
            "An engine that uses weights as they are pulls vertices towards the origin, or away from it.",
        ],
        || crowd(&[vec![(1, 0.25), (2, 0.25)], vec![(4, 1.5), (5, 0.5)]]),
    )
    .informational(),
    Case::new(
        "weights-in-bytes",
        WEIGHTS,
        [
            "Weights in normalized bytes: each is the integer divided by 255.",
            "An engine that does not support bytes does not skin the mesh, or misreads it.",
        ],
        || stored(U16, Weights::Bytes),
    ),
    Case::new(
        "weights-in-shorts",
        WEIGHTS,
        [
            "Weights in normalized shorts: each is the integer divided by 65535.",
            "A wrong engine reads them as bytes, or does not divide.",
        ],
        || stored(U8, Weights::Shorts),
    ),
    Case::new(
        "joints-in-shorts",
        WEIGHTS,
        [
            "Joints in unsigned shorts.",
            "A wrong engine reads them as bytes, so that vertices follow the wrong joints.",
        ],
        || stored(U16, Weights::Float),
    ),
    Case::new(
        "scaled-joint",
        SKINS,
        [
            "A joint is scaled along its axis while it rotates, and so are the vertices that follow it.",
            "An engine whose joints have only a rotation and a translation ignores the scale.",
        ],
        || {
            let mut draft = Draft::arm();
            let (times, scales) = ([0.0, 1.0], [1.0, 1.0, 1.0, 1.0, 2.0, 0.5]);
            draft.track(2, "scale", "LINEAR", &times, &scales);
            draft
        },
    ),
    Case::new(
        "mirrored-joint",
        SKINS,
        [
            "A joint has a negative scale, in its rest pose and in its inverse bind matrix.",
            "An engine that drops signs folds the strip.",
        ],
        || {
            let mut nodes = arm_nodes();
            nodes[2]["scale"] = json!([-1, 1, 1]);
            let mut draft = Draft::new(nodes);
            draft.strip(&strip_influences(), U8, Weights::Float);
            let bind = |mirror: f32, y: f32| {
                [mirror, 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., y, 0., 1.]
            };
            let binds = [bind(1.0, 0.0), bind(-1.0, -1.0), bind(-1.0, -2.0)];
            let binds = draft.floats("MAT4", binds.as_flattened());
            draft.push("skins", json!({ "joints": [1, 2, 3], "inverseBindMatrices": binds }));
            draft.bend([2, 3]);
            draft
        },
    ),
];

impl Case {
    const fn informational(mut self) -> Self {
        self.is_informational = true;
        self
    }
}

/// The arm with joints and weights that are stored in another way.
fn stored(joints: u32, weights: Weights) -> Draft {
    let mut draft = Draft::new(arm_nodes());
    draft.strip(&strip_influences(), joints, weights);
    draft.skin(&[1, 2, 3], Some(&ARM));
    draft.bend([2, 3]);
    draft
}

/// A strip of two rows with eight joints around it, each of which moves in another way.
fn crowd(rows: &[Influences; 2]) -> Draft {
    let joints: Vec<usize> = (2..10).collect();
    let mut nodes = vec![
        json!({ "name": "body", "mesh": 0, "skin": 0 }),
        json!({ "name": "holder", "children": joints }),
    ];
    let places: [[f32; 3]; 8] = [
        [-1.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, -1.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, -1.0],
        [0.0, 0.0, 1.0],
        [1.0, 1.0, 0.0],
        [0.0, 1.0, 1.0],
    ];
    for (index, place) in places.iter().enumerate() {
        nodes.push(json!({ "name": format!("joint {index}"), "translation": place }));
    }
    let mut draft = Draft::new(json!(nodes));
    draft.strip(rows, U8, Weights::Float);
    draft.skin(&joints, Some(&places));
    let rotations = [ABOUT_X, ABOUT_Y, ABOUT_Z];
    for (node, rotation) in joints.into_iter().zip(rotations.into_iter().cycle()) {
        draft.rotate(node, rotation);
    }
    draft.translate(6, places[4], [2.0, 0.0, -1.0]);
    draft.translate(7, places[5], [0.0, 2.0, 1.0]);
    draft
}
