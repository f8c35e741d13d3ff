//! Presets and skeletons of `check`.

use super::RIGHT;
use crate::folder::Folder;

/// A model with one edge that is stretched 5.3 times.
const OVERSTRETCHED: &str = "rules/D602.gltf";

/// The level of the only finding.
fn levels(folder: &Folder, line: &str) -> Vec<String> {
    let json = folder.check_all(&format!("{line} --format json")).json();
    let findings = json["models"][0]["findings"].as_array();
    let findings = findings.expect("findings are a list").iter();
    let level = |finding: &serde_json::Value| finding["level"].as_str().map(str::to_owned);
    findings.filter_map(level).collect()
}

#[test]
fn a_preset_changes_the_defaults_and_the_configuration_the_preset() {
    let folder = Folder::with(&[(OVERSTRETCHED, "a.gltf")]);
    let line = "a.gltf --select D602";
    assert_eq!(levels(&folder, line), ["hint"]);
    let film = format!("{line} --preset film");
    assert_eq!(levels(&folder, &film), ["error"]);
    folder.write("skincheck.toml", "preset = \"film\"\n");
    assert_eq!(levels(&folder, line), ["error"]);
    let stylized = format!("{line} --preset stylized");
    assert_eq!(levels(&folder, &stylized), [""; 0]);
    folder.write("skincheck.toml", "rules.D602 = \"info\"\n");
    let shown = format!("{film} --level info");
    assert_eq!(levels(&folder, &shown), ["info"]);
}

#[test]
fn the_report_names_the_preset() {
    let folder = Folder::with(&[(RIGHT, "a.gltf")]);
    let overrides = "[[overrides]]\nfiles = [\"a*\"]\npreset = \"mocap\"\n";
    folder.write("skincheck.toml", overrides);
    let run = folder.check_all("a.gltf --verbose").ok();
    run.prints("preset mocap (1 file)");
    let json = folder.check_all("a.gltf --format json").json();
    assert_eq!(json["models"][0]["preset"], "mocap");
    let json = folder.check_all("a.gltf --format json --no-config").json();
    assert!(json["models"][0]["preset"].is_null());
}

#[test]
fn a_skeleton_of_ones_own_is_relative_to_the_configuration() {
    let folder = Folder::with(&[(RIGHT, "rigs/a.gltf")]);
    folder.write("skincheck.toml", "skeleton = \"studio.toml\"\n");
    folder.write(
        "studio.toml",
        "joints = \"\"\"\nshoulder\n  elbow\n    palm\n\"\"\"\n",
    );
    let run = folder.check_all("rigs");
    run.exits(1);
    run.prints("error[H318]")
        .prints("lacks joints of the skeleton studio.toml: \"palm\"");
    folder.write(
        "studio.toml",
        "joints = \"\"\"\nshoulder\n  elbow\n    wrist\n\"\"\"\n",
    );
    folder.check_all("rigs").ok();
    // On the command line, it is relative to the current folder, and comes before the configuration.
    let other = folder.check_all("rigs --skeleton unreal");
    other.exits(1);
    other.prints("does not have the skeleton unreal: it has 0 of the 26 required joints");
    folder
        .check_all("rigs --skeleton rigs/studio.toml")
        .exits(2);
    folder.check_all("rigs --skeleton studio.toml").ok();
}

#[test]
fn a_mistake_in_a_skeleton_is_reported_with_its_place() {
    let folder = Folder::with(&[(RIGHT, "a.gltf")]);
    folder.write(
        "skincheck.toml",
        "level = \"info\"\nskeleton = \"studio.toml\"\n",
    );
    let missing = folder.check_all("a.gltf");
    missing.exits(2);
    let at = "skincheck.toml:2:12: ";
    assert!(missing.stderr.contains(at), "{}", missing.stderr);
    assert!(
        missing
            .stderr
            .contains("studio.toml: the skeleton cannot be read"),
        "{}",
        missing.stderr
    );
    folder.write("studio.toml", "joints = \"\"\"\na\n  a\n\"\"\"\n");
    let wrong = folder.check_all("a.gltf");
    wrong.exits(2);
    let at = "studio.toml:3:1: the joint \"a\" is listed twice";
    assert!(wrong.stderr.contains(at), "{}", wrong.stderr);
    let unknown = folder.check_all("a.gltf --skeleton mixmo");
    unknown.exits(2);
    assert!(
        unknown.stderr.contains("did you mean \"mixamo\"?"),
        "{}",
        unknown.stderr
    );
}

#[test]
fn a_skeleton_is_an_input_that_is_not_overwritten() {
    let folder = Folder::with(&[(RIGHT, "a.gltf")]);
    let text = "joints = \"shoulder\"\n";
    folder.write("studio.toml", text);
    for line in ["a.gltf", "a.gltf --skeleton studio.toml"] {
        folder.write("skincheck.toml", "skeleton = \"studio.toml\"\n");
        folder
            .check_all(&format!("{line} --report json=studio.toml"))
            .exits(2);
        assert_eq!(folder.read("studio.toml"), text);
    }
}
