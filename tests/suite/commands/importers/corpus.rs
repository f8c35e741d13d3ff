//! On real models, native importers and assimp differ only because of known faults of assimp.

#![expect(
    clippy::print_stdout,
    reason = "the table is for those who run the test"
)]

use std::fs;
use std::path::{Path, PathBuf};

use skincheck::crosscheck::importers::Stage;

use super::{compare, is_read_twice};

const CURVES: &str = "curves run straight between keys";
const START: &str = "a take is moved to begin at 0";
const NORMALIZED: &str = "numbers in normalized integers are misread";
const OUTSIDE: &str = "nodes outside of the scene are dropped";
const NO_RIG: &str = "no rig of IQM is read";

/// `(file, first stage that differs, fault of assimp)`
const KNOWN: &[(&str, Stage, &str)] = &[
    ("Animation_SkinType_02.gltf", Stage::Weights, NORMALIZED),
    ("Animation_Skin_03.gltf", Stage::Joints, OUTSIDE),
    (
        "Animation_Skin_04.gltf",
        Stage::Reading,
        "a skin without inverse bind matrices crashes it",
    ),
    ("InterpolationTest.glb", Stage::Clips, CURVES),
    (
        "RecursiveSkeletons.glb",
        Stage::Weights,
        "a mesh with 84 skins is bound to one of them",
    ),
    ("gltf_simple_skin_step.gltf", Stage::Clips, CURVES),
    ("huesitos.fbx", Stage::Clips, CURVES),
    (
        "blender_293_barbarian_7400_binary.fbx",
        Stage::RestPose,
        "blend shapes rest at full weight",
    ),
    ("animation-multi-clip.fbx", Stage::Clips, START),
    (
        "max_transformed_skin_6100_ascii.fbx",
        Stage::Reading,
        "FBX before 7.1 is refused",
    ),
    ("max_transformed_skin_7500_binary.fbx", Stage::Clips, CURVES),
    (
        "maya_anim_interpolation_7700_binary.fbx",
        Stage::Clips,
        CURVES,
    ),
    ("maya_dq_weights_7500_binary.fbx", Stage::Clips, START),
    (
        "maya_game_sausage_7500_binary_combined.fbx",
        Stage::Clips,
        START,
    ),
    (
        "maya_kenney_character_7700_binary.fbx",
        Stage::Clips,
        CURVES,
    ),
    (
        "maya_mixed_inherit_mode_7700_ascii.fbx",
        Stage::Clips,
        CURVES,
    ),
    ("maya_pivot_offset_7700_binary.fbx", Stage::Clips, START),
    (
        "maya_slime_7500_binary.fbx",
        Stage::RestPose,
        "inherit types are ignored",
    ),
    ("skeleton.fbx", Stage::Joints, OUTSIDE),
    ("walk.fbx", Stage::Joints, OUTSIDE),
    ("guy.iqm", Stage::Joints, NO_RIG),
    ("guyanim.iqm", Stage::Joints, NO_RIG),
];

#[test]
fn on_real_models_a_difference_has_a_known_cause() {
    let Some(corpus) = std::env::var_os("SKINCHECK_CORPUS").map(PathBuf::from) else {
        println!("SKINCHECK_CORPUS names no folder of models: nothing compared");
        return;
    };
    let models = models(&corpus);
    assert!(!models.is_empty(), "{}: no model", corpus.display());
    let surprises: Vec<String> = models.iter().filter_map(|path| surprise(path)).collect();
    assert!(surprises.is_empty(), "{}", surprises.join("\n"));
}

/// All models that two importers read, sorted by name.
fn models(corpus: &Path) -> Vec<PathBuf> {
    let entries = |folder: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect()
    };
    let folders = entries(corpus);
    let mut models: Vec<PathBuf> = folders.iter().flat_map(|folder| entries(folder)).collect();
    models.retain(|path| is_read_twice(&name(path)));
    models.sort();
    models
}

fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

fn surprise(path: &Path) -> Option<String> {
    let name = name(path);
    let report = compare(path);
    let found = report.first_difference();
    let known = KNOWN.iter().find(|(known, ..)| *known == name);
    let stage = found.map_or("none", |stage| stage.stage.name());
    println!(
        "{name:<48} {stage:<20} {}",
        known.map_or("", |(.., cause)| cause)
    );
    let expected = known.map(|(_, stage, _)| *stage);
    let differs = found.map(|stage| stage.stage) != expected;
    differs.then(|| format!("{name}: expected {expected:?}, found {found:?}"))
}
