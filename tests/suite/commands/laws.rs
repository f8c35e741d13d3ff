//! `skincheck laws`.

use std::fs;

use serde_json::{Value, json};

#[cfg(unix)]
use crate::engines::command;
use crate::folder::Folder;
use crate::program::{fixture, skincheck};

#[test]
fn every_law_holds_on_fixtures() {
    let models = "walker.glb arm.gltf arm.fbx arm.dae step_linear_cubic.gltf eight_influences.gltf mirrored_joint.gltf \
                  no_weight_vertices.gltf nonuniform_scale.gltf opposite_signs.gltf quantized.gltf two_skins.gltf morph_and_skin.gltf \
                  unnormalized_weights.gltf";
    let run = skincheck(&format!("laws --cases 40 {models}"));
    run.exits(0);
    let text = run.text();
    assert!(
        text.ends_with("every tested law holds on 14 models\n"),
        "{text}"
    );
}

#[test]
fn poses_that_are_not_finite_are_counted_and_not_tested() {
    let folder = Folder::new();
    let text = fs::read_to_string(fixture("arm.gltf")).expect("the fixture is there");
    let mut model: Value = serde_json::from_str(&text).expect("it is JSON");
    for node in [0, 1] {
        model["nodes"][node]["scale"] = json!([1e30, 1e30, 1e30]);
    }
    folder.write("arm.gltf", model.to_string());
    let run = folder.run("laws arm.gltf --cases 8");
    run.prints("skipped: poses that are not finite (8)");
}

#[test]
fn every_law_holds_of_dual_quaternions() {
    let line = "laws --cases 40 --skinning dual-quaternion walker.glb arm.fbx nonuniform_scale.gltf mirrored_joint.gltf \
                eight_influences.gltf unnormalized_weights.gltf";
    skincheck(line).exits(0);
}

/// Runs the command that shows the failure of a law on its smallest rig.
#[cfg(unix)]
#[track_caller]
fn is_shown_again(folder: &Folder, law: &serde_json::Value) {
    let again = &law["rig"]["command"];
    let again = again.as_str().expect("the rig shows it");
    let line = again.strip_prefix("skincheck ").expect("a command");
    // The command of the engine is in quotes; the words before it have none.
    let (words, quoted) = line.split_once(" --exec ").expect("an engine");
    let mut shell = std::process::Command::new("sh");
    let printed = shell.args(["-c", &format!("printf %s {quoted}")]).output();
    let engine = String::from_utf8(printed.expect("there is a shell").stdout).expect("text");
    let words: Vec<&str> = words.split(' ').chain(["--exec", &engine]).collect();
    folder.run_words(&words).exits(1);
}

#[cfg(unix)]
#[test]
fn a_planted_fault_is_found_and_its_smallest_rig_shows_it_again() {
    let folder = Folder::new();
    let (model, nlerp) = (
        fixture("walker.glb").display().to_string(),
        command("nlerp"),
    );
    let line = [
        "laws",
        &model,
        "missing.glb",
        "--exec",
        &nlerp,
        "--cases",
        "12",
        "--format",
        "json",
    ];
    let run = folder.run_words(&line);
    assert_eq!(run.code, Some(2), "one model is missing");
    let report = run.json();
    crate::reports::fields::assert_listed("laws", std::slice::from_ref(&report));
    let laws = report["models"][0]["laws"]
        .as_array()
        .expect("laws are a list");
    let broken: Vec<_> = laws.iter().filter(|law| law["holds"] == false).collect();
    assert!(
        broken.iter().any(|law| law["law"] == "constant-speed"),
        "{broken:?}"
    );
    for law in broken {
        is_shown_again(&folder, law);
    }
}

#[cfg(unix)]
#[test]
fn a_mistake_in_skinning_is_shown_again_by_its_smallest_rig() {
    let folder = Folder::new();
    let (model, fault) = (
        fixture("walker.glb").display().to_string(),
        command("no-inverse-bind"),
    );
    let line = [
        "laws",
        &model,
        "--exec",
        &fault,
        "--law",
        "bind-pose",
        "--format",
        "json",
    ];
    let run = folder.run_words(&line);
    let laws = run.json()["models"][0]["laws"].clone();
    is_shown_again(&folder, &laws[0]);
}

#[cfg(unix)]
#[test]
fn the_same_seed_gives_the_same_report() {
    let folder = Folder::new();
    let (model, fault) = (
        fixture("arm.gltf").display().to_string(),
        command("half-floats"),
    );
    let run = |seed: &str| {
        let line = [
            "laws", &model, "--exec", &fault, "--cases", "4", "--seed", seed,
        ];
        folder.run_words(&line).text().to_owned()
    };
    let report = run("7");
    assert_eq!(report, run("7"));
    assert_ne!(report, run("8"));
}

/// Asserts that a run with a program as the engine fails with `words`.
#[cfg(unix)]
#[track_caller]
fn engine_fails(command: &str, words: &str) {
    let model = fixture("arm.gltf").display().to_string();
    let line = ["laws", &model, "--exec", command, "--reply-timeout", "0.5"];
    Folder::new().run_words(&line).refuses(words);
}

#[cfg(unix)]
#[test]
fn an_engine_that_does_not_answer_is_an_error_that_says_how() {
    engine_fails("exit 3", "the program ended");
    engine_fails("skincheck-no-such-engine", "the program ended");
    let slow = "did not answer request 0 within 0.5 s";
    engine_fails("exec sleep 60", slow);
    for (answer, words) in [
        ("hello", "not JSON objects; the first is \"hello\""),
        ("'{\"id\": 0'", "it begins \"{\\\"id\\\": 0\""),
        ("'{\"id\": 9}'", "its id is 9"),
        (
            "'{\"id\": 0, \"error\": \"no skins\"}'",
            "the error \"no skins\"",
        ),
    ] {
        let command = format!("while read -r line; do echo {answer}; done");
        engine_fails(&command, words);
    }
}

/// An engine that answers each time of each request with `pose`.
///
/// * `only` – instead of poses, for all requests but the first.
#[cfg(unix)]
fn engine(only: &str, pose: &str) -> String {
    format!(
        "id=0; while read -r line; do times=${{line#*times}}; times=${{times%%]*}}; poses='{pose}'; \
         while [ \"$times\" != \"${{times#*,}}\" ]; do times=${{times#*,}}; poses=\"$poses, \"'{pose}'; done; \
         said='{only}'; if [ $id = 0 ] || [ -z \"$said\" ]; then said='\"poses\": ['$poses']'; fi; \
         printf '{{\"id\": %d, %s}}\\n' $id \"$said\"; id=$((id + 1)); done"
    )
}

/// An engine that prints a banner first, and answers like Python's json does.
#[cfg(unix)]
#[test]
fn nan_in_an_answer_breaks_laws_and_a_banner_is_skipped() {
    let folder = Folder::new();
    let model = fixture("arm.gltf").display().to_string();
    let command = format!(
        "echo 'Engine 1.0'; {}",
        engine("", r#"{"nodes": [[NaN, Infinity]]}"#)
    );
    let line = [
        "laws", &model, "--exec", &command, "--cases", "2", "--law", "key-time",
    ];
    let run = folder.run_words(&line);
    run.exits(1);
    run.prints("NaN");
}

#[cfg(unix)]
#[test]
fn an_engine_that_answers_nonsense_breaks_laws() {
    let folder = Folder::new();
    let model = fixture("arm.gltf").display().to_string();
    let command = engine("", r#"{"nodes": []}"#);
    let line = [
        "laws", &model, "--exec", &command, "--cases", "2", "--law", "key-time",
    ];
    folder.run_words(&line).exits(1);
    assert!(folder.path("skincheck-laws").is_dir());
}

#[cfg(unix)]
#[test]
fn cases_that_an_engine_does_not_support_are_counted_and_test_nothing() {
    let folder = Folder::new();
    let model = fixture("arm.gltf").display().to_string();
    let command = engine(r#""unsupported": "no clips""#, r#"{"nodes": []}"#);
    let line = [
        "laws",
        &model,
        "--exec",
        &command,
        "--cases",
        "3",
        "--law",
        "hierarchy",
        "--format",
        "json",
    ];
    let run = folder.run_words(&line);
    run.refuses("no law was tested");
    run.says("does not support: 3; its reason for the first: \"no clips\"");
    let law = &run.json()["models"][0]["laws"][0];
    assert_eq!(
        (&law["unsupported"], &law["holds"]),
        (&json!(3), &Value::Null)
    );
}

/// It answers 40 requests.
#[cfg(unix)]
#[test]
fn what_was_tested_before_an_engine_crashes_is_reported() {
    let folder = Folder::new();
    let model = fixture("arm.gltf").display().to_string();
    let command = engine("", r#"{"nodes": []}"#);
    let command = command.replace(
        "while read -r line; do",
        "while [ $id -lt 40 ] && read -r line; do",
    );
    let line = [
        "laws", &model, "--exec", &command, "--cases", "100", "--format", "json",
    ];
    let run = folder.run_words(&line);
    run.refuses("the program ended");
    let report = run.json();
    let model = &report["models"][0];
    let failure = model["failure"].as_str().unwrap_or_default();
    assert!(failure.contains("the program ended"), "{failure}");
    let laws = model["laws"].as_array().expect("laws are a list");
    assert!(laws.iter().any(|law| law["holds"] == false), "{laws:?}");
    assert_eq!(report["passes"], false);
}

/// Of all faults in JSON, and of one in every other format.
#[cfg(unix)]
#[test]
fn the_cause_of_broken_laws_is_named() {
    let folder = Folder::new();
    let model = fixture("walker.glb").display().to_string();
    let run = |fault: &str, cases: &str, format: &str| {
        let engine = command(fault);
        let line = [
            "laws", &model, "--exec", &engine, "--cases", cases, "--format", format,
        ];
        folder.run_words(&line)
    };
    let faults = [
        ("no-inverse-bind", "the inverse bind matrix is left out"),
        (
            "answer-by-rows",
            "the transforms of nodes are answered row by row",
        ),
        ("no-scale-tracks", "scale tracks are not played"),
    ];
    for (fault, mistake) in faults {
        let causes = run(fault, "12", "json").exits(1).json()["models"][0]["looks_like"].clone();
        let [cause] = causes.as_array().expect("causes are a list").as_slice() else {
            panic!("{causes}");
        };
        assert_eq!(
            (&cause["fault"], &cause["mistake"]),
            (&json!(fault), &json!(mistake))
        );
    }
    let (fault, mistake) = faults[0];
    let words = format!("looks like: {mistake} ({fault}), explains ");
    for format in ["text", "sarif", "junit", "github", "gitlab", "markdown"] {
        let text = run(fault, "2", format).exits(1).text().to_owned();
        assert!(text.contains(&words), "{format}: {text}");
    }
}
