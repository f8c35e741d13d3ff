//! The command, from its arguments to its report and exit code.

use std::fs;

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::program::{fixture, skincheck};

#[test]
fn the_exit_code_says_whether_models_differ() {
    let code = |line: &str| skincheck(line).code;
    assert_eq!(code("diff arm.gltf arm.fbx"), Some(0));
    assert_eq!(code("diff arm.gltf short_weights.gltf"), Some(1));
    assert_eq!(code("diff arm.gltf missing.glb"), Some(2));
    assert_eq!(code("diff arm.gltf arm.fbx --tolerance 2"), Some(2));
    assert_eq!(code("diff arm.gltf arm.fbx --map elbow=Nobody"), Some(2));
    assert_eq!(
        code("diff arm.gltf two_triangles.gltf --tolerance 0.1%"),
        Some(1)
    );
}

#[test]
fn a_tolerance_is_kept_to() {
    // Keys of 16 bits move vertices by half a thousandth of a millimetre.
    let code =
        |tolerance: &str| skincheck(&format!("diff arm.gltf arm.iqm --tolerance {tolerance}")).code;
    for (kept, broken) in [("1mm", "1e-4mm"), ("0.1%", "1e-5%")] {
        assert_eq!(code(kept), Some(0), "{kept}");
        assert_eq!(code(broken), Some(1), "{broken}");
    }
}

#[test]
fn a_reference_of_a_model_is_the_same_as_the_model() {
    let folder = Folder::new();
    let bake = "bake fixtures/arm.gltf";
    let line = format!("{bake} --all-clips --times keys -o arm.skref");
    folder.run(&line).ok();
    let diff = "diff arm.skref fixtures/arm.gltf";
    folder.run(diff).ok();
    let report = folder.run(&format!("{diff} --format json")).ok().json();
    assert_eq!(
        report["models"][0]["takes"].as_array().map(Vec::len),
        Some(3)
    );
    let line = format!("{bake} --format reference -o a --pose rest");
    folder.run(&line).exits(2);
}

#[test]
fn many_poses_of_a_reference_are_counted() {
    let folder = Folder::new();
    let run = folder
        .run("bake fixtures/arm.gltf --times 20 --format reference")
        .ok();
    assert!(
        run.stderr.trim_end().ends_with(" and 14 more"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_model_without_clips_is_not_a_reference_which_is_reported_once() {
    let run = skincheck("bake alpha.gltf --all-clips --times keys --format reference -o -");
    run.exits(2);
    let expected = "error: alpha.gltf: a reference needs clips, but the model has none; diff compares models without clips directly\n";
    assert_eq!(run.stderr, expected);
}

#[test]
fn a_tolerance_below_zero_is_refused_in_words() {
    skincheck("diff arm.gltf arm.fbx --tolerance -1mm").refuses("expected a tolerance above 0");
}

#[test]
fn sarif_is_valid_and_has_all_findings() {
    let run = skincheck("diff arm.gltf short_weights.gltf --format sarif");
    run.exits(1);
    assert_eq!(crate::reports::sarif::complaints(run.text()), [""; 0]);
    let log = run.json();
    let json = skincheck("diff arm.gltf short_weights.gltf --format json");
    let report = json.json();
    let results = log["runs"][0]["results"].as_array().expect("a list");
    let findings = report["models"][0]["findings"].as_array().expect("a list");
    assert_eq!(results.len(), findings.len());
    for (result, finding) in results.iter().zip(findings) {
        assert_eq!(result["ruleId"], finding["code"]);
        let index = result["ruleIndex"].as_u64().expect("a number") as usize;
        let rules = &log["runs"][0]["tool"]["driver"]["rules"];
        assert_eq!(rules[index]["id"], result["ruleId"]);
    }
}

#[test]
fn the_configuration_lists_accepted_differences() {
    let folder = Folder::new();
    for name in ["arm.gltf", "walker.glb"] {
        folder.copy(name, name);
    }
    let config = |text: &str| {
        folder.write("skincheck.toml", text);
        folder.run("diff arm.gltf arm.gltf --scale 2")
    };
    config("").exits(1);
    config("[diff]\nalign = [\"similarity\"]\n").exits(0);
    config("[diff.clip-tolerances]\nBend = \"1%\"\n").exits(1);
    config("[diff]\ntolerance = \"2\"\n").refuses("such as 0.1% or 2mm");
}

#[test]
fn junit_has_a_test_a_clip() {
    let run = skincheck("diff arm.gltf short_weights.gltf --format junit");
    run.exits(1)
        .prints("<testsuites name=\"skincheck\" tests=\"3\" failures=\"1\"")
        .prints("name=\"clip &quot;Bend&quot;\"");
}

#[test]
fn findings_of_ignored_kinds_are_remarks() {
    let folder = Folder::of(&["arm.gltf"]);
    changed(&folder, "after.gltf", |document| {
        document["animations"][0]["name"] = "Other".into();
    });
    let diff = "diff arm.gltf after.gltf";
    folder.run(diff).exits(1);
    folder.run(&format!("{diff} --ignore timing")).exits(1);
    folder
        .run(&format!("{diff} --ignore clip-renamed"))
        .ok()
        .prints("remarks:\n    clips (clip-renamed)");
    folder
        .run(&format!("{diff} --ignore clip-rename"))
        .refuses("clip-renamed");
    folder.write("skincheck.toml", "[diff]\nignore = [\"clip-renamed\"]\n");
    folder.run(diff).ok();
    folder.write("skincheck.toml", "[diff]\nignore = [\"clip-rename\"]\n");
    folder.run(diff).refuses("skincheck.toml:2");
}

#[test]
fn only_the_surface_counts_if_asked() {
    let folder = Folder::of(&["arm.gltf"]);
    let renamed = |document: &mut Value| {
        document["animations"][0]["name"] = "Other".into();
        document["nodes"][1]["name"] = "joint2".into();
    };
    changed(&folder, "renamed.gltf", renamed);
    changed(&folder, "moved.gltf", |document| {
        renamed(document);
        document["nodes"][1]["translation"][0] = 0.2.into();
    });
    let diff = |after: &str| folder.run(&format!("diff arm.gltf {after} --only surface"));
    diff("renamed.gltf").ok().prints("(joint-renamed)");
    let run = diff("moved.gltf");
    run.exits(1).prints("DIFFERENT\n  bind pose (rest-pose)");
    folder.run("diff arm.gltf renamed.gltf").exits(1);
    folder.write("skincheck.toml", "[diff]\nonly = \"surface\"\n");
    folder.run("diff arm.gltf renamed.gltf").ok();
    changed(&folder, "joints.gltf", |document| {
        document["nodes"][3] = json!({});
    });
    folder
        .run("diff joints.gltf joints.gltf")
        .refuses("there is no surface");
}

#[test]
fn a_cause_that_all_clips_show_is_one_finding() {
    let folder = Folder::of(&["arm.gltf"]);
    changed(&folder, "after.gltf", |document| {
        document["nodes"][1]["translation"][0] = 0.2.into();
    });
    let run = folder.run("diff arm.gltf after.gltf --report junit=out.xml");
    run.exits(1)
        .prints("bind pose (rest-pose): clips \"Twist\", \"Bend\", \"Nod\": throughout `elbow`");
    assert_eq!(
        run.text().matches("(rest-pose)").count(),
        2,
        "{}",
        run.text()
    );
    let report = folder.run("diff arm.gltf after.gltf --format json").json();
    let finding = &report["models"][0]["findings"][1];
    let clips = finding["affected"]["clips"].as_array();
    assert_eq!(clips.map(Vec::len), Some(3), "{report}");
    assert_eq!(finding["location"]["clip"], "Twist");
}

#[test]
fn a_clip_that_differs_fails_in_junit_though_the_cause_is_of_the_whole_model() {
    let folder = Folder::of(&["arm.gltf"]);
    changed(&folder, "after.gltf", |document| {
        let joints = document["skins"][0]["joints"].as_array_mut();
        joints.expect("a skin has joints").swap(0, 1);
    });
    let run = folder.run("diff arm.gltf after.gltf --report junit=out.xml");
    let text = run.exits(1).text();
    let different = text.matches(": DIFFERENT;").count();
    assert_eq!(different, 4, "{text}");
    assert!(!text.contains("): clip"), "no cause is of a clip: {text}");
    let junit = folder.read("out.xml");
    assert!(junit.contains("tests=\"5\" failures=\"5\""), "{junit}");
}

/// `arm.gltf` in `folder`, changed.
fn changed(folder: &Folder, name: &str, change: impl Fn(&mut Value)) {
    let text = fs::read_to_string(fixture("arm.gltf")).expect("the fixture is there");
    let mut document = serde_json::from_str(&text).expect("it is JSON");
    change(&mut document);
    folder.write(name, document.to_string());
}

#[test]
fn two_times_of_a_reference_are_not_shifted_until_one_of_them_fits() {
    let folder = Folder::new();
    changed(&folder, "whole.gltf", |_| {});
    changed(&folder, "still.gltf", |document| {
        for clip in document["animations"]
            .as_array_mut()
            .expect("there are clips")
        {
            let channels = clip["channels"].as_array_mut().expect("each has channels");
            channels.truncate(1);
        }
    });
    let run = |line: &str| folder.run(line);
    run("bake whole.gltf --clip Bend --times 2 -o arm.skref").ok();
    run("diff arm.skref whole.gltf").ok();
    let text = run("diff arm.skref still.gltf --format json")
        .text()
        .to_owned();
    let report: Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(report["passes"], false, "{text}");
    assert!(!text.contains("timing"), "{text}");
}

#[test]
fn renamed_clips_are_paired_whatever_moves_in_them() {
    let folder = Folder::new();
    changed(&folder, "before.gltf", |_| {});
    changed(&folder, "after.gltf", |document| {
        let clips = document["animations"]
            .as_array_mut()
            .expect("there are clips");
        for (number, clip) in clips.iter_mut().enumerate() {
            clip["name"] = format!("take {number}").into();
        }
    });
    let run = folder.run("diff before.gltf after.gltf");
    run.exits(1);
    assert_eq!(
        run.text().matches("clip-renamed").count(),
        3,
        "{}",
        run.text()
    );
    assert!(!run.text().contains("clip-missing"), "{}", run.text());
}

#[test]
fn a_name_is_paired_once() {
    let line = "diff arm.gltf arm.gltf --clip-map Bend=Twist --clip-map Bend=Nod";
    skincheck(line).refuses("\"Bend\" is paired twice");
}
