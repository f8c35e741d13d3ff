//! `skincheck inspect`.

use crate::program::skincheck;
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
