//! The set is proven: by answers computed by hand, by the other implementations of the library, and by planted faults.

use glam::{DVec3, Vec3};

use super::answer::Answer;
use super::*;
use crate::laws::{Capabilities, Own, Poser};
use crate::pose::ModelPose;
use crate::rig::{ClipId, SkinningOptions};
use crate::skinning;
use crate::units::Seconds;

fn set() -> Set {
    Set::new(&Capabilities::default())
}

/// Planted faults that no valid file can show: vertices without weight are forbidden, and weights sum to 1.
const NEVER_SHOWN: [&str; 1] = ["weightless-dropped"];

#[test]
fn every_fault_is_caught_and_every_file_catches_one() {
    let set = set();
    let shown: Vec<&str> = set.faults().map(|(name, ..)| name).collect();
    let all = set.faults.iter().map(|fault| fault.name);
    let hidden: Vec<&str> = all.filter(|name| !shown.contains(name)).collect();
    assert_eq!(hidden, NEVER_SHOWN);
    let caught: Vec<&str> = set.faults().flat_map(|(_, _, cases)| cases).collect();
    let idle = set
        .members
        .iter()
        .filter(|member| !member.case.is_informational && !caught.contains(&member.case.name));
    assert_eq!(
        idle.map(|member| member.case.name).collect::<Vec<_>>(),
        [""; 0]
    );
}

/// A fault in what a file tests, not in everything.
#[test]
fn the_matter_of_a_file_is_what_catches_its_fault() {
    let set = set();
    for (fault, expected) in [
        (
            "step-as-linear",
            &["step", "step-rotation", "morph-animated-step"][..],
        ),
        ("tangents-not-scaled", &["cubic-tangents-scaled-by-time"]),
        (
            "node-on-top",
            &[
                "mesh-node-transform-ignored",
                "mesh-node-animated",
                "mesh-below-a-joint",
            ],
        ),
        ("joints-sorted", &["joints-in-another-order"]),
        (
            "sparse-ignored",
            &["sparse-positions", "sparse-morph-target"],
        ),
        ("stride-ignored", &["interleaved"]),
        ("nodes-in-file-order", &["children-before-parents"]),
        (
            "first-influences",
            &["two-sets-of-joints", "five-influences"],
        ),
        ("unbound-skins-ignored", &["inverse-bind-absent"]),
    ] {
        let found = set
            .faults()
            .find(|(name, ..)| *name == fault)
            .map_or_else(Vec::new, |(_, _, cases)| cases);
        let missing: Vec<&&str> = expected
            .iter()
            .filter(|case| !found.contains(case))
            .collect();
        assert!(missing.is_empty(), "{fault}: {missing:?} not in {found:?}");
    }
}

#[test]
fn files_are_valid_and_read_without_a_remark() {
    for member in &set().members {
        let (name, asset) = (member.case.name, &member.asset);
        asset.validate().expect(name);
        assert!(asset.notes.is_empty(), "{name}: {:?}", asset.notes);
        let is_valid = asset.evidence.defects.is_empty();
        assert!(
            is_valid || member.case.is_informational,
            "{name}: {:?}",
            asset.evidence.defects
        );
        let whole = asset.clips.len() == 1 && !member.times.is_empty();
        assert!(whole && member.gltf.len() < 16_384, "{name}");
    }
}

#[test]
fn names_are_unique_and_nodes_too() {
    let set = set();
    let mut names: Vec<&str> = set.members.iter().map(|member| member.case.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), set.members.len());
    for member in &set.members {
        let mut nodes: Vec<&str> = member
            .asset
            .skeleton
            .nodes()
            .iter()
            .map(|node| node.name.as_str())
            .collect();
        nodes.sort_unstable();
        nodes.dedup();
        assert_eq!(
            nodes.len(),
            member.asset.skeleton.len(),
            "{}",
            member.case.name
        );
    }
}

/// Posed and skinned in f32 by the code that draws images, and skinned in f64 by the reference of that.
#[test]
fn the_library_holds_on_the_set() {
    for member in &set().members {
        let (name, asset) = (member.case.name, &member.asset);
        let poses = Own.pose(asset, &member.times).expect(name);
        let answer = answer::answer(asset, &member.times, &poses);
        assert_eq!(member.judge(&answer).err(), None, "{name}");
        for (pose, wanted) in poses.iter().zip(&member.expected) {
            let time = Seconds(wanted.time);
            let local = crate::pose::sample(asset, &asset[ClipId(0)], time).expect(name);
            let exact = ModelPose {
                nodes: pose.nodes.iter().map(glam::DMat4::as_mat4).collect(),
                ..crate::pose::model_pose(asset, &local)
            };
            let meshes = skinning::reference::deform(asset, &exact, &SkinningOptions::default())
                .expect(name)
                .into_iter()
                .map(|mesh| mesh.positions);
            let posed = crate::laws::Posed {
                meshes: meshes.collect(),
                nodes: pose.nodes.clone(),
            };
            let answer = answer::answer(asset, &[wanted.time], &[posed]);
            let judged = answer::judge(std::slice::from_ref(wanted), &answer);
            assert_eq!(judged.err(), None, "{name}");
        }
    }
}

/// The position of a vertex of the first mesh at a time.
fn position(set: &Set, case: &str, time: f64, vertex: usize) -> DVec3 {
    let member = set.members.iter().find(|member| member.case.name == case);
    let poses = &member.expect(case).expected;
    let pose = poses.iter().find(|pose| (pose.time - time).abs() < 1e-9);
    let meshes = pose.expect(case).meshes.as_ref().expect(case);
    let numbers = meshes[0].positions[vertex].iter();
    DVec3::from_slice(
        &numbers
            .map(|number| number.expect(case))
            .collect::<Vec<_>>(),
    )
}

/// By hand. A rotation of `(0, 0, 0.6, 0.8)` has the cosine 0.28 and the sine 0.96.
#[test]
fn expected_positions_are_those_computed_by_hand() {
    let set = set();
    for (case, time, vertex, expected) in [
        // The value of the key at 0.5 s.
        ("step", 1.0, 0, [1.0, 0.0, 0.0]),
        // A quarter of the second span, which begins at 0.5 s and takes 1.5 s: 0.25 s of it are a sixth.
        ("linear", 0.75, 0, [2.0, 0.5, 1.0 / 6.0]),
        // At phase 0.25: 4 * 0.25 * 0.75² + 1 * 0.15625 along X; 0.15625 + 2 * 0.0625 * -0.75 along Y.
        (
            "cubic",
            0.25,
            0,
            [0.562_5 + 0.156_25, 0.156_25 - 0.093_75, 0.0],
        ),
        // The middle of a span of 0.5 s: 0.5 * 0.125 * 4 + 0.5 * 1 - 0.5 * 0.125 * 2.
        ("cubic-tangents-scaled-by-time", 0.25, 0, [0.625, 0.0, 0.0]),
        // Half of the angle of (0, 0, 0.96, 0.28) is that of (0, 0, 0.6, 0.8).
        ("slerp", 0.5, 1, [0.28, 0.96, 0.0]),
        // The short way is by 73.7°, half of which has the sine 0.6.
        ("slerp-shortest-path", 0.5, 1, [0.8, 0.6, 0.0]),
        ("quaternion-sign", 0.25, 1, [0.28, 0.96, 0.0]),
        ("clip-starts-late", 0.5, 0, [1.0, 0.0, 0.0]),
        ("after-the-last-key", 2.25, 0, [0.0, 2.0, 0.0]),
        // (1, 0, 0) to (0.28, 0.96, 0), doubled along X, above (0, 1, 0).
        ("non-uniform-scale-in-hierarchy", 1.0, 1, [0.56, 1.96, 0.0]),
        // Row 1 at (-0.25, 0.5): 0.8 of it stays; the middle rotates (-0.25, -0.5) about (0, 1).
        (
            "skin",
            1.0,
            2,
            [
                0.8 * -0.25 + 0.2 * (-0.25 * 0.28 + 0.5 * 0.96),
                0.8 * 0.5 + 0.2 * (1.0 - 0.25 * 0.96 - 0.5 * 0.28),
                0.0,
            ],
        ),
        // The weights of the mesh: 0.5 of (0, 1, 0), and the node moves along Z.
        ("morph", 1.0, 0, [0.0, 0.5, 1.0]),
        ("morph-weights-of-the-node", 0.0, 1, [1.0, 0.125, 0.75]),
        ("sparse-positions", 0.0, 2, [0.0, 2.0, 1.0]),
        ("joints-not-descendants", 0.0, 9, [0.25, 2.0, 0.0]),
    ] {
        let found = position(&set, case, time, vertex);
        let off = found.distance(DVec3::from_array(expected));
        assert!(
            off < 1e-6,
            "{case} at {time} s: {found} instead of {expected:?}"
        );
    }
}

/// The answer of a right engine to all cases, but for one change.
fn answers(
    set: &Set,
    change: impl Fn(&Member, Answer) -> Option<Result<Answer, String>>,
) -> Vec<Option<Result<Answer, String>>> {
    let members = set.members.iter();
    members
        .map(|member| change(member, member.answer()))
        .collect()
}

#[test]
fn a_case_without_an_answer_does_not_hold() {
    let set = set();
    let judged = judge(&set, answers(&set, |_, _| None));
    assert_eq!(
        judged.count(|verdict| !matches!(verdict, Verdict::NotRun)),
        0
    );
    // Neither does an answer without anything in it.
    let judged = judge(
        &set,
        answers(&set, |_, mut answer| {
            for pose in &mut answer.poses {
                (pose.nodes, pose.meshes) = (None, None);
            }
            Some(Ok(answer))
        }),
    );
    assert_eq!(
        judged.count(|verdict| !matches!(verdict, Verdict::NotRun)),
        0
    );
}

#[test]
fn every_fault_looks_like_itself() {
    let set = set();
    let mut unknown = Vec::new();
    for (fault, caught) in set.faults.iter().zip(&set.caught) {
        let all = answers(&set, |member, right| {
            Some(Ok(fault.answer(member).unwrap_or(right)))
        });
        let judged = judge(&set, all);
        let names: Vec<&str> = judged.looks_like.iter().map(|cause| cause.fault).collect();
        let counted = caught
            .iter()
            .filter(|one| !set.members[one.case].case.is_informational);
        if counted.count() > 0 && names.first() != Some(&fault.name) {
            unknown.push(format!("{}: {names:?}", fault.name));
        }
    }
    assert_eq!(unknown, [""; 0]);
}

#[test]
fn wrong_answers_are_wrong_and_say_where() {
    let set = set();
    let skin = set
        .members
        .iter()
        .find(|member| member.case.name == "skin")
        .expect("it is there");
    let wrong = |change: &dyn Fn(&mut Answer)| {
        let mut answer = skin.answer();
        change(&mut answer);
        skin.judge(&answer).expect_err("it is wrong").to_string()
    };
    let nodes = |answer: &mut Answer| answer.poses[1].nodes.take().expect("nodes");
    assert_eq!(
        wrong(&|answer| answer.poses.truncate(2)),
        "2 poses for 5 times"
    );
    assert_eq!(
        wrong(&|answer| answer.poses[1].time = 0.3),
        "a pose at 0.3 s where 0.25 s is expected"
    );
    let text = wrong(&|answer| {
        let mut all = nodes(answer);
        all.remove(1);
        answer.poses[1].nodes = Some(all);
    });
    assert_eq!(text, "node \"root\" is missing at 0.25 s");
    let text = wrong(&|answer| {
        let mut all = nodes(answer);
        all[2].world[12] = None;
        answer.poses[1].nodes = Some(all);
    });
    assert_eq!(
        text,
        "the global transform of node \"middle\" at 0.25 s is not finite"
    );
    let text = wrong(&|answer| {
        let meshes = answer.poses[4].meshes.as_mut().expect("meshes");
        meshes[0].positions[3][1] = meshes[0].positions[3][1].map(|y| y + 0.5);
        meshes[0].positions[4][1] = meshes[0].positions[4][1].map(|y| y + 0.25);
    });
    assert!(
        text.starts_with("vertex 3 of node \"body\" at 1 s is off by 5.000e-1, allowed "),
        "{text}"
    );
    let text = wrong(&|answer| {
        let meshes = answer.poses[0].meshes.as_mut().expect("meshes");
        meshes[0].positions.pop();
    });
    assert_eq!(
        text,
        "primitive 0 of node \"body\" has 9 positions for 10 vertices"
    );
}

/// Wider bounds for an engine that declares what it does, but none for a fault.
#[test]
fn an_engine_with_four_influences_holds_by_its_profile_alone() {
    let four = Capabilities::parse("influences=4").expect("a profile");
    let member = |set: Set| {
        let mut members = set.members.into_iter();
        members
            .find(|member| member.case.name == "five-influences")
            .expect("it is there")
    };
    let (usual, wide) = (member(set()), member(Set::new(&four)));
    let largest = |body: &crate::laws::Body| {
        let lists = body
            .influences
            .iter()
            .map(|list| list.iter().take(4).copied());
        crate::laws::Skinner::skin(
            &crate::laws::Cpu,
            &crate::laws::Body {
                influences: crate::rig::Influences::from_vertices(lists),
                ..body.clone()
            },
        )
    };
    let engine = crate::laws::Parts {
        rotations: &Own,
        vectors: &Own,
        skinner: Box::leak(Box::new(move |body: &crate::laws::Body| -> Vec<Vec3> {
            largest(body)
        })),
    };
    let poses = engine.pose(&usual.asset, &usual.times).expect("it poses");
    let answer = answer::answer(&usual.asset, &usual.times, &poses);
    assert!(usual.judge(&answer).is_err());
    assert_eq!(wide.judge(&answer).err(), None);
}
