//! On real models, native importers and assimp differ only because of known faults of assimp.

#![expect(
    clippy::print_stdout,
    reason = "the table is for those who run the test"
)]

use std::fs;
use std::path::{Path, PathBuf};

use super::{Found, compare, is_read_twice};

const CURVES: &str = "curves run straight between keys";
const START: &str = "a take is moved to begin at 0";
const OUTSIDE: &str = "nodes outside of the scene are dropped";
const NO_RIG: &str = "no rig of IQM is read";

/// `(file, fault of assimp)`
const KNOWN: &[(&str, &str)] = &[
    ("Animation_Node_05.gltf", CURVES),
    ("Animation_Skin_03.gltf", OUTSIDE),
    (
        "Animation_Skin_04.gltf",
        "a skin without inverse bind matrices crashes it",
    ),
    ("InterpolationTest.glb", CURVES),
    (
        "RecursiveSkeletons.glb",
        "a mesh with 84 skins is bound to one of them",
    ),
    ("gltf_simple_skin_step.gltf", CURVES),
    ("huesitos.fbx", CURVES),
    (
        "blender_293_barbarian_7400_binary.fbx",
        "blend shapes rest at full weight",
    ),
    ("animation-multi-clip.fbx", START),
    (
        "max_transformed_skin_6100_ascii.fbx",
        "FBX before 7.1 is refused",
    ),
    ("max_transformed_skin_7500_binary.fbx", CURVES),
    ("maya_anim_interpolation_7700_binary.fbx", CURVES),
    ("maya_dq_weights_7500_binary.fbx", START),
    ("maya_game_sausage_7500_binary_combined.fbx", START),
    ("maya_kenney_character_7700_binary.fbx", CURVES),
    ("maya_mixed_inherit_mode_7700_ascii.fbx", CURVES),
    ("maya_pivot_offset_7700_binary.fbx", START),
    ("maya_slime_7500_binary.fbx", "inherit types are ignored"),
    ("walk.fbx", OUTSIDE),
    ("guy.iqm", NO_RIG),
    ("guyanim.iqm", NO_RIG),
];

/// What assimp reads of this one depends on its memory: a longer path to the file changes a weight.
const UNSTEADY: &str = "Animation_SkinType_02.gltf";

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
    if name == UNSTEADY {
        return None;
    }
    let found = compare(path);
    let known = KNOWN.iter().find(|(known, _)| *known == name);
    let cause = known.map_or("", |(_, cause)| cause);
    println!("{name:<48} {cause:<48} {found:?}");
    let differs = found != Found::Kinds(Vec::new());
    (differs != known.is_some()).then(|| format!("{name}: {found:?}"))
}
