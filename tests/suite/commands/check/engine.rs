//! `--engine`: axes and units of engines.

use serde_json::{Value, json};

use super::Folder;

/// Writes an arm of 2 m: with +Z up and in centimetres in one file, with +Y up and in metres in the other.
fn arms() -> Folder {
    Folder::with(&[
        ("z_up_centimetres.fbx", "arm.fbx"),
        ("rules/clean.gltf", "clean.gltf"),
    ])
}

fn only_file(folder: &Folder, line: &str) -> Value {
    let run = folder.check(&format!("{line} --format json")).ok();
    let report = run.json();
    report["models"][0].clone()
}

#[test]
fn another_unit_and_another_axis_are_reported_and_are_no_fault() {
    let folder = arms();
    let file = only_file(&folder, "arm.fbx --engine unity --deny-warnings");
    assert_eq!(file["engine"], "unity");
    let expected = json!([
        {"what": "unit", "file": "1 cm", "engine": "1 m", "factor": 0.01},
        {"what": "up", "file": "+Z", "engine": "+Y", "factor": null},
    ]);
    assert_eq!(file["conversions"], expected);
    assert_eq!(file["findings"], json!([]));
    let run = folder.check("arm.fbx --engine unity --verbose").ok();
    let reported = "  1 unit is 1 cm in the file, 1 m for unity (× 0.01)\n  up is +Z in the file, +Y for unity\n";
    run.prints(reported);
    let run = folder.check("arm.fbx --engine unity").ok();
    assert!(!run.text().contains("unity"), "{}", run.text());
}

#[test]
fn the_same_unit_and_axis_are_not_reported() {
    let folder = arms();
    for line in ["arm.fbx --engine unreal", "clean.gltf --engine unity"] {
        let file = only_file(&folder, line);
        assert_eq!(file["conversions"], json!([]), "{line}");
    }
    let file = only_file(&folder, "arm.fbx");
    assert_eq!(
        (&file["engine"], &file["conversions"]),
        (&Value::Null, &json!([]))
    );
}

#[test]
fn a_height_is_expected_and_reported_in_the_unit_of_the_configuration() {
    let folder = arms();
    let message = |config: &str, line: &str| {
        folder.write("skincheck.toml", config);
        let run = folder.check_all(&format!("{line} --select B210"));
        let text = run.text().to_owned();
        let found = text.split_once("[B210] ");
        let line = found.and_then(|(_, message)| message.lines().next());
        let line = line.unwrap_or_default();
        line.trim_end_matches(": file").to_owned()
    };
    let metres = "[size]\nheight = [0.02, 0.03]\n";
    assert_eq!(
        message(metres, "clean.gltf"),
        "2.5 m high, expected 0.02 to 0.03 m; the file is in metres, but centimetres would fit"
    );
    let centimetres = "[size]\nheight = [150, 220]\nunit = \"cm\"\n";
    assert_eq!(
        message(centimetres, "clean.gltf --engine unreal"),
        "250 cm (2.5 m) high, expected 150 to 220 cm"
    );
    let forgotten = "engine = \"unreal\"\n[size]\nheight = [240, 260]\n";
    assert_eq!(
        message(forgotten, "clean.gltf"),
        "2.5 m (250 cm) high, expected 240 to 260 m"
    );
    let fitting = "[size]\nheight = [240, 260]\nunit = \"cm\"\n";
    assert_eq!(message(fitting, "clean.gltf --engine roblox"), "");
}
