//! Normals, where they differ from what the matrix of positions makes of them.

use serde_json::json;

use super::super::draft::{ABOUT_X, ABOUT_Z, ARM, Draft, U8, Weights, arm_nodes};
use super::Case;

const TRANSFORMS: &str = "3.5.3 Transformations";
const TARGETS: &str = "3.7.2.2 Morph Targets";
const SKINS: &str = "3.7.3 Skins";

/// Normals that lean away from the triangle's own.
const LEANING: [[f32; 3]; 3] = [[0.6, 0.0, 0.8], [0.0, 0.6, 0.8], [-0.48, 0.6, 0.64]];

pub(super) const CASES: &[Case] = &[
    Case::new(
        "normals-below-non-uniform-scale",
        TRANSFORMS,
        [
            "A node is scaled along one axis while it rotates: normals are transformed by the inverse transpose of its matrix.",
            "An engine that transforms normals like positions leans them towards the stretched axis, where they should lean away.",
        ],
        || {
            let mut draft = leaning(json!([{ "name": "mover", "mesh": 0 }]));
            draft.rotate(0, ABOUT_Z);
            draft.track(
                0,
                "scale",
                "LINEAR",
                &[0.0, 1.0],
                &[1., 1., 1., 1., 3., 0.5],
            );
            draft
        },
    ),
    Case::new(
        "normals-in-a-sheared-hierarchy",
        TRANSFORMS,
        [
            "A node rotates below one that is scaled along X, so that its global transform is sheared.",
            "An engine that divides normals by the scale of the node, without its parents', is off.",
        ],
        || {
            let mut draft = leaning(json!([
                { "name": "top", "scale": [2, 1, 1], "children": [1] },
                { "name": "mover", "mesh": 0 },
            ]));
            draft.rotate(1, ABOUT_Z);
            draft
        },
    ),
    Case::new(
        "normals-mirrored",
        TRANSFORMS,
        [
            "A node with a negative scale along X mirrors normals too, and they still point outwards.",
            "An engine that multiplies by the cofactors turns the mesh inside out.",
        ],
        || {
            let node = json!({ "name": "mover", "mesh": 0, "scale": [-1, 1, 1] });
            let mut draft = leaning(json!([node]));
            draft.rotate(0, ABOUT_X);
            draft
        },
    ),
    Case::new(
        "normals-morphed",
        TARGETS,
        [
            "A morph target moves normals: its offset times its weight is added, and the sum is normalized.",
            "A wrong engine keeps the normals of the mesh, or the length of the sum.",
        ],
        || {
            let mut draft = leaning(json!([{ "name": "mover", "mesh": 0 }]));
            let mut target = draft.target(&[[0.0, 0.0, 1.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]);
            let offsets: [[f32; 3]; 3] = [[-0.6, 0.6, 0.0], [0.0, -0.6, -0.8], [0.0, 0.0, 0.0]];
            target["NORMAL"] = json!(draft.floats("VEC3", offsets.as_flattened()));
            draft.json["meshes"][0]["primitives"][0]["targets"] = json!([target]);
            draft.track(0, "weights", "LINEAR", &[0.0, 1.0], &[0.0, 0.75]);
            draft
        },
    ),
    Case::new(
        "normals-of-a-scaled-joint",
        SKINS,
        [
            "Each vertex follows one joint, which is scaled along its axis while it rotates.",
            "An engine that transforms normals by the skinning matrix, and not by its inverse transpose, is off.",
        ],
        || {
            let mut draft = Draft::new(arm_nodes());
            let rows: Vec<Vec<(u8, f32)>> = [0, 1, 2].map(|joint| vec![(joint, 1.0)]).to_vec();
            draft.strip(&rows, U8, Weights::Float);
            let normals: Vec<[f32; 3]> =
                LEANING.into_iter().flat_map(|normal| [normal; 2]).collect();
            draft.set_normals(&normals);
            draft.skin(&[1, 2, 3], Some(&ARM));
            draft.bend([2, 3]);
            let (times, scales) = ([0.0, 1.0], [1.0, 1.0, 1.0, 1.0, 2.0, 0.5]);
            draft.track(2, "scale", "LINEAR", &times, &scales);
            draft
        },
    ),
];

/// A triangle whose normals lean.
fn leaning(nodes: serde_json::Value) -> Draft {
    let mut draft = Draft::new(nodes);
    draft.triangle();
    draft.set_normals(&LEANING);
    draft
}
