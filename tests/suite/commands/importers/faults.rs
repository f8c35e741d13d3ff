//! Each known fault of assimp has a fixture on which the comparison with a native importer names the first stage that
//! differs. On all other fixtures the two agree.

use std::fs;
use std::path::PathBuf;

use skincheck::crosscheck::importers::{Kind, Stage};
use skincheck::import::{self, LossKind};

use super::{compare, is_read_twice, options};
use crate::program::fixture;

/// `(file, first stage that differs, kind of difference, fault of assimp)`
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
        "material_values.gltf",
        Stage::Reading,
        Kind::Refused,
        "is not given KHR_animation_pointer, which it reads from wrong memory",
    ),
    (
        "visibility.gltf",
        Stage::Reading,
        Kind::Refused,
        "is not given KHR_animation_pointer, which it reads from wrong memory",
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
    (
        "arm.iqm",
        Stage::Joints,
        Kind::JointMissing,
        "reads no rig of IQM",
    ),
    (
        "arm_anim_only.iqm",
        Stage::Joints,
        Kind::JointMissing,
        "reads no rig of IQM",
    ),
    (
        "figure.md5mesh",
        Stage::Joints,
        Kind::JointMissing,
        "hangs MD5 on nodes of its own",
    ),
];

/// `(file, content that assimp would lose)`
const LOSSES: &[(&str, LossKind)] = &[
    ("fbx/version_6100.fbx", LossKind::File),
    ("arm.iqm", LossKind::Rig),
    ("step_linear_cubic.gltf", LossKind::Interpolation),
    ("half_second_spline.gltf", LossKind::Interpolation),
    ("fbx/cubic_keys.fbx", LossKind::Interpolation),
    ("late_take.fbx", LossKind::ClipStart),
    ("fbx/inherit_types.fbx", LossKind::InheritedScale),
    ("fbx/growing_parent.fbx", LossKind::InheritedScale),
    ("fbx/blend_shape.fbx", LossKind::RestMorphWeights),
    ("walker.glb", LossKind::Integers),
    ("short_weights.gltf", LossKind::Integers),
    ("quantized.gltf", LossKind::Integers),
    ("shared_mesh.gltf", LossKind::Bindings),
    ("duplicate_names.gltf", LossKind::SharedNames),
];

/// The names of all sound fixtures that two importers read.
fn models() -> Vec<String> {
    let folder = |below: &str| -> Vec<String> {
        let entries = fs::read_dir(fixture(below)).expect("the folder is there");
        let names = entries.map(|entry| entry.expect("it is readable").file_name());
        let names = names.map(|name| format!("{below}{}", name.to_string_lossy()));
        names.collect()
    };
    let mut all = [folder(""), folder("fbx/")].concat();
    all.retain(|name| is_read_twice(name));
    all.sort();
    all
}

#[test]
fn every_fault_of_assimp_is_found_at_its_stage() {
    for (name, stage, kind, fault) in FAULTS {
        let report = compare(&fixture(name));
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
        let report = compare(&fixture(&name));
        assert!(report.agrees(), "{name}: {:?}", report.first_difference());
    }
}

/// The content of a fixture that assimp would lose, according to a native importer.
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
fn every_loss_that_is_reported_is_a_difference_that_is_found() {
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
