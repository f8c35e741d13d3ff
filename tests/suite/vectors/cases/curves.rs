//! Interpolation, and the times before, after and between keys.

use serde_json::json;

use super::super::draft::{ABOUT_X, ABOUT_Y, ABOUT_Z, Draft, I8, I16, STILL};
use super::Case;

const CURVES: &str = "Appendix C: Animation Sampler Interpolation Modes";
const ANIMATIONS: &str = "3.11 Animations";

/// A rotation by 147.5° about Z.
const FAR: [f32; 4] = [0.0, 0.0, 0.96, 0.28];

pub(super) const CASES: &[Case] = &[
    Case::new(
        "step",
        CURVES,
        [
            "A STEP track holds each value until the next key.",
            "A wrong engine moves the triangle between the keys.",
        ],
        || {
            let values = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 2.0, 0.0]];
            vector("translation", "STEP", &[0.0, 0.5, 1.5], &values)
                .at(&[0.0, 0.25, 0.5, 1.0, 1.5, 2.0])
        },
    ),
    Case::new(
        "step-rotation",
        CURVES,
        [
            "A STEP track of rotations holds each value until the next key.",
            "A wrong engine rotates the triangle between the keys.",
        ],
        || rotation("STEP", &[0.0, 0.5, 1.0], &[STILL, ABOUT_Z, ABOUT_X]),
    ),
    Case::new(
        "linear",
        CURVES,
        [
            "A LINEAR track moves at constant speed between keys that are unevenly spaced.",
            "A wrong engine eases in and out, or divides the time by the wrong span.",
        ],
        || {
            let values = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 3.0, 1.0]];
            vector("translation", "LINEAR", &[0.0, 0.5, 2.0], &values)
                .at(&[0.125, 0.25, 0.5, 0.75, 1.75])
        },
    ),
    Case::new(
        "linear-scale",
        CURVES,
        [
            "A LINEAR track of scales, different along each axis.",
            "A wrong engine ignores the track, or scales uniformly.",
        ],
        || {
            vector(
                "scale",
                "LINEAR",
                &[0.0, 1.0],
                &[[1.0, 1.0, 1.0], [2.0, 0.5, 3.0]],
            )
        },
    ),
    Case::new(
        "cubic",
        CURVES,
        [
            "A CUBICSPLINE track: in-tangent, value and out-tangent of each key.",
            "A wrong engine exchanges the tangents, or has an error in the basis functions.",
        ],
        || {
            let values = [
                [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [4.0, 0.0, 0.0]],
                [[0.0, 2.0, 0.0], [1.0, 1.0, 0.0], [0.0, -2.0, 1.0]],
                [[3.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
            ];
            vector(
                "translation",
                "CUBICSPLINE",
                &[0.0, 1.0, 2.0],
                values.as_flattened(),
            )
            .at(&[0.0, 0.25, 0.75, 1.0, 1.5, 2.0])
        },
    ),
    Case::new(
        "cubic-tangents-scaled-by-time",
        CURVES,
        [
            "The tangents of a CUBICSPLINE track are per second: they are multiplied by the time between the keys.",
            "A wrong engine overshoots in the span of half a second, and undershoots in that of two seconds.",
        ],
        || {
            let values = [
                [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [4.0, 0.0, 0.0]],
                [[2.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]],
                [[0.0, -1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]],
            ];
            vector(
                "translation",
                "CUBICSPLINE",
                &[0.0, 0.5, 2.5],
                values.as_flattened(),
            )
            .at(&[0.125, 0.25, 0.5, 1.0, 1.5, 2.0])
        },
    ),
    Case::new(
        "cubic-rotation",
        CURVES,
        [
            "A CUBICSPLINE track of rotations: the components follow splines, and the quaternion is normalized after that.",
            "A wrong engine exchanges the tangents, scales the triangle, or uses slerp.",
        ],
        || {
            let none = [0.0; 4];
            let values = [
                none,
                STILL,
                [0.5, 0.0, 1.0, 0.0],
                [0.0, -0.5, -1.0, 0.25],
                FAR,
                none,
            ];
            rotation("CUBICSPLINE", &[0.0, 1.0], &values)
        },
    ),
    Case::new(
        "slerp",
        CURVES,
        [
            "A LINEAR track of rotations is spherical: the angle grows in proportion to time.",
            "An engine with a normalized lerp is up to 3° off before and after the middle.",
        ],
        || rotation("LINEAR", &[0.0, 1.0], &[STILL, FAR]),
    ),
    Case::new(
        "slerp-shortest-path",
        CURVES,
        [
            "Slerp takes the shorter arc: if the dot product of two keys is negative, one of them is negated.",
            "A wrong engine rotates by 286° the other way instead of by 74°.",
        ],
        || rotation("LINEAR", &[0.0, 1.0], &[STILL, negated(ABOUT_Z)]),
    ),
    Case::new(
        "quaternion-sign",
        CURVES,
        [
            "A quaternion and its negative are the same rotation: between two such keys nothing moves.",
            "A wrong engine blends through zero, so the triangle vanishes or makes a full turn.",
        ],
        || {
            let values = [ABOUT_Z, negated(ABOUT_Z), negated(ABOUT_X), ABOUT_X];
            rotation("LINEAR", &[0.0, 0.5, 1.0, 1.5], &values).at(&[0.125, 0.25, 0.75, 1.25, 1.5])
        },
    ),
    Case::new(
        "equal-keys",
        CURVES,
        [
            "Two equal keys of a rotation: slerp divides by the sine of an angle, which is 0 here.",
            "A wrong engine has NaN between the keys, so the triangle disappears.",
        ],
        || rotation("LINEAR", &[0.0, 0.5, 1.0], &[ABOUT_Y, ABOUT_Y, STILL]),
    ),
    Case::new(
        "clip-starts-late",
        ANIMATIONS,
        [
            "The first key is at 1 s. Before it, the value of the first key holds.",
            "A wrong engine starts the clip at its first key, moves backwards before it, or shows the rest pose.",
        ],
        || {
            vector(
                "translation",
                "LINEAR",
                &[1.0, 2.0],
                &[[1.0, 0.0, 0.0], [1.0, 2.0, 0.0]],
            )
            .at(&[0.0, 0.5, 1.0, 1.25, 2.0])
        },
    ),
    Case::new(
        "after-the-last-key",
        ANIMATIONS,
        [
            "After the last key, its value holds.",
            "A wrong engine extrapolates, or starts again.",
        ],
        || {
            vector(
                "translation",
                "LINEAR",
                &[0.0, 1.0],
                &[[0.0, 0.0, 0.0], [0.0, 2.0, 0.0]],
            )
            .at(&[0.5, 1.0, 1.25, 1.5, 2.25])
        },
    ),
    Case::new(
        "tracks-of-different-lengths",
        ANIMATIONS,
        [
            "Tracks of one clip that end at 0.5 s and at 2 s: the shorter one holds its last value.",
            "A wrong engine repeats the shorter track, or stretches it to the length of the clip.",
        ],
        || {
            let mut draft = pair();
            draft.track(
                0,
                "translation",
                "LINEAR",
                &[0.0, 0.5],
                &[0., 0., 0., 1., 0., 0.],
            );
            draft.track(
                1,
                "rotation",
                "LINEAR",
                &[0.0, 2.0],
                &[STILL, ABOUT_Z].concat(),
            );
            draft.at(&[0.25, 0.5, 0.625, 1.25, 2.0])
        },
    ),
    Case::new(
        "single-key",
        ANIMATIONS,
        [
            "A track with a single key holds its value at all times.",
            "A wrong engine ignores the track, or fails because there is no span.",
        ],
        || vector("translation", "LINEAR", &[0.5], &[[0.0, 3.0, 0.0]]),
    ),
    Case::new(
        "rest-of-undriven-parts",
        ANIMATIONS,
        [
            "Only the rotation of a node is animated: it keeps its translation and scale.",
            "A wrong engine replaces the whole transform, so the triangle jumps to the origin.",
        ],
        || {
            let node =
                json!({ "name": "mover", "mesh": 0, "translation": [1, 2, 0], "scale": [1, 2, 1] });
            let mut draft = Draft::new(json!([node]));
            draft.triangle();
            draft.rotate(0, ABOUT_Z);
            draft
        },
    ),
    Case::new(
        "shared-sampler",
        ANIMATIONS,
        [
            "One sampler drives the translations of two nodes.",
            "A wrong engine moves only one of them.",
        ],
        || {
            let mut draft = pair();
            let times = [0.0, 1.0];
            let sampler = draft.track(
                0,
                "translation",
                "LINEAR",
                &times,
                &[0., 0., 0., 1., 0., 1.],
            );
            draft.channel(sampler, 1, "translation");
            draft
        },
    ),
    Case::new(
        "rotation-in-shorts",
        "3.11 Animations, normalized integers",
        [
            "Rotations in normalized shorts: each component is the integer divided by 32767.",
            "A wrong engine reads them as unsigned, or does not read them.",
        ],
        || {
            // The numbers of each key are 32767 times a unit quaternion of sevenths.
            let keys: [[i16; 4]; 2] = [[0, 9362, -14043, 28086], [-9362, 14043, 0, 28086]];
            let bytes: Vec<u8> = keys
                .iter()
                .flatten()
                .flat_map(|n| n.to_le_bytes())
                .collect();
            integer_rotation(I16, &bytes)
        },
    ),
    Case::new(
        "rotation-in-bytes",
        "3.11 Animations, normalized integers",
        [
            "Rotations in normalized bytes: each component is the integer divided by 127.",
            "A wrong engine reads them as unsigned, or does not read them.",
        ],
        || {
            // 20² + 20² + 73² + 100² = 127².
            let keys: [[i8; 4]; 2] = [[20, -20, 73, 100], [-73, 20, -20, 100]];
            let bytes: Vec<u8> = keys
                .iter()
                .flatten()
                .flat_map(|n| n.to_le_bytes())
                .collect();
            integer_rotation(I8, &bytes)
        },
    ),
];

fn vector(path: &str, interpolation: &str, times: &[f32], values: &[[f32; 3]]) -> Draft {
    let mut draft = Draft::mover();
    draft.track(0, path, interpolation, times, values.as_flattened());
    draft
}

fn rotation(interpolation: &str, times: &[f32], values: &[[f32; 4]]) -> Draft {
    let mut draft = Draft::mover();
    draft.track(0, "rotation", interpolation, times, values.as_flattened());
    draft
}

/// Between two keys, at 0 s and 1 s.
fn integer_rotation(component: u32, bytes: &[u8]) -> Draft {
    let mut draft = Draft::mover();
    let output = draft.accessor(component, "VEC4", bytes);
    draft.json["accessors"][output]["normalized"] = json!(true);
    draft.track_of(0, "rotation", "LINEAR", &[0.0, 1.0], output);
    draft
}

/// Two nodes that show one triangle.
fn pair() -> Draft {
    let mut draft = Draft::new(json!([
        { "name": "first", "mesh": 0 },
        { "name": "second", "mesh": 0 },
    ]));
    draft.triangle();
    draft
}

fn negated(quaternion: [f32; 4]) -> [f32; 4] {
    quaternion.map(|part| 0.0 - part)
}
