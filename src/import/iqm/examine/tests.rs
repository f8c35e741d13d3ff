//! Files with one fault each: the import tells it, with its place, and nothing else.

use super::super::tests::{ARRAYS, Bytes, CLIPS, JOINTS, POSES};
use crate::import::testing::told;
use crate::rig::{DefectKind, Evidence};

/// Words of the records of lists.
const POSE: usize = 22;
const JOINT: usize = 12;
const ARRAY: usize = 5;

/// Where the offsets of a pose's ten channels begin, and where their scales.
const OFFSETS: usize = 2;
const SCALES: usize = 12;

/// Channels of a rotation.
const Z: usize = 5;
const W: usize = 6;

fn evidence(file: &Bytes) -> Evidence {
    let evidence = file.parse().expect("the file is read").evidence;
    assert_eq!(evidence.examined, DefectKind::ALL);
    evidence
}

/// The arm with these numbers in one pose.
fn posed(pose: usize, numbers: &[(usize, f32)]) -> Bytes {
    let set = |file: Bytes, &(word, number): &(usize, f32)| {
        file.set_record(POSES.1, POSE, pose, word, number.to_bits())
    };
    numbers.iter().fold(Bytes::arm(), set)
}

/// One line a clip: `kind`, `part` of the place, what of which frame at which time, and how many.
fn in_all_clips(
    kind: &str,
    joint: &str,
    part: &str,
    what: [(&str, &str, usize); 3],
) -> Vec<String> {
    let clips = ["Bend", "Twist", "Nod"].into_iter().zip(what);
    let line = |(clip, (time, message, count))| {
        format!("{kind} joint {joint:?}, clip {clip:?} at {time}{part}: {message} (x{count})")
    };
    clips.map(line).collect()
}

#[test]
fn the_clean_arm_has_no_defect() {
    assert_eq!(told(&evidence(&Bytes::arm())), [""; 0]);
}

#[test]
fn a_key_of_nan_names_joint_clip_and_time() {
    let file = posed(2, &[(OFFSETS, f32::NAN)]);
    let what = "frame 0 is NaN or infinite";
    let counts = [("0 s", what, 2), ("0 s", what, 3), ("0 s", what, 3)];
    let expected = in_all_clips("NonfiniteKey", "wrist", "", counts);
    assert_eq!(told(&evidence(&file)), expected);
}

#[test]
fn a_key_that_is_no_unit_quaternion_tells_the_worst_frame() {
    // The shoulder turns in "Twist" alone, by Z and W; with Z left out its middle frame is shorter.
    let file = posed(0, &[(SCALES + Z, 0.0)]);
    let expected = [
        "NonunitKey joint \"shoulder\", clip \"Twist\" at 1 s, rotation: the quaternion of frame 1 has length 0.7071, not 1 (x1)",
    ];
    assert_eq!(told(&evidence(&file)), expected);
}

#[test]
fn a_key_without_a_rotation_is_told_as_such() {
    let file = posed(
        0,
        &[(OFFSETS + W, 0.0), (SCALES + W, 0.0), (SCALES + Z, 0.0)],
    );
    let what = "the quaternion of frame 0 has length 0, not 1";
    let counts = [("0 s", what, 2), ("0 s", what, 3), ("0 s", what, 3)];
    let expected = in_all_clips("ZeroQuaternion", "shoulder", ", rotation", counts);
    assert_eq!(told(&evidence(&file)), expected);
}

#[test]
fn the_rotation_of_a_joint_is_told_before_it_is_made_a_unit_one() {
    let file = Bytes::arm().set_record(JOINTS.1, JOINT, 1, 2 + W, 1.5_f32.to_bits());
    let expected = ["NonunitRotation joint \"elbow\": the quaternion has length 1.5, not 1 (x1)"];
    assert_eq!(told(&evidence(&file)), expected);
}

#[test]
fn poses_and_weights_of_joints_that_are_not_there_are_told() {
    let file = Bytes::arm().set_header(JOINTS.0, 2);
    let poses = ["Bend", "Twist", "Nod"].map(|clip| {
        format!("TargetMissing clip {clip:?}: 1 poses belong to joints that do not exist (x1)")
    });
    let mut expected = poses.to_vec();
    expected.push(
        "JointIndexOutOfRange mesh \"tube\" vertex 12: a weight names a joint beyond the 2 (x12)"
            .to_owned(),
    );
    assert_eq!(told(&evidence(&file)), expected);
}

#[test]
fn weights_without_any_joint_are_told() {
    let file = Bytes::arm().set_header(JOINTS.0, 0).set_header(CLIPS.0, 0);
    let expected = ["SkinWithoutWeights file: vertices have weights, but there is no joint (x1)"];
    assert_eq!(told(&evidence(&file)), expected);
}

#[test]
fn joints_and_weights_of_different_numbers_are_told() {
    let fewer = Bytes::arm().set_record(ARRAYS.1, ARRAY, 4, 3, 3);
    let expected = ["WeightSetMismatch file: a vertex has 4 joint indices and 3 weights (x1)"];
    assert_eq!(told(&evidence(&fewer)), expected);
    // The array becomes one of a kind that is the file's own.
    let none = Bytes::arm().set_record(ARRAYS.1, ARRAY, 4, 0, 100);
    let expected = ["WeightSetMismatch file: a vertex has 4 joint indices and 0 weights (x1)"];
    assert_eq!(told(&evidence(&none)), expected);
}

#[test]
fn a_normal_that_is_no_unit_vector_names_its_vertex() {
    let mut file = Bytes::arm();
    let normals = 4 * (ARRAY * 2 + 4) + file.word(Bytes::header(ARRAYS.1)) as usize;
    let third = file.word(normals) as usize + 3 * 12;
    for word in 0..3 {
        file.set(
            third + 4 * word,
            if word == 1 { 2.0_f32.to_bits() } else { 0 },
        );
    }
    let expected = ["NonunitNormal mesh \"tube\" vertex 3: the normal has length 2, not 1 (x1)"];
    assert_eq!(told(&evidence(&file)), expected);
}
