//! Figures that face somewhere, and things that do not.

use glam::{Quat, Vec3};

use super::*;
use crate::rig::{AssetBuilder, Mesh, NodeId, Trs};

/// A joint, its parent, and its place in a figure that faces +Z with +Y up.
type Joint = (&'static str, &'static str, [f32; 3]);

const LEGS: [Joint; 7] = [
    ("Hips", "", [0.0, 1.0, 0.0]),
    ("LeftUpLeg", "Hips", [0.1, 0.95, 0.0]),
    ("LeftLeg", "LeftUpLeg", [0.1, 0.5, 0.04]),
    ("LeftFoot", "LeftLeg", [0.1, 0.1, 0.0]),
    ("RightUpLeg", "Hips", [-0.1, 0.95, 0.0]),
    ("RightLeg", "RightUpLeg", [-0.1, 0.5, 0.04]),
    ("RightFoot", "RightLeg", [-0.1, 0.1, 0.0]),
];
const TOES: [Joint; 2] = [
    ("LeftToeBase", "LeftFoot", [0.13, 0.02, 0.15]),
    ("RightToeBase", "RightFoot", [-0.13, 0.02, 0.15]),
];
const FACE: [Joint; 3] = [
    ("Head", "", [0.0, 1.6, 0.0]),
    ("eye_l", "Head", [0.03, 1.7, 0.1]),
    ("eye_r", "Head", [-0.03, 1.7, 0.1]),
];

/// A figure of `joints`, rotated about the up axis by `degrees` to the left.
fn figure(joints: &[Joint], degrees: f32) -> Asset {
    builder(joints, degrees).build().unwrap()
}

fn builder(joints: &[Joint], degrees: f32) -> AssetBuilder {
    let mut rig = AssetBuilder::new();
    let root = rig.joint(
        "root",
        None,
        Trs {
            rotation: Quat::from_rotation_y(degrees.to_radians()),
            ..Trs::IDENTITY
        },
    );
    let position = |name: &str| {
        let joint = joints.iter().find(|(own, ..)| *own == name);
        joint.map_or(Vec3::ZERO, |(.., position)| Vec3::from(*position))
    };
    let mut ids: Vec<(&str, NodeId)> = vec![("", root)];
    for (name, parent, at) in joints {
        let above = ids.iter().find(|(own, _)| own == parent).unwrap().1;
        let rest = Trs {
            translation: Vec3::from(*at) - position(parent),
            ..Trs::IDENTITY
        };
        ids.push((name, rig.joint(name, Some(above), rest)));
    }
    rig
}

#[test]
fn each_clue_finds_the_front_that_the_figure_was_rotated_to() {
    let cases: [(&str, Vec<Joint>, &[Clue]); 4] = [
        (
            "toes",
            [&LEGS[..], &TOES].concat(),
            &[Clue::Toes, Clue::Sides, Clue::Knees],
        ),
        ("eyes", FACE.to_vec(), &[Clue::Face, Clue::Sides]),
        ("sides", LEGS.to_vec(), &[Clue::Sides, Clue::Knees]),
        (
            "head and tail",
            vec![
                ("Hips", "", [0.0, 0.5, 0.0]),
                ("Tail", "Hips", [0.0, 0.5, -0.2]),
                ("Head", "Hips", [0.0, 0.6, 0.8]),
            ],
            &[Clue::Head],
        ),
    ];
    let rotations = [
        (0.0, SignedAxis::PlusZ),
        (90.0, SignedAxis::PlusX),
        (180.0, SignedAxis::MinusZ),
        (-90.0, SignedAxis::MinusX),
    ];
    for (name, joints, clues) in &cases {
        for (degrees, front) in rotations {
            let facing = of(&figure(joints, degrees));
            assert_eq!(facing.front, front, "{name} rotated by {degrees}");
            assert_eq!(facing.clues, *clues, "{name}");
        }
    }
}

#[test]
fn feet_are_known_by_their_surface_where_they_have_no_toes() {
    let mut rig = builder(&LEGS, 180.0);
    let foot = |x: f32| [-0.05, 0.25].map(|z| Vec3::new(-x, 0.0, -z));
    let positions: Vec<Vec3> = [foot(0.1), foot(-0.1)].concat();
    let mesh = rig.mesh(Mesh {
        positions,
        triangles: vec![[0, 1, 2]],
        ..Mesh::default()
    });
    // Joints count from the root: LeftFoot is 4, RightFoot 7.
    rig.skin(mesh, [4, 4, 7, 7].map(|joint| [(NodeId(joint), 1.0)]));
    let facing = of(&rig.build().unwrap());
    assert_eq!(facing.front, SignedAxis::MinusZ);
    assert_eq!(facing.clues[0], Clue::Feet);
}

#[test]
fn shape_counts_above_names() {
    let mut mirrored = [&LEGS[..], &TOES].concat();
    for (.., position) in &mut mirrored {
        position[0] = -position[0];
    }
    let facing = of(&figure(&mirrored, 0.0));
    assert_eq!(facing.front, SignedAxis::PlusZ);
    assert_eq!(facing.clues, [Clue::Toes, Clue::Knees]);
}

#[test]
fn a_model_that_is_not_a_figure_keeps_the_front_of_its_format() {
    let prop: [Joint; 4] = [
        ("Root", "", [0.0, 0.0, 0.0]),
        ("Lid", "Root", [0.0, 1.0, 0.5]),
        ("Handle.L", "Root", [0.0, 0.5, 1.0]),
        ("Handle.R", "Root", [0.0, 0.5, -1.0]),
    ];
    let facing = of(&figure(&prop, 0.0));
    assert_eq!((facing.front, facing.clues.len()), (SignedAxis::PlusZ, 0));
}

#[test]
fn a_figure_that_faces_between_two_axes_keeps_the_front_of_its_format() {
    let facing = of(&figure(&[&LEGS[..], &TOES].concat(), 135.0));
    assert_eq!((facing.front, facing.clues.len()), (SignedAxis::PlusZ, 0));
}

#[test]
fn the_reason_is_a_line_for_people() {
    let facing = of(&figure(&[&LEGS[..], &TOES].concat(), 0.0));
    assert_eq!(
        facing.to_string(),
        "+Z: the toes point that way; joints named left are then on the left; the knees bend that way"
    );
}
