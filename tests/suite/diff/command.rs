//! The command, from its arguments to its report and exit code.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::program::{arguments, fixture, skincheck, skincheck_in};

#[test]
fn the_exit_code_says_whether_models_differ() {
    let code = |line: &str| skincheck(arguments(line)).code;
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
        |tolerance: &str| skincheck(["diff", "arm.gltf", "arm.iqm", "--tolerance", tolerance]).code;
    for (kept, broken) in [("1px", "1e-5px"), ("1mm", "1e-4mm"), ("0.1%", "1e-5%")] {
        assert_eq!(code(kept), Some(0), "{kept}");
        assert_eq!(code(broken), Some(1), "{broken}");
    }
}

#[test]
fn a_reference_of_a_model_is_the_same_as_the_model() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let model = fixture("arm.gltf").display().to_string();
    let run = |line: &str| skincheck_in(folder.path(), arguments(&line.replace("MODEL", &model)));
    run("bake MODEL --all-clips --times keys --reference arm.skref").ok();
    run("diff arm.skref MODEL").ok();
    let text = run("diff arm.skref MODEL --json").ok().text().to_owned();
    let report: Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(report["takes"].as_array().map(Vec::len), Some(3));
    assert_eq!(run("bake MODEL --reference a --pose rest").code, Some(2));
}

#[test]
fn many_poses_of_a_reference_are_counted() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let model = fixture("arm.gltf").display().to_string();
    let arguments = ["bake", &model, "--times", "20", "--reference", "arm.skref"];
    let run = skincheck_in(folder.path(), arguments).ok();
    assert!(
        run.stderr.trim_end().ends_with(" and 14 more"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_model_without_clips_is_not_a_reference_which_is_reported_once() {
    let run = skincheck(arguments(
        "bake alpha.gltf --all-clips --times keys --reference -",
    ));
    assert_eq!(run.code, Some(2));
    let expected = "error: alpha.gltf: a reference needs clips, but the model has none; diff compares models without clips directly\n";
    assert_eq!(run.stderr, expected);
}

#[test]
fn a_tolerance_below_zero_is_refused_in_words() {
    let run = skincheck(arguments("diff arm.gltf arm.fbx --tolerance -1mm"));
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr.contains("expected a tolerance above 0"),
        "{}",
        run.stderr
    );
}

#[test]
fn sarif_is_valid_and_has_all_findings() {
    let run = skincheck(arguments("diff arm.gltf short_weights.gltf --format sarif"));
    assert_eq!(run.code, Some(1));
    assert_eq!(crate::reports::sarif::complaints(run.text()), [""; 0]);
    let log: Value = serde_json::from_str(run.text()).expect("it is JSON");
    let json = skincheck(arguments("diff arm.gltf short_weights.gltf --json"));
    let report: Value = serde_json::from_str(json.text()).expect("it is JSON");
    let results = log["runs"][0]["results"].as_array().expect("a list");
    let findings = report["findings"].as_array().expect("a list");
    assert_eq!(results.len(), findings.len());
    for (result, finding) in results.iter().zip(findings) {
        assert_eq!(result["ruleId"], finding["kind"]);
        let index = result["ruleIndex"].as_u64().expect("a number") as usize;
        let rules = &log["runs"][0]["tool"]["driver"]["rules"];
        assert_eq!(rules[index]["id"], result["ruleId"]);
    }
}

#[test]
fn the_configuration_lists_accepted_differences() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    for name in ["arm.gltf", "walker.glb"] {
        std::fs::copy(fixture(name), folder.path().join(name)).expect("it can be copied");
    }
    let config = |text: &str| {
        std::fs::write(folder.path().join("skincheck.toml"), text).expect("it is writable");
        skincheck_in(folder.path(), arguments("diff arm.gltf arm.gltf --scale 2"))
    };
    assert_eq!(config("").code, Some(1));
    assert_eq!(config("[diff]\nalign = [\"similarity\"]\n").code, Some(0));
    assert_eq!(
        config("[diff.clip-tolerances]\nBend = \"1%\"\n").code,
        Some(1)
    );
    let run = config("[diff]\ntolerance = \"2\"\n");
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr.contains("such as 0.1%, 2mm or 0.5px"),
        "{}",
        run.stderr
    );
}

#[test]
fn junit_has_a_test_a_clip() {
    let run = skincheck(arguments("diff arm.gltf short_weights.gltf --format junit"));
    assert_eq!(run.code, Some(1));
    let text = run.text();
    assert!(
        text.contains("<testsuites name=\"skincheck\" tests=\"2\" failures=\"1\""),
        "{text}"
    );
    assert!(text.contains("name=\"clip &quot;Bend&quot;\""), "{text}");
}

/// `arm.gltf` in `folder`, changed.
fn changed(folder: &Path, name: &str, change: impl Fn(&mut Value)) {
    let text = fs::read_to_string(fixture("arm.gltf")).expect("the fixture is there");
    let mut document = serde_json::from_str(&text).expect("it is JSON");
    change(&mut document);
    fs::write(folder.join(name), document.to_string()).expect("it is writable");
}

#[test]
fn two_times_of_a_reference_are_not_shifted_until_one_of_them_fits() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    changed(folder.path(), "whole.gltf", |_| {});
    changed(folder.path(), "still.gltf", |document| {
        for clip in document["animations"]
            .as_array_mut()
            .expect("there are clips")
        {
            let channels = clip["channels"].as_array_mut().expect("each has channels");
            channels.truncate(1);
        }
    });
    let run = |line: &str| skincheck_in(folder.path(), arguments(line));
    run("bake whole.gltf --clip Bend --times 2 --reference arm.skref").ok();
    run("diff arm.skref whole.gltf").ok();
    let text = run("diff arm.skref still.gltf --json").text().to_owned();
    let report: Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(report["same"], false, "{text}");
    assert!(!text.contains("time-shift"), "{text}");
}

#[test]
fn renamed_clips_are_paired_whatever_moves_in_them() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    changed(folder.path(), "before.gltf", |_| {});
    changed(folder.path(), "after.gltf", |document| {
        let clips = document["animations"]
            .as_array_mut()
            .expect("there are clips");
        for (number, clip) in clips.iter_mut().enumerate() {
            clip["name"] = format!("take {number}").into();
        }
    });
    let run = skincheck_in(folder.path(), arguments("diff before.gltf after.gltf"));
    assert_eq!(run.code, Some(1));
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
    let run = skincheck(arguments(line));
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr.contains("\"Bend\" is paired twice"),
        "{}",
        run.stderr
    );
}
