//! Each known fault of assimp has a fixture on which the comparison with a native importer names the stage that differs. On all
//! other fixtures the two agree.

use std::fs;

use skincheck::diff::Kind;

use super::{Found, compare, is_read_twice};
use crate::program::fixture;

/// `(file, fault of assimp)`: files that assimp does not read.
const REFUSED: &[(&str, &str)] = &[
    (
        "external_buffer.gltf",
        "does not decode the address of a buffer",
    ),
    (
        "no_inverse_bind.gltf",
        "crashes on a skin without inverse bind matrices",
    ),
    (
        "visibility.gltf",
        "is not given KHR_animation_pointer, which it reads from wrong memory",
    ),
    ("fbx/version_6100.fbx", "refuses FBX before 7.1"),
];

/// `(file, fault of assimp)`: files of which it reads numbers beyond its buffer, which are others in each run.
const MISREAD: &[(&str, &str)] = &[
    (
        "walker.glb",
        "reads weights in normalized bytes as something else",
    ),
    (
        "short_weights.gltf",
        "reads weights in normalized shorts as something else",
    ),
    (
        "quantized.gltf",
        "reads positions in shorts as something else",
    ),
    (
        "byte_rotations.gltf",
        "reads rotations in normalized bytes as something else",
    ),
];

/// `(file, kinds of differences, fault of assimp)`
const FAULTS: &[(&str, &[Kind], &str)] = &[
    (
        "joints_outside_scene.gltf",
        &[Kind::Weights, Kind::JointMissing],
        "drops nodes that are not in the scene",
    ),
    (
        "shared_mesh.gltf",
        &[Kind::Weights],
        "binds a mesh with two skins to one of them",
    ),
    (
        "step_linear_cubic.gltf",
        &[Kind::Interpolation],
        "runs straight where keys are steps or splines",
    ),
    (
        "half_second_spline.gltf",
        &[Kind::Interpolation],
        "runs straight where keys are splines",
    ),
    (
        "duplicate_names.gltf",
        &[Kind::KeysMissing, Kind::Keys],
        "takes joints of one name for one another",
    ),
    (
        "late_take.fbx",
        &[Kind::ClipRange],
        "moves the start of a take to 0",
    ),
    (
        "fbx/inherit_types.fbx",
        &[Kind::RestPose, Kind::KeysMissing],
        "ignores inherit types",
    ),
    (
        "fbx/growing_parent.fbx",
        &[Kind::KeysMissing],
        "ignores inherit types, which shows only in motion",
    ),
    (
        "fbx/blend_shape.fbx",
        &[Kind::MorphWeights],
        "rests blend shapes at full weight",
    ),
    (
        "fbx/in_between.fbx",
        &[Kind::MorphWeights],
        "adds in-between shapes up",
    ),
    (
        "fbx/instanced.fbx",
        &[Kind::MeshShape, Kind::MeshAdded],
        "binds all uses of a geometry as the first",
    ),
    (
        "fbx/broken_cluster.fbx",
        &[Kind::MeshShape],
        "drops a cluster for one weight of a vertex that is not there",
    ),
    (
        "fbx/cubic_keys.fbx",
        &[Kind::Resampled],
        "runs straight where curves bend or hold",
    ),
    (
        "fbx/repeat.fbx",
        &[Kind::KeysMissing],
        "stops where a curve goes on by repeating itself",
    ),
    (
        "fbx/layers.fbx",
        &[Kind::RootMotion],
        "lets the last layer win",
    ),
    (
        "arm.iqm",
        &[Kind::ClipMissing, Kind::JointRenamed, Kind::JointMissing],
        "reads no rig of IQM",
    ),
    (
        "arm_anim_only.iqm",
        &[Kind::ClipMissing, Kind::JointMissing],
        "reads no rig of IQM",
    ),
    (
        "eased.gltf",
        &[Kind::Interpolation],
        "runs straight where keys are splines",
    ),
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

fn is_faulty(name: &str) -> bool {
    let mut others = REFUSED.iter().chain(MISREAD);
    others.any(|(own, _)| *own == name) || FAULTS.iter().any(|(own, ..)| *own == name)
}

#[test]
fn every_fault_of_assimp_is_found_at_its_stage() {
    for (name, fault) in REFUSED {
        assert_eq!(
            compare(&fixture(name)),
            Found::Refused,
            "{name}: assimp {fault}"
        );
    }
    for (name, fault) in MISREAD {
        assert_ne!(
            compare(&fixture(name)),
            Found::Kinds(Vec::new()),
            "{name}: assimp {fault}"
        );
    }
    for (name, kinds, fault) in FAULTS {
        let expected = Found::Kinds(kinds.to_vec());
        assert_eq!(compare(&fixture(name)), expected, "{name}: assimp {fault}");
    }
}

#[test]
fn on_all_other_fixtures_the_importers_agree() {
    let models = models();
    assert!(models.len() > 40, "{models:?}");
    for name in models.iter().filter(|name| !is_faulty(name)) {
        let found = compare(&fixture(name));
        assert_eq!(found, Found::Kinds(Vec::new()), "{name}");
    }
}
