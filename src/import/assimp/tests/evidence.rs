//! Files with one fault each: the import reports that fault, with its location, and nothing else.

use std::fs;

use crate::import::assimp::Assimp;
use crate::import::importer::{Importer, ImporterError};
use crate::import::testing::{bytes, changed, reported, text};
use crate::rig::{Asset, DefectKind};

/// The fixture `name` with the first `from` replaced by `to`.
fn with(name: &str, from: &str, to: &str) -> Vec<u8> {
    changed(&text(name), from, to).into_bytes()
}

/// Imports the first of `files`, which lie in one folder.
fn import(files: &[(&str, Vec<u8>)]) -> Result<Asset, ImporterError> {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    let asset = Assimp.import(&folder.path().join(files[0].0))?;
    asset.validate().expect("what is imported is valid");
    Ok(asset)
}

/// What is reported about the fixture `name` with one of `changes`: one line each.
fn defects(name: &str, changes: &[(&str, &str)]) -> String {
    let lines = changes.iter().map(|(from, to)| {
        let evidence = import(&[(name, with(name, from, to))]).unwrap().evidence;
        reported(&evidence).join(" AND ")
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn clean_files_have_no_defect() {
    for name in ["arm.x", "arm.smd", "arm.ms3d", "arm.fbx", "arm.b3d"] {
        let evidence = import(&[(name, bytes(name))]).unwrap().evidence;
        assert_eq!(reported(&evidence), [""; 0], "{name}");
    }
}

#[test]
fn direct_x_reports_bones_and_keys() {
    let matrix = "1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,-1.0";
    let sheared = "1.0,0.0,0.0,0.5,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,-1.0";
    let changes = [
        (matrix, sheared),
        ("\"wrist\";", "\"hand\";"),
        ("0;16;", "7;16;"),
        ("1;16;", "0;16;"),
        ("{ elbow }", "{ hand }"),
        ("{ elbow }", ""),
    ];
    insta::assert_snapshot!(defects("arm.x", &changes), @r#"
    NonaffineInverseBind mesh "tube", joint "elbow": the last row of its inverse bind matrix is 0.5 0 -0 1 (x1)
    JointWithoutNode mesh "tube", joint "hand": the joint names no node, with 12 weights (x1)
    UnorderedKeys joint "elbow", clip "Bend" at 0.042 s, translation: key 1 at 0.0417 s comes after one at 0.2917 s (x3)
    ConflictingKeys joint "elbow", clip "Bend" at 0 s, rotation: keys 0 and 1 are both at 0 s and differ (x1)
    TargetMissing clip "Bend": a channel is of "hand", which is no node (x1)
    TargetMissing clip "Bend": a channel is of "", which is no node (x1)
    "#);
}

#[test]
fn smd_reports_joints_normals_and_keys() {
    let normal = "0 0.25 0.25 0 0.70710677 0.70710677 0";
    let changes = [
        ("1 0 0 1 0.06283186 0 0", "1 0 0 nan 0.06283186 0 0"),
        ("time 1\n", "time 90\n"),
        ("time 1\n", "time 0\n"),
        (normal, "0 0.25 0.25 0 2 0 0"),
        ("2 \"wrist\" 1", "2 \"wrist\" 9"),
    ];
    insta::assert_snapshot!(defects("arm.smd", &changes), @r#"
    NonfiniteKey joint "elbow", clip "animation_0" at 0.04 s, translation: key 1 is NaN or infinite (x1)
    UnorderedKeys joint "shoulder", clip "animation_0" at 0.08 s, translation: key 2 at 0.08 s comes after one at 3.6 s (x6)
    ConflictingKeys joint "elbow", clip "animation_0" at 0 s, rotation: keys 0 and 1 are both at 0 s and differ (x2)
    NonunitNormal mesh "<SMD_root>" vertex 0: the normal has length 2, not 1 (x1)
    JointWithoutNode mesh "<SMD_root>", joint "wrist": the joint names no node, with 12 weights (x1)
    "#);
}

#[test]
fn blitz_and_ogre_pass_on_nan_and_infinity() {
    let key = |file: Vec<u8>, name: &str| {
        let files = [
            (name, file),
            ("arm.skeleton.xml", bytes("arm.skeleton.xml")),
        ];
        let asset = import(&files).unwrap();
        let all = asset.meshes[0].influences.all().iter();
        let weights = all.filter(|own| !own.weight.is_finite()).count();
        let defects = asset.evidence.of(DefectKind::NonfiniteKey).count();
        for kind in [DefectKind::NonfiniteKey, DefectKind::NonfiniteWeight] {
            assert!(asset.evidence.examines(kind), "{name}");
        }
        (weights, defects)
    };
    // The first weight of the first chunk of weights, behind the number of its vertex; and the first number of the first
    // key, behind its frame.
    let blitz = |tag: &[u8], behind: usize, number: f32| {
        let mut file = bytes("arm.b3d");
        let chunk = file.windows(4).position(|window| window == tag).unwrap();
        let at = chunk + 8 + behind;
        file[at..at + 4].copy_from_slice(&number.to_le_bytes());
        key(file, "arm.b3d")
    };
    for number in [f32::NAN, f32::INFINITY] {
        assert!(blitz(b"BONE", 4, number).0 > 0, "{number}");
        assert!(blitz(b"KEYS", 8, number).1 > 0, "{number}");
    }
    for number in ["nan", "inf"] {
        let (from, to) = ("weight=\"1\"", format!("weight=\"{number}\""));
        let mesh = with("arm.mesh.xml", from, &to);
        assert!(key(mesh, "arm.mesh.xml").0 > 0, "{number}");
        let to = format!("<keyframe time=\"0\"><translate x=\"{number}\"");
        let from = "<keyframe time=\"0\"><translate x=\"0\"";
        let skeleton = with("arm.skeleton.xml", from, &to);
        let mesh = ("arm.mesh.xml", bytes("arm.mesh.xml"));
        let asset = import(&[mesh, ("arm.skeleton.xml", skeleton)]).unwrap();
        let defects = asset.evidence.of(DefectKind::NonfiniteKey);
        assert!(defects.count() > 0, "{number}");
    }
}

#[test]
fn milkshape_reports_joints_without_their_parent() {
    let mut file = bytes("arm.ms3d");
    let wrist = file.windows(6).position(|window| window == b"wrist\0");
    let parent = wrist.unwrap() + 32;
    assert!(file[parent..].starts_with(b"elbow\0"));
    file[parent] = b'E';
    let expected = [
        "TargetMissing clip \"<MS3DMasterAnim>\": a channel is of \"wrist\", which is no node (x1)",
        "JointWithoutNode mesh \"<MS3DRoot>\", joint \"wrist\": the joint names no node, with 4 weights (x1)",
    ];
    let asset = import(&[("arm.ms3d", file)]).unwrap();
    assert_eq!(reported(&asset.evidence), expected);
}

/// The smallest weight, and the smallest sum of a vertex's weights.
fn least(asset: &Asset) -> (f32, f32) {
    let lists = || asset.meshes.iter().flat_map(|mesh| mesh.influences.iter());
    let weights = lists().flatten().map(|influence| influence.weight);
    let sums = lists().map(|list| list.iter().map(|influence| influence.weight).sum::<f32>());
    (
        weights.fold(f32::MAX, f32::min),
        sums.fold(f32::MAX, f32::min),
    )
}

#[test]
fn weights_that_assimp_mends_or_drops_are_not_vouched_for() {
    let negative = DefectKind::NegativeWeight;
    let sum = DefectKind::WeightsNotNormalized;
    let weights = "1.0,1.0,1.0,1.0,0.75";
    for (name, from, to, kind) in [
        ("arm.x", weights, "-1.0,1.0,1.0,1.0,0.75", negative),
        ("figure.md5mesh", "weight 0 0 1 ", "weight 0 0 0.5 ", sum),
    ] {
        let asset = import(&[(name, with(name, from, to))]).unwrap();
        let (weight, of_vertex) = least(&asset);
        let is_silent = match kind {
            DefectKind::NegativeWeight => weight >= 0.0,
            _ => (of_vertex - 1.0).abs() < 1e-6,
        };
        assert!(is_silent, "{name}: {weight} {of_vertex}");
        assert!(!asset.evidence.examines(kind), "{name}");
    }
}

#[test]
fn weights_that_assimp_keeps_are_vouched_for() {
    let file = with("arm.x", "1.0,1.0,1.0,1.0,0.75", "0.5,1.0,1.0,1.0,0.75");
    let asset = import(&[("arm.x", file)]).unwrap();
    let (_, sum) = least(&asset);
    assert!((sum - 0.5).abs() < 1e-6, "{sum}");
    assert!(asset.evidence.examines(DefectKind::WeightsNotNormalized));
}

#[test]
fn channels_that_assimp_completes_are_not_vouched_for() {
    for name in ["arm.smd", "arm.ms3d", "arm.b3d", "arm.bvh"] {
        let asset = import(&[(name, bytes(name))]).unwrap();
        let mut channels = asset.clips.iter().flat_map(|clip| &clip.channels);
        let completed = channels.any(|channel| {
            let scale = channel.scale.as_ref();
            scale.is_some_and(|track| track.keys.len() == 1)
        });
        assert!(completed, "{name}");
        let is_reported = asset.evidence.examines(DefectKind::EmptyChannel);
        assert!(!is_reported, "{name}");
    }
}

/// A rotated joint, and a triangle.
const ROTATED_SMD: &str = "version 1\nnodes\n0 \"j0\" -1\nend\nskeleton\ntime 0\n0 1 2 3 0.1 0.2 0.3\nend\ntriangles\nm\n\
    0 0 0 0 0 0 1 0 0 1 0 1\n0 1 0 0 0 0 1 1 0 1 0 1\n0 0 1 0 0 0 1 0 1 1 0 1\nend\n";

#[test]
fn assimps_own_artefacts_are_not_faults_of_the_file() {
    let smd = import(&[("rotated.smd", ROTATED_SMD.into())]).unwrap();
    let [x, y, z, w] = smd.skins[0].inverse_bind_matrices[0]
        .transpose()
        .to_cols_array_2d()[3];
    assert!((x, y, z) == (0.0, 0.0, 0.0) && (w - 1.0).abs() < 1e-6);
    assert_eq!(reported(&smd.evidence), [""; 0]);
}
