//! Models as engines skin them: `--engine`.

use crate::program::skincheck;
use crate::support::decoded;

#[test]
fn diff_measures_what_an_engine_loses() {
    let model = "eight_influences.gltf";
    let lossless = skincheck(&format!(
        "diff {model} {model} --engine-after babylon --format json"
    ));
    lossless.exits(0);
    let run = skincheck(&format!(
        "diff {model} {model} --engine-after three --format json"
    ));
    run.exits(1);
    let report = run.json();
    let engines = &report["models"][0]["engines"];
    assert_eq!(*engines, serde_json::json!([null, "three"]));
}

/// Bevy uses weights as they are; Babylon.js divides positions by the sum.
#[test]
fn diff_shows_weights_that_an_engine_does_not_divide() {
    let model = "unnormalized_weights.gltf";
    skincheck(&format!("diff {model} {model} --engine-after bevy")).exits(1);
    skincheck(&format!("diff {model} {model} --engine-after babylon")).exits(0);
    skincheck(&format!(
        "diff {model} {model} --engine-before bevy --engine-after bevy"
    ))
    .exits(0);
}

#[test]
fn check_says_what_an_engine_drops_and_what_keeps_it() {
    let line = "check eight_influences.gltf --no-config --select W106,W107 --format json --engine";
    let messages = |engine: &str| {
        let report = skincheck(&format!("{line} {engine}"));
        let report = report.json();
        let model = &report["models"][0];
        assert_eq!(model["engine"], engine);
        let findings = model["findings"].as_array().expect("findings are a list");
        let message = |finding: &serde_json::Value| finding["message"].to_string();
        findings.iter().map(message).collect::<Vec<_>>().join("\n")
    };
    let three = messages("three");
    assert!(three.contains("limit 4"), "{three}");
    assert!(
        three.contains("in three.js, which drops the weight of"),
        "{three}"
    );
    assert!(three.contains(" px if the model spans 1080 px)"), "{three}");
    let unity = messages("unity");
    assert!(
        unity.contains("unity:influences=unlimited keeps all"),
        "{unity}"
    );
    assert_eq!(messages("unity:influences=unlimited"), "");
}

#[test]
fn the_document_of_a_pose_names_the_engine() {
    let bake = skincheck("bake arm.gltf --engine godot -o -").ok();
    assert_eq!(bake.json()["engine"], "godot");
}

#[test]
fn an_unknown_engine_is_refused_with_one_that_exists() {
    skincheck("bake arm.gltf --engine unrael -o -").refuses("did you mean \"unreal\"?");
}

#[test]
fn an_engine_without_stated_weights_is_not_emulated() {
    let run = skincheck("render arm.gltf --engine roblox -o -");
    run.refuses("no source says which weights roblox drops");
}

#[test]
fn truncation_is_measured_against_all_influences() {
    let image = |engine: &str| {
        let model = "eight_influences.gltf --clip 0 --time 0.5 --size 64x64";
        let line = format!("render {model} --show truncation --legend off --engine {engine} -o -");
        decoded(&skincheck(&line).ok().stdout)
    };
    // The model is the same; only the colours tell what is cut.
    let nothing = image("unity:influences=8");
    assert_ne!(image("unity"), nothing);
    assert_eq!(image("unity:influences=9"), nothing);
}
