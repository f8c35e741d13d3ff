//! Files with one fault each: the import tells it, with its place, and nothing else.

use super::super::tests::{arm, read};
use crate::import::testing::told;
use crate::rig::DefectKind;

/// Bytes of a vector: four numbers and its list of weights.
const VECTOR: usize = 17;

/// Vectors of the arm: behind 24 points and 24 normals there are the place and the turn of each joint, and then of each key.
const NORMAL: usize = 24 + 3;
const ELBOW_TURN: usize = 51;
const FIRST_WRIST_TURN: usize = 57;
const LAST_ELBOW_PLACE: usize = 58;
const LAST_ELBOW_TURN: usize = 59;

/// Bytes of an action: its length, and the times of its two frames.
const LENGTH: usize = 4;
const FIRST: usize = 8;
const LAST: usize = 23;

/// The arm, with `bytes` so far behind the head of a chunk.
fn with(magic: [u8; 4], changes: &[(usize, &[u8])]) -> Vec<u8> {
    let mut file = arm();
    let chunk = file.windows(4).position(|window| window == magic).unwrap() + 8;
    for (behind, bytes) in changes {
        file[chunk + behind..][..bytes.len()].copy_from_slice(bytes);
    }
    file
}

fn with_vector(index: usize, parts: [f32; 4]) -> Vec<u8> {
    with(
        *b"VRTS",
        &[(VECTOR * index, parts.map(f32::to_le_bytes).as_flattened())],
    )
}

fn with_times(times: &[(usize, u32)]) -> Vec<u8> {
    let bytes: Vec<_> = times
        .iter()
        .map(|(at, time)| (*at, time.to_le_bytes()))
        .collect();
    let changes: Vec<(usize, &[u8])> = bytes.iter().map(|(at, time)| (*at, &time[..])).collect();
    with(*b"ACTN", &changes)
}

/// What is wrong with `file`.
fn defects(file: &[u8]) -> Vec<String> {
    let evidence = read(file).expect("the file is read").evidence;
    assert_eq!(evidence.examined, DefectKind::ALL);
    told(&evidence)
}

#[test]
fn the_clean_arm_has_no_defect() {
    assert_eq!(defects(&arm()), [""; 0]);
}

#[test]
fn normals_and_rotations_that_are_no_unit_ones_are_told() {
    let expected = ["NonunitNormal mesh (unnamed) vertex 3: the normal has length 2, not 1 (x1)"];
    assert_eq!(
        defects(&with_vector(NORMAL, [0.0, 2.0, 0.0, 1.0])),
        expected
    );
    let expected = ["NonunitRotation joint \"elbow\": the quaternion has length 1.5, not 1 (x1)"];
    assert_eq!(
        defects(&with_vector(ELBOW_TURN, [0.0, 0.0, 0.0, 1.5])),
        expected
    );
}

#[test]
fn keys_that_are_no_rotation_name_joint_clip_and_time() {
    let nan = with_vector(LAST_ELBOW_PLACE, [0.0, f32::NAN, 0.0, 1.0]);
    let expected = [
        "NonfiniteKey joint \"elbow\", clip \"Bend\" at 1 s: the key at 1000 ms is NaN or infinite (x1)",
    ];
    assert_eq!(defects(&nan), expected);
    let long = with_vector(LAST_ELBOW_TURN, [0.0, 0.0, 0.0, 2.0]);
    let expected = [
        "NonunitKey joint \"elbow\", clip \"Bend\" at 1 s: the quaternion at 1000 ms has length 2, not 1 (x1)",
    ];
    assert_eq!(defects(&long), expected);
    let zero = with_vector(FIRST_WRIST_TURN, [0.0; 4]);
    let expected = [
        "ZeroQuaternion joint \"wrist\", clip \"Bend\" at 0 s: the quaternion at 0 ms has length 0, not 1 (x1)",
    ];
    assert_eq!(defects(&zero), expected);
}

#[test]
fn a_frame_out_of_order_is_told() {
    let file = with_times(&[(LENGTH, 2000), (FIRST, 1500)]);
    let expected =
        ["UnorderedKeys clip \"Bend\" at 1 s: a frame at 1000 ms comes after one at 1500 ms (x1)"];
    assert_eq!(defects(&file), expected);
}

#[test]
fn a_frame_behind_the_stated_end_is_told() {
    let expected =
        ["KeyPastEnd clip \"Bend\" at 1.5 s: a frame is at 1500 ms, the end at 1000 ms (x1)"];
    assert_eq!(defects(&with_times(&[(LAST, 1500)])), expected);
    // An action of length 0 says nothing of its end.
    assert_eq!(defects(&with_times(&[(LENGTH, 0), (LAST, 1500)])), [""; 0]);
}

#[test]
fn two_frames_at_one_time_that_differ_are_told() {
    let expected =
        ["ConflictingKeys joint \"elbow\", clip \"Bend\" at 0 s: two keys at 0 ms differ (x2)"];
    assert_eq!(defects(&with_times(&[(LAST, 0)])), expected);
}

#[test]
fn weights_of_what_is_not_there_name_the_first_vertex() {
    // The first joint of the first list of weights, which a ring of four vertices names.
    let file = with(*b"BONE", &[(2 + 3 * 7 + 2, &[9])]);
    let expected = [
        "JointIndexOutOfRange mesh (unnamed) vertex 0: a weight is of a joint that is not among the 3 (x4)",
    ];
    assert_eq!(defects(&file), expected);
    let file = with(*b"VRTS", &[(16, &[200])]);
    let expected = [
        "JointIndexOutOfRange mesh (unnamed) vertex 0: the vertex names list of weights 200, and there are 6 (x1)",
    ];
    assert_eq!(defects(&file), expected);
}

#[test]
fn weights_without_any_joint_are_told() {
    let mut file = with(*b"BONE", &[(0, &[0])]);
    let action = file
        .windows(4)
        .position(|window| window == b"ACTN")
        .unwrap();
    file[action..action + 4].copy_from_slice(b"NONE");
    let expected = ["SkinWithoutWeights file: vertices have weights, and there is no joint (x1)"];
    assert_eq!(defects(&file), expected);
}
