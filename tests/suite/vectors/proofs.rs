//! The cases are proven: by answers computed by hand, by the other implementations of the library, and by planted faults.

use glam::{DMat4, DVec3};
use skincheck::laws::{Own, Posed, Poser};
use skincheck::pose::{self, ModelPose};
use skincheck::rig::{ClipId, SkinningOptions};
use skincheck::skinning;
use skincheck::units::Seconds;

use super::expected::{answer, is_wrong};
use super::member::Member;
use super::{Set, cases};
use crate::engines::Plant;

/// All cases, without their faults.
fn members() -> Vec<Member> {
    cases::all().map(Member::new).collect()
}

/// Planted faults that no valid file can show: vertices without weight are forbidden, and weights sum to 1.
const NEVER_SHOWN: [&str; 1] = ["weightless-dropped"];

#[test]
fn every_fault_is_caught_and_every_file_catches_one() {
    let set = Set::new();
    let shown: Vec<&str> = set.faults().map(|(name, ..)| name).collect();
    let of_files = set
        .faults
        .iter()
        .filter(|fault| !matches!(fault.plant, Plant::Weights(_) | Plant::DualQuaternions(_)));
    let names = of_files.map(|fault| fault.name);
    let hidden: Vec<&str> = names.filter(|name| !shown.contains(name)).collect();
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
    let set = Set::new();
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
    for member in &members() {
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
    let members = members();
    let mut names: Vec<&str> = members.iter().map(|member| member.case.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), members.len());
    for member in &members {
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

/// Posed and skinned in f32 by the code that draws images, and skinned in f64 by the reference of that, with normals.
#[test]
fn the_library_holds_on_the_cases() {
    for member in &members() {
        let (name, asset) = (member.case.name, &member.asset);
        let poses = Own.pose(asset, &member.times).expect(name);
        let own = answer(asset, &member.times, &poses);
        assert!(!is_wrong(&member.expected, &own), "{name}");
        for (posed, wanted) in poses.iter().zip(&member.expected) {
            let local = pose::sample(asset, &asset[ClipId(0)], Seconds(wanted.time)).expect(name);
            let exact = ModelPose {
                nodes: posed.nodes.iter().map(DMat4::as_mat4).collect(),
                ..pose::model_pose(asset, &local)
            };
            let meshes = skinning::reference::deform(asset, &exact, &SkinningOptions::default());
            let (positions, normals): (Vec<_>, Vec<_>) = meshes
                .expect(name)
                .into_iter()
                .map(|mesh| (mesh.positions, mesh.normals))
                .unzip();
            let exact = Posed {
                meshes: positions,
                nodes: posed.nodes.clone(),
            };
            let mut own = answer(asset, &[wanted.time], &[exact]);
            for (mesh, normals) in own[0].meshes.iter_mut().zip(normals) {
                mesh.normals = normals
                    .iter()
                    .map(|normal| Some(normal.to_array()))
                    .collect();
            }
            assert!(!is_wrong(std::slice::from_ref(wanted), &own), "{name}");
        }
    }
}

/// The position of a vertex of the first mesh at a time, and its normal.
fn vertex(members: &[Member], case: &str, time: f64, vertex: usize) -> (DVec3, DVec3) {
    let member = members.iter().find(|member| member.case.name == case);
    let poses = &member.expect(case).expected;
    let pose = poses.iter().find(|pose| (pose.time - time).abs() < 1e-9);
    let mesh = &pose.expect(case).meshes[0];
    let normal = mesh.normals[vertex].map_or(DVec3::ZERO, DVec3::from_array);
    (DVec3::from_array(mesh.positions[vertex]), normal)
}

/// By hand. A rotation of `(0, 0, 0.6, 0.8)` has the cosine 0.28 and the sine 0.96.
#[test]
fn expected_positions_are_those_computed_by_hand() {
    let members = members();
    for (case, time, index, expected) in [
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
        let (found, _) = vertex(&members, case, time, index);
        let off = found.distance(DVec3::from_array(expected));
        assert!(
            off < 1e-6,
            "{case} at {time} s: {found} instead of {expected:?}"
        );
    }
}

/// By hand. A normal `(0.6, 0, 0.8)` of a surface that is stretched by 2 along X leans less: `(0.3, 0, 0.8)` normalized.
#[test]
fn expected_normals_are_those_computed_by_hand() {
    let members = members();
    for (case, time, index, expected) in [
        ("normals-in-a-sheared-hierarchy", 0.0, 0, [0.3, 0.0, 0.8]),
        // (0.6, 0, 0.8) rotated to (0.6 * 0.28, 0.6 * 0.96, 0.8), and divided by (2, 1, 1).
        (
            "normals-in-a-sheared-hierarchy",
            1.0,
            0,
            [0.084, 0.576, 0.8],
        ),
        // Divided by (1, 3, 0.5), then rotated.
        (
            "normals-below-non-uniform-scale",
            1.0,
            0,
            [0.168, 0.576, 1.6],
        ),
        ("normals-mirrored", 0.0, 0, [-0.6, 0.0, 0.8]),
        // Half of the animated 0.75.
        ("normals-morphed", 0.5, 0, [0.6 - 0.225, 0.225, 0.8]),
    ] {
        let (_, found) = vertex(&members, case, time, index);
        let off = found.distance(DVec3::from_array(expected).normalize());
        assert!(
            off < 1e-6,
            "{case} at {time} s: {found} instead of {expected:?}"
        );
    }
}

/// An engine of four influences that uses the first ones instead of the largest, and one that does not normalize.
#[test]
fn fewer_influences_are_the_largest_ones_exactly() {
    let members = members();
    let member = members
        .iter()
        .find(|member| member.case.name == "two-sets-of-joints");
    let member = member.expect("it is there");
    let pose = &member.expected[4];
    let counts: Vec<usize> = pose
        .limited
        .iter()
        .map(|limited| limited.influences)
        .collect();
    assert_eq!(counts, [1, 2, 3, 4, 5, 6, 7]);
    let [all, four] = [&pose.meshes[0], &pose.limited[3].meshes[0]].map(|mesh| mesh.positions[0]);
    let lost = DVec3::from_array(all).distance(DVec3::from_array(four));
    assert!(lost > 100.0 * pose.limited[3].tolerance.vertices, "{lost}");
    let valid = members
        .iter()
        .filter(|member| !member.case.is_informational);
    for mesh in valid.flat_map(|member| &member.asset.meshes) {
        for list in mesh.influences.iter() {
            let mut weights: Vec<f32> = list.iter().map(|influence| influence.weight).collect();
            weights.sort_by(f32::total_cmp);
            let is_ambiguous = weights
                .windows(2)
                .any(|pair| pair[0].to_bits() == pair[1].to_bits());
            assert!(!is_ambiguous || list.len() < 3, "{list:?}");
        }
    }
}
