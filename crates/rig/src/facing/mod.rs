//! The direction that a figure faces.
//!
//! Formats state at best the front of their space, and exporters do not rotate figures to it. But the rig shows it: feet
//! point forward, eyes are in front of the neck, the joints of the left side are on the left. The first of these clues that
//! is there decides.

mod figure;
mod names;

use std::fmt;

use glam::{DQuat, DVec3, Mat4};

use crate::pose;
use crate::rig::{Asset, Clip};
use crate::units::{SignedAxis, Space};
use figure::Figure;

/// The direction that a figure faces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facing {
    /// Perpendicular to [`Space::up`].
    pub front: SignedAxis,
    /// What shows it. If nothing does, `front` is that of the file or its format.
    pub clue: Option<Clue>,
}

/// What shows the direction that a figure faces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Clue {
    /// From ankles to toes.
    Toes,
    /// The surface of the feet, from the ankles.
    Feet,
    /// From the head's joint to eyes, jaw and nose.
    Face,
    /// From the tail or the pelvis of an animal on four legs to its head.
    Head,
    /// Names of left and right joints.
    Sides,
}

impl fmt::Display for Clue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Toes => "the toes point that way",
            Self::Feet => "the feet reach out that way",
            Self::Face => "eyes or jaw are on that side of the head",
            Self::Head => "the head is on that side of the body",
            Self::Sides => "joints named left are then on the left",
        })
    }
}

impl fmt::Display for Facing {
    /// Such as `+Z: the toes point that way`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.clue {
            Some(clue) => write!(f, "{}: {clue}", self.front),
            None => write!(
                f,
                "{}: nothing in the rig shows a front, so this is the format's",
                self.front
            ),
        }
    }
}

/// The direction that the figure of `asset` faces in its bind pose. Other models face as [`Asset::space`] says.
#[must_use]
pub fn of(asset: &Asset) -> Facing {
    let figure = Figure::new(asset);
    // Feet hardly turn against the body; names may be mirrored.
    let clues = [
        (Clue::Toes, figure.toes()),
        (Clue::Feet, figure.feet()),
        (Clue::Face, figure.face()),
        (Clue::Head, figure.head()),
        (Clue::Sides, figure.sides()),
    ];
    for (clue, direction) in clues {
        let front = direction.and_then(|direction| axis_of(direction, &asset.space));
        if let Some(front) = front {
            let clue = Some(clue);
            return Facing { front, clue };
        }
    }
    Facing {
        front: asset.space.front,
        clue: None,
    }
}

/// The direction that the figure of `asset` faces as `clip` begins: that of its bind pose, turned about the up axis as its trunk
/// is turned then. Recorded motion often begins facing anywhere.
#[must_use]
pub fn at_start(asset: &Asset, clip: &Clip) -> Facing {
    let facing = of(asset);
    let turned = Figure::new(asset).trunk().and_then(|trunk| {
        let start = pose::sample_finite(asset, clip, clip.start);
        let start = pose::model_pose(asset, &start)[trunk].as_dmat4();
        let turn = start * bind_pose(asset)[trunk.index()].as_dmat4().inverse();
        let (_, rotation, _) = turn.to_scale_rotation_translation();
        let turn = about(asset.space.up.unit(), rotation)?;
        axis_of(turn * facing.front.unit(), &asset.space)
    });
    Facing {
        front: turned.unwrap_or(facing.front),
        ..facing
    }
}

/// The part of `rotation` about `axis`. `None` if `rotation` nearly reverses the axis, where noise decides.
fn about(axis: DVec3, rotation: DQuat) -> Option<DQuat> {
    /// The cosine of half the angle by which the axis is tilted at most: 145 degrees.
    const LEAST: f64 = 0.3;
    let along = axis * axis.dot(rotation.xyz());
    let part = DQuat::from_vec4(along.extend(rotation.w));
    (part.length() > LEAST).then(|| part.normalize())
}

/// The nodes of `asset` in world space, in the pose in which its skins were bound.
#[doc(hidden)]
#[must_use]
pub fn bind_pose(asset: &Asset) -> Vec<Mat4> {
    figure::bind_pose(asset).0
}

/// The space of `asset`, with the front that its figure faces.
#[must_use]
pub fn space(asset: &Asset) -> Space {
    Space {
        front: of(asset).front,
        ..asset.space
    }
}

const AXES: [SignedAxis; 6] = [
    SignedAxis::PlusX,
    SignedAxis::MinusX,
    SignedAxis::PlusY,
    SignedAxis::MinusY,
    SignedAxis::PlusZ,
    SignedAxis::MinusZ,
];

/// Cosine of the largest angle between a direction and its axis: 36 degrees, less than the 45 at which two axes compete.
const NEAR_AXIS: f64 = 0.81;

/// The level axis that `direction` nearly points along.
fn axis_of(direction: DVec3, space: &Space) -> Option<SignedAxis> {
    let up = space.up.unit();
    let level = (direction - up * up.dot(direction)).try_normalize()?;
    AXES.into_iter()
        .find(|axis| axis.unit().dot(level) > NEAR_AXIS && axis.unit().dot(up).abs() < 0.5)
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;
    use crate::rig::{AssetBuilder, LocalTransform, Mesh, NodeId, Skeleton, Trs};

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
        let root = rig.node(
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
            ids.push((name, rig.node(name, Some(above), rest)));
        }
        rig
    }

    #[test]
    fn each_clue_finds_the_front_that_the_figure_was_rotated_to() {
        let cases: [(&str, Vec<Joint>, Clue); 4] = [
            ("toes", [&LEGS[..], &TOES].concat(), Clue::Toes),
            ("eyes", FACE.to_vec(), Clue::Face),
            ("sides", LEGS.to_vec(), Clue::Sides),
            (
                "head and tail",
                vec![
                    ("Hips", "", [0.0, 0.5, 0.0]),
                    ("Tail", "Hips", [0.0, 0.5, -0.2]),
                    ("Head", "Hips", [0.0, 0.6, 0.8]),
                ],
                Clue::Head,
            ),
        ];
        let rotations = [
            (0.0, SignedAxis::PlusZ),
            (90.0, SignedAxis::PlusX),
            (180.0, SignedAxis::MinusZ),
            (-90.0, SignedAxis::MinusX),
        ];
        for (name, joints, clue) in &cases {
            for (degrees, front) in rotations {
                let facing = of(&figure(joints, degrees));
                assert_eq!(facing.front, front, "{name} rotated by {degrees}");
                assert_eq!(facing.clue, Some(*clue), "{name}");
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
        assert_eq!(facing.clue, Some(Clue::Feet));
    }

    /// Where the joint of a foot is at its toes, its surface reaches back.
    #[test]
    fn a_foot_that_a_control_carries_shows_no_front() {
        let joints: [Joint; 5] = [
            ("Hips", "", [0.0, 1.0, 0.0]),
            ("ik_foot.l", "", [0.1, 0.0, 0.2]),
            ("foot.l", "ik_foot.l", [0.1, 0.0, 0.2]),
            ("ik_foot.r", "", [-0.1, 0.0, 0.2]),
            ("foot.r", "ik_foot.r", [-0.1, 0.0, 0.2]),
        ];
        let mut rig = builder(&joints, 0.0);
        let foot = |x: f32| [-0.1, 0.2].map(|z| Vec3::new(x, 0.0, z));
        let mesh = rig.mesh(Mesh {
            positions: [foot(0.1), foot(-0.1)].concat(),
            triangles: vec![[0, 1, 2]],
            ..Mesh::default()
        });
        rig.skin(mesh, [3, 3, 5, 5].map(|joint| [(NodeId(joint), 1.0)]));
        let facing = of(&rig.build().unwrap());
        assert_eq!(
            (facing.front, facing.clue),
            (SignedAxis::PlusZ, Some(Clue::Sides))
        );
    }

    /// A figure of `joints`, all bound. The first node is the root.
    fn bound(joints: &[Joint]) -> AssetBuilder {
        let mut rig = builder(joints, 0.0);
        let mesh = rig.mesh(Mesh {
            positions: vec![Vec3::ZERO; joints.len()],
            triangles: vec![[0, 1, 2]],
            ..Mesh::default()
        });
        let ids = (1..=joints.len()).map(NodeId::from_index);
        rig.skin(mesh, ids.map(|id| [(id, 1.0)]));
        rig
    }

    /// The front as a clip begins in which one joint of a figure of `joints` is rotated.
    fn front_at_start(joints: &[Joint], joint: &str, rotation: Quat) -> SignedAxis {
        let mut rig = bound(joints);
        let clip = rig.clip("Talk");
        let index = joints.iter().position(|(name, ..)| *name == joint);
        let turned = NodeId::from_index(index.unwrap() + 1);
        rig.rotate(clip, turned, [(0.0, rotation), (1.0, Quat::IDENTITY)]);
        let asset = rig.build().unwrap();
        assert_eq!(of(&asset).front, SignedAxis::PlusZ);
        at_start(&asset, &asset.clips[0]).front
    }

    #[test]
    fn a_clip_that_begins_turned_turns_the_front() {
        let joints = [&LEGS[..], &TOES].concat();
        for (degrees, front) in [
            (0.0, SignedAxis::PlusZ),
            (30.0, SignedAxis::PlusZ),
            (80.0, SignedAxis::PlusX),
            (-150.0, SignedAxis::MinusZ),
        ] {
            let turn = Quat::from_rotation_y(f32::to_radians(degrees));
            for pitch in [0.0_f32, -90.0, 100.0] {
                let bent = turn * Quat::from_rotation_x(pitch.to_radians());
                let found = front_at_start(&joints, "Hips", bent);
                assert_eq!(found, front, "{degrees}, {pitch}");
            }
        }
    }

    #[test]
    fn a_figure_that_lies_bends_or_stands_on_its_hands_keeps_its_front() {
        let joints = [&LEGS[..], &TOES].concat();
        for degrees in [-180.0, -100.0, -90.0, 90.0, 100.0, 180.0] {
            for axis in [Vec3::X, Vec3::Z] {
                let rotation = Quat::from_axis_angle(axis, f32::to_radians(degrees));
                let found = front_at_start(&joints, "Hips", rotation);
                assert_eq!(found, SignedAxis::PlusZ, "{degrees} about {axis}");
            }
        }
    }

    #[test]
    fn a_head_of_many_joints_is_not_the_trunk() {
        let legs = [&LEGS[..], &TOES].concat();
        let without_feet: Vec<Joint> = LEGS
            .into_iter()
            .filter(|(name, ..)| !name.ends_with("Foot"))
            .collect();
        let face = [
            ("Head", "Hips", [0.0, 1.6, 0.0]),
            ("eye_l", "Head", [0.03, 1.7, 0.1]),
            ("eye_r", "Head", [-0.03, 1.7, 0.1]),
        ];
        let hair = [("Hair", "Head", [0.0, 1.8, 0.0]); 30];
        for body in [legs, without_feet] {
            let joints = [&body[..], &face, &hair].concat();
            let turn = Quat::from_rotation_y(80.0_f32.to_radians());
            assert_eq!(front_at_start(&joints, "Head", turn), SignedAxis::PlusZ);
            assert_eq!(front_at_start(&joints, "Hips", turn), SignedAxis::PlusX);
        }
    }

    /// Saved as a frame in which the hips are turned; the skin shows how the chest stands when it is bound.
    #[test]
    fn the_front_turns_from_the_bind_pose() {
        let mut joints = [&LEGS[..], &TOES].concat();
        joints.insert(0, ("Body", "", [0.0, 1.0, 0.0]));
        joints[1].1 = "Body";
        let mut rig = bound(&joints);
        let clip = rig.clip("Talk");
        let turn = Quat::from_rotation_y(80.0_f32.to_radians());
        rig.rotate(clip, NodeId(2), [(0.0, turn), (1.0, turn)]);
        let mut asset = rig.build().unwrap();
        let mut nodes = asset.skeleton.nodes().to_vec();
        nodes[2].rest = LocalTransform::Trs(Trs {
            rotation: turn,
            ..nodes[2].rest.to_trs()
        });
        asset.skeleton = Skeleton::new(nodes).unwrap();
        assert_eq!(of(&asset).front, SignedAxis::PlusZ);
        let facing = at_start(&asset, &asset.clips[0]);
        assert_eq!(facing.front, SignedAxis::PlusX);
    }

    #[test]
    fn feet_count_above_names() {
        let mut mirrored = [&LEGS[..], &TOES].concat();
        for (.., position) in &mut mirrored {
            position[0] = -position[0];
        }
        let facing = of(&figure(&mirrored, 0.0));
        assert_eq!(facing.front, SignedAxis::PlusZ);
        assert_eq!(facing.clue, Some(Clue::Toes));
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
        assert_eq!((facing.front, facing.clue), (SignedAxis::PlusZ, None));
    }

    #[test]
    fn a_figure_that_faces_between_two_axes_keeps_the_front_of_its_format() {
        let facing = of(&figure(&[&LEGS[..], &TOES].concat(), 135.0));
        assert_eq!((facing.front, facing.clue), (SignedAxis::PlusZ, None));
    }

    #[test]
    fn the_reason_is_a_line_for_people() {
        let facing = of(&figure(&[&LEGS[..], &TOES].concat(), 0.0));
        assert_eq!(facing.to_string(), "+Z: the toes point that way");
    }

    #[test]
    fn feet_that_point_apart_leave_the_decision_to_names() {
        let lifted = [TOES[0], ("RightToeBase", "RightFoot", [-0.13, 0.02, -0.35])];
        let facing = of(&figure(&[&LEGS[..], &lifted].concat(), 0.0));
        assert_eq!(
            (facing.front, facing.clue),
            (SignedAxis::PlusZ, Some(Clue::Sides))
        );
    }

    /// Bound while it stands, and saved while it runs: both feet are behind the ankles.
    #[test]
    fn the_bind_pose_counts_before_the_rest_pose() {
        let mut rig = builder(&[&LEGS[..], &TOES].concat(), 0.0);
        let mesh = rig.mesh(Mesh {
            positions: vec![Vec3::ZERO; 5],
            triangles: vec![[0, 1, 2]],
            ..Mesh::default()
        });
        // Hips, feet and toes.
        rig.skin(mesh, [1, 4, 7, 8, 9].map(|joint| [(NodeId(joint), 1.0)]));
        let mut asset = rig.build().unwrap();
        let mut nodes = asset.skeleton.nodes().to_vec();
        for foot in nodes.iter_mut().filter(|node| node.name.ends_with("Foot")) {
            foot.rest = LocalTransform::Trs(Trs {
                rotation: Quat::from_rotation_x(2.6),
                ..foot.rest.to_trs()
            });
        }
        asset.skeleton = Skeleton::new(nodes).unwrap();
        let facing = of(&asset);
        assert_eq!(
            (facing.front, facing.clue),
            (SignedAxis::PlusZ, Some(Clue::Toes))
        );
    }
}
