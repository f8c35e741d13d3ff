//! `skincheck fix`.

use std::path::Path;

use skincheck::fix::REPAIRS;

use crate::folder::Folder;
use crate::support::in_group;

/// The name of the fixture whose fault a rule finds.
fn faulty(code: &str) -> String {
    format!("rules/{code}.gltf")
}

#[test]
fn the_fault_of_each_rule_with_a_repair_is_repaired_and_only_once() {
    let mut reports = String::new();
    // The fault of W106 is one only with the limit of its configuration; that of C528 is a jump, which is no rest pose.
    let repairs = REPAIRS.iter();
    for repair in repairs.filter(|repair| !["W106", "C528"].contains(&repair.code.0)) {
        let code = repair.code;
        let folder = Folder::new();
        folder.copy(&faulty(code.0), "faulty.gltf");
        // The mesh is small: an edge has two vertices, and 1 % is one.
        let most = if code.0 == "D602" { " --most 5" } else { "" };
        let run = folder.run(&format!("fix faulty.gltf -o copy.gltf --only {code}{most}"));
        reports.push_str(run.ok().text());
        reports.push('\n');
        let again = folder.run(&format!("fix copy.gltf --dry-run --only {code}"));
        again
            .exits(0)
            .prints("copy.gltf: nothing that fix can repair");
        let check = format!("check copy.gltf --no-config --select {code} --level info");
        folder.run(&check).exits(0);
    }
    in_group("fix", || insta::assert_snapshot!("every_repair", reports));
}

#[test]
fn influences_are_limited_for_an_engine_or_on_request() {
    let folder = Folder::with(&[("eight_influences.gltf", "a.gltf")]);
    folder
        .run("fix a.gltf --dry-run")
        .prints("a.gltf: nothing that fix can repair");
    for option in ["--only W106", "--engine unity"] {
        let run = folder.run(&format!("fix a.gltf -o copy.gltf {option}"));
        run.ok().prints("W106 too-many-influences");
        folder
            .run("check copy.gltf --no-config --select W106")
            .prints("nothing found");
    }
}

#[test]
fn a_fault_is_what_the_configuration_says() {
    let folder = Folder::with(&[
        ("rules/W103.gltf", "a.gltf"),
        ("eight_influences.gltf", "b.gltf"),
    ]);
    folder.write(
        "skincheck.toml",
        "engine = \"unity\"\n[rules]\nW103 = \"off\"\n",
    );
    folder.write("other.toml", "");
    let nothing = "a.gltf: nothing that fix can repair";
    folder.run("fix a.gltf --dry-run").ok().prints(nothing);
    for option in ["--only W103", "--no-config", "--config other.toml"] {
        let run = folder.run(&format!("fix a.gltf --dry-run {option}"));
        run.ok().prints("W103 weights-not-normalized");
    }
    folder
        .run("fix b.gltf --dry-run")
        .ok()
        .prints("W106 too-many-influences");
    folder
        .run("fix b.gltf --dry-run --engine unreal")
        .ok()
        .prints("b.gltf: nothing that fix can repair");
    folder
        .run("fix b.gltf --dry-run --no-config")
        .ok()
        .prints("b.gltf: nothing that fix can repair");
    folder
        .run("fix a.gltf --dry-run --config none.toml")
        .exits(2);
}

#[test]
fn a_model_without_a_fault_is_not_written() {
    let folder = Folder::with(&[("rules/clean.gltf", "clean.gltf")]);
    let run = folder.run("fix clean.gltf -o copy.gltf");
    run.exits(0)
        .prints("clean.gltf: nothing that fix can repair");
    assert!(!folder.path("copy.gltf").exists());
}

#[test]
fn a_dry_run_proves_and_writes_nothing() {
    let folder = Folder::with(&[("rules/W103.gltf", "a.gltf")]);
    let run = folder.run("fix a.gltf --dry-run --json").ok();
    let document = run.json();
    assert_eq!(document["schema"], "skincheck/fix/1");
    assert_eq!(document["output"], serde_json::Value::Null);
    assert_eq!(document["repaired"][0]["code"], "W103");
    let entries = std::fs::read_dir(folder.root()).expect("it is a folder");
    assert_eq!(entries.count(), 1);
}

#[test]
fn other_formats_are_refused_with_the_way_to_convert_them() {
    let folder = Folder::with(&[("arm.fbx", "arm.fbx")]);
    let run = folder.run("fix arm.fbx --dry-run");
    run.exits(2)
        .says("only glTF is repaired; convert the model first");
}

#[test]
fn the_model_is_never_overwritten_and_a_copy_is_of_its_kind() {
    let folder = Folder::with(&[("rules/W103.gltf", "a.gltf")]);
    let before = folder.bytes("a.gltf");
    folder
        .run("fix a.gltf -o a.gltf")
        .refuses("it is the input");
    folder
        .run("fix a.gltf -o a.glb")
        .refuses("a copy is of the same kind");
    folder.run("fix a.gltf -o -").refuses("standard output");
    folder.run("fix a.gltf").exits(2);
    folder.run("fix a.gltf --dry-run --only W101").exits(2);
    assert!(folder.bytes("a.gltf") == before);
}

#[test]
fn a_copy_in_another_folder_has_its_files_next_to_it() {
    let buffer = "external buffer.bin";
    let folder = Folder::with(&[("external_buffer.gltf", "a.gltf"), (buffer, buffer)]);
    let text = folder
        .read("a.gltf")
        .replace("\"scene\"", "\"extras\":1,\"scene\"");
    let mut model: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    model["nodes"][0]["rotation"] = serde_json::json!([0, 0, 0, 2]);
    folder.write("a.gltf", model.to_string());
    std::fs::create_dir(folder.path("other")).expect("there is room");
    folder.run("fix a.gltf -o b.gltf").ok();
    folder.run("fix a.gltf -o other/b.gltf").ok();
    assert!(folder.bytes("b.gltf") == folder.bytes("other/b.gltf"));
    let copied = Path::new("other").join(buffer);
    assert!(folder.bytes(&copied.to_string_lossy()) == folder.bytes(buffer));
    folder.write(&copied, "another");
    let again = folder.run("fix a.gltf -o other/c.gltf");
    again.refuses("is another file");
    assert!(!folder.path("other/c.gltf").exists());
}

/// Models of `$SKINCHECK_CORPUS` with faults, and the rules to repair.
const REAL: [(&str, &str); 20] = [
    (
        "AG_Animation_SkinType_00/Animation_SkinType_00.gltf",
        "G804",
    ),
    ("AG_Animation_Skin_00/Animation_Skin_00.gltf", "G804"),
    ("AG_Animation_Skin_01/Animation_Skin_01.gltf", "G804"),
    ("AG_Animation_Skin_03/Animation_Skin_03.gltf", "G804"),
    ("AG_Animation_Skin_04/Animation_Skin_04.gltf", "G804"),
    ("AG_Animation_Skin_05/Animation_Skin_05.gltf", "G804"),
    ("AG_Animation_Skin_07/Animation_Skin_07.gltf", "G804"),
    ("AG_Animation_Skin_10/Animation_Skin_10.gltf", "G804"),
    ("CesiumMan_glb/CesiumMan.glb", "C521"),
    ("Fox/Fox.glb", "C521,G804"),
    ("RecursiveSkeletons/RecursiveSkeletons.glb", "C521,G804"),
    ("RiggedFigure/RiggedFigure.glb", "C521"),
    ("RobotExpressive/RobotExpressive.glb", "W103"),
    ("SimpleSkin/SimpleSkin.gltf", "G804"),
    ("XR_hand/LeftHandHumanoid.gltf", "W112"),
    ("assimp_simple_skin/simple_skin.gltf", "G804"),
    ("godot_platformer_player/player.glb", "C513,C521,W112"),
    ("luanti_simple_skin_step/gltf_simple_skin_step.gltf", "G804"),
    (
        "luanti_spider_animated/gltf_spider_animated.gltf",
        "C513,C521",
    ),
    ("magnum_skin_gltf/skin.gltf", "G804"),
];

#[test]
fn real_models_are_repaired_with_their_proofs() {
    let Some(corpus) = std::env::var_os("SKINCHECK_CORPUS") else {
        return;
    };
    let mut reports = String::new();
    for (name, codes) in REAL {
        let path = Path::new(&corpus).join(name);
        let words = ["fix", &path.to_string_lossy(), "--dry-run", "--only", codes];
        reports.push_str(Folder::new().run_words(&words).ok().text());
        reports.push('\n');
    }
    in_group("fix", || insta::assert_snapshot!("real_models", reports));
}
