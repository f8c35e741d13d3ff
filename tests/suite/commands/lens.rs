//! Models as engines see them: `--as`.

use skincheck::lens::LENSES;

use crate::folder::Folder;
use crate::program::{fixture, skincheck};

#[test]
fn diff_measures_what_an_engine_loses() {
    let model = "eight_influences.gltf";
    let lossless = skincheck(&format!("diff {model} {model} --as-after babylon --json"));
    lossless.exits(0);
    let run = skincheck(&format!("diff {model} {model} --as-after three --json"));
    run.exits(1);
    let report = run.json();
    let engines = &report["models"][0]["engines"];
    assert_eq!(*engines, serde_json::json!([null, "three"]));
}

/// Bevy uses weights as they are; Babylon.js divides positions by the sum.
#[test]
fn diff_shows_weights_that_an_engine_does_not_divide() {
    let model = "unnormalized_weights.gltf";
    skincheck(&format!("diff {model} {model} --as-after bevy")).exits(1);
    skincheck(&format!("diff {model} {model} --as-after babylon")).exits(0);
    skincheck(&format!(
        "diff {model} {model} --as-before bevy --as-after bevy"
    ))
    .exits(0);
}

/// At 16384 km, a metre is a step of f32.
#[test]
fn a_place_far_from_the_origin_costs_digits_where_matrices_hold_world_positions() {
    let diff = |engine: &str, at: &str| {
        let line = "diff walker.glb walker.glb --json";
        skincheck(&format!("{line} --as-after {engine} --at {at}"))
    };
    for engine in ["three", "playcanvas", "bevy", "filament"] {
        diff(engine, "10,0,0").exits(0);
        diff(engine, "0,0,16384000").exits(1);
    }
    let run = diff("three", "-1e6,0,0");
    let engines = &run.exits(1).json()["models"][0]["engines"];
    assert_eq!(*engines, serde_json::json!([null, "three at -1000000,0,0"]));
    // Matrices relative to the model keep their digits.
    diff("babylon", "0,0,16384000").exits(0);
    let line = "check walker.glb --no-config --as three --format json --at";
    let check = |at: &str| skincheck(&format!("{line} {at}")).json().to_string();
    assert!(check("1e6,0,0").contains("D612") && !check("10,0,0").contains("D612"));
    diff("unreal", "1,0,0").refuses("no source states in which space unreal holds its matrices");
    skincheck("render arm.gltf --at 1,0,0 -o -").refuses("add --as");
    skincheck("diff arm.gltf arm.gltf --at 1,0,0").refuses("add --as-after");
    skincheck("bake arm.gltf --as three --at 1,2 -o -").refuses("such as 10000,0,0");
}

#[test]
fn check_says_what_an_engine_drops_and_what_keeps_it() {
    let line = "check eight_influences.gltf --no-config --select W106,W107 --format json --as";
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
fn the_document_of_an_image_and_of_a_pose_names_the_engine() {
    let folder = Folder::new();
    let arm = fixture("arm.gltf");
    let arm = arm.display();
    let render = folder.run(&format!(
        "render {arm} --as unreal:weights=16 -o arm.png --json"
    ));
    assert_eq!(render.ok().json()["engine"], "unreal:weights=16");
    let bake = skincheck("bake arm.gltf --as godot -o -").ok();
    assert_eq!(bake.json()["engine"], "godot");
}

#[test]
fn an_engine_has_its_own_weights_and_a_reference_none() {
    let both = skincheck("render arm.gltf --as unity --max-influences 2 -o -");
    both.refuses("--max-influences");
    skincheck("bake arm.gltf --as unrael -o -").refuses("did you mean \"unreal\"?");
}

#[test]
fn every_engine_is_listed_with_its_sources() {
    let list = skincheck("rules --engines").ok();
    for lens in LENSES {
        list.prints(&format!("{}: {} {}", lens.name, lens.title, lens.version));
    }
}
