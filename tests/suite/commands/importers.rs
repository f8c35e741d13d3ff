//! `skincheck crosscheck --importers`, and the remarks of `inspect` on other importers.

mod corpus;
mod faults;

use std::path::Path;

use skincheck::crosscheck::importers::{self, ImporterReport};
use skincheck::import::Options;

use crate::program::{self, skincheck};
use crate::support::in_group;

fn options() -> Options {
    Options {
        images: false,
        ..program::reading()
    }
}

/// Compares the native importer with assimp.
fn compare(path: &Path) -> ImporterReport {
    let pair = importers::choose(path).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(pair[1], "assimp", "{}", path.display());
    importers::compare_file(path, pair, &options()).unwrap_or_else(|error| panic!("{error}"))
}

/// Whether both a native importer and assimp read files with this name.
fn is_read_twice(name: &str) -> bool {
    let mut ends = [".gltf", ".glb", ".fbx", ".iqm", ".md5mesh"].iter();
    ends.any(|end| name.ends_with(end))
}

#[track_caller]
fn reports(name: &str, line: &str, code: i32) {
    let run = skincheck(line);
    run.exits(code);
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
    let line = "crosscheck --importers late_take.fbx --json";
    reports("late_take_json", line, 1);
    let document = skincheck(line).json();
    crate::reports::fields::assert_listed("crosscheck-importers", &[document]);
}

#[test]
fn one_unreadable_file_does_not_stop_the_others() {
    let line = "crosscheck --importers=gltf,assimp nowhere.gltf step_linear_cubic.gltf broken/truncated.glb";
    let run = skincheck(line);
    run.exits(2);
    assert!(
        run.text().starts_with("step_linear_cubic.gltf: "),
        "{}",
        run.text()
    );
    run.says("nowhere.gltf").says("2 of 3 models");
}

#[test]
fn a_comparison_needs_two_importers() {
    reports("only_one", "crosscheck --importers arm.smd", 2);
    reports("same_twice", "crosscheck --importers=gltf,gltf arm.gltf", 2);
    reports("unknown", "crosscheck --importers=gltf,blender arm.gltf", 2);
    skincheck("crosscheck --importers --clip Bend arm.gltf").refuses("cannot be used with");
}

#[test]
fn inspect_reports_what_another_importer_would_lose() {
    let text = |line: &str| skincheck(line).ok().text().to_owned();
    let steps = text("inspect step_linear_cubic.gltf");
    assert!(
        steps.contains("assimp would read steps and curves as linear "),
        "{steps}"
    );
    assert!(text("inspect arm.fbx").contains("crosscheck --importers compares"));
    let read_by_assimp = text("inspect step_linear_cubic.gltf --importer assimp");
    assert!(!read_by_assimp.contains(" would "), "{read_by_assimp}");
    let json: serde_json::Value =
        serde_json::from_str(&text("inspect late_take.fbx --json")).expect("it is JSON");
    let other = &json["other_importers"][0];
    assert_eq!(other["name"], "assimp");
    assert_eq!(other["losses"][0]["kind"], "clip-start");
}
