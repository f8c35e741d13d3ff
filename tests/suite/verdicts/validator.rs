//! Compares the rules with glTF-Validator on the same files: where both have a rule for the same fault, they agree.
//!
//! The validator's findings were recorded with version 2.0.0-dev.3.10 (`record.js` beside this file, which needs node
//! and the package `gltf-validator`), so that the test needs neither.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{checked, corpus, name_of};
use crate::fixtures::folder;

/// `(its code, our rule)`.
pub(super) const SAME: &[(&str, &str)] = &[
    ("ACCESSOR_ANIMATION_INPUT_NEGATIVE", "C507"),
    ("ACCESSOR_ANIMATION_INPUT_NON_INCREASING", "C505"),
    (
        "ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION",
        "C511",
    ),
    ("ACCESSOR_INDEX_OOB", "G802"),
    ("ACCESSOR_INDEX_TRIANGLE_DEGENERATE", "G803"),
    ("ACCESSOR_INVALID_IBM", "B202"),
    ("ACCESSOR_INVALID_SIGN", "G816"),
    ("ACCESSOR_JOINTS_INDEX_DUPLICATE", "W109"),
    ("ACCESSOR_JOINTS_INDEX_OOB", "W110"),
    ("ACCESSOR_VECTOR3_NON_UNIT", "G805"),
    ("ACCESSOR_WEIGHTS_NEGATIVE", "W102"),
    ("ACCESSOR_WEIGHTS_NON_NORMALIZED", "W103"),
    ("ANIMATION_CHANNEL_TARGET_NODE_MATRIX", "C519"),
    ("ANIMATION_DUPLICATE_TARGETS", "C517"),
    ("INVALID_IBM_ACCESSOR_COUNT", "B203"),
    ("MESH_INVALID_WEIGHTS_COUNT", "G814"),
    ("MESH_PRIMITIVES_UNEQUAL_TARGETS_COUNT", "G815"),
    ("MESH_PRIMITIVE_JOINTS_WEIGHTS_MISMATCH", "W118"),
    ("NODE_LOOP", "H304"),
    ("NODE_MATRIX_NON_TRS", "T402"),
    ("NODE_PARENT_OVERRIDE", "H304"),
    ("NODE_SKINNED_MESH_LOCAL_TRANSFORMS", "B207"),
    ("NODE_SKINNED_MESH_WITHOUT_SKIN", "B208"),
    ("NODE_SKIN_NO_SCENE", "H316"),
    ("NODE_SKIN_WITH_NON_SKINNED_MESH", "B208"),
    ("NODE_WEIGHTS_INVALID", "G814"),
    ("ROTATION_NON_UNIT", "T401"),
    ("SKIN_NO_COMMON_ROOT", "H303"),
    ("SKIN_SKELETON_INVALID", "H315"),
];

/// The file, our rule, and why only one of the two reports it.
const DIFFERENCES: &str = include_str!("differences.tsv");

/// `file`, tab, one of the validator's codes; one per line.
pub(super) const RECORDED: &str = include_str!("validator.tsv");

#[test]
fn our_rules_and_those_of_gltf_validator_agree() {
    let fixtures = std::fs::read_dir(folder().join("rules")).expect("fixtures/rules is there");
    let mut files: Vec<PathBuf> = fixtures
        .map(|entry| entry.expect("so is its entry").path())
        .collect();
    files.extend(corpus().unwrap_or_default());
    files.retain(|path| {
        path.extension()
            .is_some_and(|end| end == "gltf" || end == "glb")
    });
    let files: Vec<PathBuf> = files
        .into_iter()
        .filter(|path| checked(path).is_ok())
        .collect();
    let names: BTreeSet<String> = files.iter().map(|path| name_of(path)).collect();
    let ours: BTreeSet<(String, &str)> = files.iter().flat_map(|path| ours(path)).collect();
    let theirs: BTreeSet<(String, &str)> =
        theirs().filter(|(name, _)| names.contains(name)).collect();
    let explained = DIFFERENCES.lines().map(|line| line.split('\t').collect());
    let explained = explained.filter(|row: &Vec<&str>| names.contains(row[0]));
    let explained: BTreeSet<(String, &str)> =
        explained.map(|row| (row[0].to_owned(), row[1])).collect();
    let differing: BTreeSet<(String, &str)> = ours.symmetric_difference(&theirs).cloned().collect();
    assert_eq!(
        differing,
        explained,
        "ours: {:?}",
        ours.difference(&theirs).collect::<Vec<_>>()
    );
}

/// Our findings by rules that correspond to one of glTF-Validator.
fn ours(path: &Path) -> Vec<(String, &'static str)> {
    let Ok(checked) = checked(path) else {
        return Vec::new();
    };
    let codes = checked.findings.iter().map(|finding| finding.code.0);
    let shared = codes.filter(|code| SAME.iter().any(|(_, ours)| ours == code));
    shared.map(|code| (name_of(path), code)).collect()
}

fn theirs() -> impl Iterator<Item = (String, &'static str)> {
    let lines = RECORDED.lines().filter_map(|line| line.split_once('\t'));
    lines.filter_map(|(name, code)| {
        let same = SAME.iter().find(|(theirs, _)| *theirs == code)?;
        Some((name.to_owned(), same.1))
    })
}
