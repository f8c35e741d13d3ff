//! `skincheck inspect`.

use std::fs;

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::program::{fixture, skincheck};
use crate::support::in_group;

fn snapshot(name: &str, line: &str) {
    let run = skincheck(line).ok();
    in_group("inspect", || {
        insta::assert_snapshot!(name, run.text());
    });
}

#[test]
#[cfg_attr(not(feature = "assimp"), ignore = "needs the formats of assimp")]
fn the_report_of_a_character_shows_all_that_it_has() {
    snapshot("walker", "inspect walker.glb");
}

#[test]
#[cfg_attr(not(feature = "assimp"), ignore = "needs the formats of assimp")]
fn the_report_names_the_axes_that_the_file_states() {
    snapshot("z_up_centimetres", "inspect z_up_centimetres.fbx");
}

#[test]
#[cfg_attr(not(feature = "assimp"), ignore = "needs the formats of assimp")]
fn every_format_has_a_report() {
    for name in [
        "arm.fbx",
        "arm.dae",
        "curves.dae",
        "figure.md5mesh",
        "two_triangles.gltf",
        "morph.gltf",
        "no_names.gltf",
    ] {
        snapshot(name, &format!("inspect {name}"));
    }
}

#[test]
fn the_tree_of_joints_names_each_below_its_parent() {
    snapshot("walker_joints", "inspect walker.glb --joints");
    snapshot("no_names_joints", "inspect no_names.gltf --joints");
}

#[test]
fn the_tree_of_joints_comes_without_the_notes_which_are_warnings_then() {
    let line = "inspect broken/nan.gltf";
    let report = skincheck(line).ok();
    let tree = skincheck(&format!("{line} --joints")).ok();
    assert!(report.text().contains("not finite") && report.stderr.is_empty());
    assert!(!tree.text().contains("not finite") && tree.stderr.contains("not finite"));
}

#[test]
#[cfg_attr(not(feature = "assimp"), ignore = "needs the formats of assimp")]
fn the_json_says_the_same_for_machines() {
    snapshot("two_triangles_json", "inspect two_triangles.gltf --json");
    let run = skincheck("inspect walker.glb --json").ok();
    let document = run.json();
    assert_eq!(document["schema"], "skincheck/inspect/1");
    let joints = document["nodes"].as_array().expect("nodes are a list");
    assert!(joints.iter().any(|node| node["joint"] == true));
}

/// A fixture in three variants, in two of which its first mesh has another material.
fn in_variants(name: &str) -> Folder {
    let text = fs::read_to_string(fixture(name)).expect("the fixture is there");
    let mut model: Value = serde_json::from_str(&text).expect("it is JSON");
    if model["materials"].is_null() {
        model["materials"] = json!([{}, {}, {}]);
    }
    let names = ["plain", "party", "to the beach"].map(|name| json!({"name": name}));
    model["extensions"] = json!({"KHR_materials_variants": {"variants": names}});
    let mappings = json!([
        {"material": 1, "variants": [0, 2]}, {"material": 2, "variants": [1]},
    ]);
    model["meshes"][0]["primitives"][0]["extensions"] =
        json!({"KHR_materials_variants": {"mappings": mappings}});
    let folder = Folder::new();
    folder.write("model.gltf", model.to_string());
    folder
}

#[test]
fn a_variant_has_its_own_materials_and_is_listed() {
    let folder = in_variants("alpha.gltf");
    let materials = |options: &str| {
        let run = folder.run(&format!("inspect model.gltf --json {options}"));
        let meshes = run.ok().json()["meshes"].clone();
        let meshes = meshes.as_array().expect("meshes are a list").iter();
        meshes
            .map(|mesh| mesh["material"].as_u64().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(materials(""), [0, 1, 2, 3, 4]);
    assert_eq!(materials("--variant plain"), [1, 1, 2, 3, 4]);
    assert_eq!(materials("--variant party"), [2, 1, 2, 3, 4]);
    let report = folder.run("inspect model.gltf").ok();
    report.prints("variants   0  plain");
    let drawn = |options: &str| {
        folder
            .run(&format!(
                "render model.gltf -o a.png --size 64x64 {options}"
            ))
            .ok();
        folder.bytes("a.png")
    };
    assert_ne!(drawn(""), drawn("--variant plain"));
}

#[test]
fn an_unknown_variant_is_refused_with_those_that_exist() {
    let folder = in_variants("alpha.gltf");
    let words = ["inspect", "model.gltf", "--variant", "beach"];
    folder
        .run_words(&words)
        .exits(2)
        .says("no variant \"beach\"; there are \"plain\", \"party\", \"to the beach\"");
    folder.copy("arm.fbx", "arm.fbx");
    let run = folder.run("inspect arm.fbx --variant party");
    run.exits(2).says("arm.fbx: its materials have no variants");
}

#[test]
fn a_variant_is_that_of_the_model_and_not_of_the_file_of_its_clips() {
    let folder = in_variants("arm.gltf");
    folder.copy("arm.gltf", "clips.gltf");
    let line = "inspect model.gltf --animation clips.gltf --variant party --json";
    let run = folder.run(line).ok();
    assert_eq!(run.json()["meshes"][0]["material"], 2);
}
