//! `skincheck crosscheck --importers`, and what `inspect` says of other importers.
//!
//! Each known fault of assimp has a fixture, on which the comparison with a native importer names the stage where it begins.
//! On all other fixtures the two agree.

use std::fs;
use std::path::PathBuf;

use skincheck::crosscheck::importers::{self, ImporterReport, Kind, Stage};
use skincheck::import::{self, LossKind, Options};

use crate::program::{self, arguments, fixture, skincheck};
use crate::support::in_group;

/// `(file, first stage that differs, kind of the difference, what assimp does)`
const FAULTS: &[(&str, Stage, Kind, &str)] = &[
    (
        "external_buffer.gltf",
        Stage::Reading,
        Kind::Refused,
        "does not decode the address of a buffer",
    ),
    (
        "no_inverse_bind.gltf",
        Stage::Reading,
        Kind::Refused,
        "crashes on a skin without inverse bind matrices",
    ),
    (
        "joints_outside_scene.gltf",
        Stage::Joints,
        Kind::JointMissing,
        "drops nodes that are not in the scene",
    ),
    (
        "two_scenes.gltf",
        Stage::Joints,
        Kind::JointMissing,
        "drops the nodes of other scenes",
    ),
    (
        "many_joints.gltf",
        Stage::Weights,
        Kind::Influences,
        "reads weights in normalized bytes as something else",
    ),
    (
        "walker.glb",
        Stage::Weights,
        Kind::Influences,
        "reads weights in normalized bytes as something else",
    ),
    (
        "short_weights.gltf",
        Stage::Weights,
        Kind::Influences,
        "reads weights in normalized shorts as something else",
    ),
    (
        "quantized.gltf",
        Stage::Weights,
        Kind::VertexMissing,
        "reads positions in shorts as something else",
    ),
    (
        "shared_mesh.gltf",
        Stage::Weights,
        Kind::Influences,
        "binds a mesh with two skins to one of them",
    ),
    (
        "step_linear_cubic.gltf",
        Stage::Clips,
        Kind::Interpolation,
        "runs straight where keys are steps or splines",
    ),
    (
        "half_second_spline.gltf",
        Stage::Clips,
        Kind::Interpolation,
        "runs straight where keys are splines",
    ),
    (
        "byte_rotations.gltf",
        Stage::Clips,
        Kind::KeyValues,
        "reads rotations in normalized bytes as something else",
    ),
    (
        "duplicate_names.gltf",
        Stage::Clips,
        Kind::TrackMissing,
        "takes joints of one name for one another",
    ),
    (
        "late_take.fbx",
        Stage::Clips,
        Kind::ClipRange,
        "moves the start of a take to 0",
    ),
    (
        "fbx/version_6100.fbx",
        Stage::Reading,
        Kind::Refused,
        "refuses FBX before 7.1",
    ),
    (
        "fbx/inherit_types.fbx",
        Stage::RestPose,
        Kind::JointAxes,
        "ignores inherit types",
    ),
    (
        "fbx/growing_parent.fbx",
        Stage::PosedJoints,
        Kind::JointAxes,
        "ignores inherit types, which shows only in motion",
    ),
    (
        "fbx/blend_shape.fbx",
        Stage::RestPose,
        Kind::RestMorphWeights,
        "rests blend shapes at full weight",
    ),
    (
        "fbx/in_between.fbx",
        Stage::RestPose,
        Kind::RestMorphWeights,
        "adds in-between shapes up",
    ),
    (
        "fbx/instanced.fbx",
        Stage::InverseBinds,
        Kind::InverseBind,
        "binds all uses of a geometry as the first",
    ),
    (
        "fbx/broken_cluster.fbx",
        Stage::Weights,
        Kind::Influences,
        "drops a cluster for one weight of a vertex that is not there",
    ),
    (
        "fbx/cubic_keys.fbx",
        Stage::Clips,
        Kind::Interpolation,
        "runs straight where curves bend or hold",
    ),
    (
        "fbx/repeat.fbx",
        Stage::Clips,
        Kind::Interpolation,
        "stops where a curve goes on by repeating itself",
    ),
    (
        "fbx/layers.fbx",
        Stage::Clips,
        Kind::KeyValues,
        "lets the last layer win",
    ),
];

/// `(file, what the model shows that assimp would lose)`
const LOSSES: &[(&str, LossKind)] = &[
    ("fbx/version_6100.fbx", LossKind::File),
    ("step_linear_cubic.gltf", LossKind::Interpolation),
    ("half_second_spline.gltf", LossKind::Interpolation),
    ("fbx/cubic_keys.fbx", LossKind::Interpolation),
    ("late_take.fbx", LossKind::ClipStart),
    ("fbx/inherit_types.fbx", LossKind::InheritedScale),
    ("fbx/growing_parent.fbx", LossKind::InheritedScale),
    ("fbx/blend_shape.fbx", LossKind::RestMorphWeights),
    ("shared_mesh.gltf", LossKind::Bindings),
    ("duplicate_names.gltf", LossKind::SharedNames),
];

fn options() -> Options {
    Options {
        isolation: program::isolation(),
        images: false,
        ..Options::default()
    }
}

fn compare(name: &str) -> ImporterReport {
    let path = fixture(name);
    let pair = importers::choose(&path).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(pair[1], "assimp", "{name}");
    importers::compare_file(&path, pair, &options()).unwrap_or_else(|error| panic!("{error}"))
}

/// The names of all fixtures that two importers read, without the broken ones.
fn models() -> Vec<String> {
    let folder = |below: &str| -> Vec<String> {
        let entries = fs::read_dir(fixture(below)).expect("the folder is there");
        let names = entries.map(|entry| entry.expect("it is readable").file_name());
        let names = names.map(|name| format!("{below}{}", name.to_string_lossy()));
        names.collect()
    };
    let mut all = [folder(""), folder("fbx/")].concat();
    let is_model = |name: &str| {
        [".gltf", ".glb", ".fbx"]
            .iter()
            .any(|end| name.ends_with(end))
    };
    all.retain(|name| is_model(name));
    all.sort();
    all
}

#[test]
fn every_fault_of_assimp_is_found_at_its_stage() {
    for (name, stage, kind, fault) in FAULTS {
        let report = compare(name);
        let first = report.first_difference();
        let first = first.unwrap_or_else(|| panic!("{name}: assimp {fault}, and nothing differs"));
        assert_eq!(first.stage, *stage, "{name}: {first:?}");
        assert_eq!(first.differences[0].kind, *kind, "{name}: {first:?}");
    }
}

#[test]
fn on_all_other_fixtures_the_importers_agree() {
    let models = models();
    assert!(models.len() > 40, "{models:?}");
    let mut agreeing = models;
    agreeing.retain(|name| FAULTS.iter().all(|(faulty, ..)| faulty != name));
    for name in agreeing {
        let report = compare(&name);
        assert!(report.agrees(), "{name}: {:?}", report.first_difference());
    }
}

/// What assimp would lose of a fixture, by what a native importer read.
fn losses(name: &str) -> Vec<LossKind> {
    let path: PathBuf = fixture(name);
    let asset = import::load(&path, &options()).unwrap_or_else(|error| panic!("{error}"));
    let assimp = import::importers_for(&path).last();
    let assimp = assimp.expect("it takes the file");
    assert_eq!(assimp.name(), "assimp");
    let losses = assimp.losses(&path, &asset);
    losses.iter().map(|loss| loss.kind).collect()
}

#[test]
fn every_loss_that_is_told_is_a_difference_that_is_found() {
    for (name, kind) in LOSSES {
        assert!(losses(name).contains(kind), "{name}: {:?}", losses(name));
        assert!(FAULTS.iter().any(|(faulty, ..)| faulty == name), "{name}");
    }
    for name in models() {
        let is_faulty = FAULTS.iter().any(|(faulty, ..)| *faulty == name);
        assert!(
            is_faulty || losses(&name).is_empty(),
            "{name}: {:?}",
            losses(&name)
        );
    }
}

#[track_caller]
fn reports(name: &str, line: &str, code: i32) {
    let run = skincheck(arguments(line));
    assert_eq!(run.code, Some(code), "{line}: {}", run.stderr);
    let output = format!("$ skincheck {line}\n{}{}", run.text(), run.stderr);
    in_group("crosscheck_importers", || {
        insta::assert_snapshot!(name, output);
    });
}

#[test]
fn the_report_names_the_first_stage_with_numbers() {
    reports("steps", "crosscheck --importers step_linear_cubic.gltf", 1);
    reports(
        "inherit_types",
        "crosscheck --importers fbx/inherit_types.fbx",
        1,
    );
    reports(
        "old_version",
        "crosscheck --importers fbx/version_6100.fbx",
        1,
    );
    reports("agree", "crosscheck --importers arm.gltf arm.fbx", 0);
}

#[test]
fn the_json_of_importers_says_the_same_for_machines() {
    reports(
        "late_take_json",
        "crosscheck --importers late_take.fbx --json",
        1,
    );
}

#[test]
fn one_unreadable_file_does_not_stop_the_others() {
    let line =
        "crosscheck --importers=gltf,assimp nowhere.gltf step_linear_cubic.gltf broken/cycle.gltf";
    let run = skincheck(arguments(line));
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(
        run.text().starts_with("step_linear_cubic.gltf: "),
        "{}",
        run.text()
    );
    assert!(run.stderr.contains("nowhere.gltf"), "{}", run.stderr);
    assert!(run.stderr.contains("2 of 3 models"), "{}", run.stderr);
}

#[test]
fn a_comparison_needs_two_importers() {
    reports("only_one", "crosscheck --importers arm.smd", 2);
    reports("same_twice", "crosscheck --importers=gltf,gltf arm.gltf", 2);
    reports("unknown", "crosscheck --importers=gltf,blender arm.gltf", 2);
    let run = skincheck(arguments("crosscheck --importers --clip Bend arm.gltf"));
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("cannot be used with"), "{}", run.stderr);
}

#[test]
fn inspect_tells_what_another_importer_would_lose() {
    let text = |line: &str| skincheck(arguments(line)).ok().text().to_owned();
    let steps = text("inspect step_linear_cubic.gltf");
    assert!(steps.contains("assimp would lose, at least, "), "{steps}");
    assert!(text("inspect arm.fbx").contains("crosscheck --importers compares"));
    let read_by_assimp = text("inspect step_linear_cubic.gltf --importer assimp");
    assert!(!read_by_assimp.contains("would lose"), "{read_by_assimp}");
    let json: serde_json::Value =
        serde_json::from_str(&text("inspect late_take.fbx --json")).expect("it is JSON");
    let other = &json["other_importers"][0];
    assert_eq!(other["name"], "assimp");
    assert_eq!(other["losses"][0]["kind"], "clip-start");
}
