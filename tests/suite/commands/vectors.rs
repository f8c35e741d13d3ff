//! `skincheck vectors`.

use std::fs;

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::program::Run;

/// A folder with the set in `set`.
fn with_set() -> Folder {
    let folder = Folder::new();
    folder.run("vectors set").exits(0);
    folder
}

fn names(folder: &Folder) -> Vec<String> {
    let manifest: Value = serde_json::from_str(&folder.read("set/manifest.json")).expect("JSON");
    let cases = manifest["cases"].as_array().expect("cases").iter();
    cases
        .map(|case| case["name"].as_str().expect("a name").to_owned())
        .collect()
}

/// Writes the answers of a right engine, with a change.
fn answer(folder: &Folder, change: impl Fn(&str, Value) -> Option<Value>) {
    fs::create_dir_all(folder.path("results")).expect("it is writable");
    for name in names(folder) {
        let expected = folder.read(&format!("set/{name}.json"));
        let mut right: Value = serde_json::from_str(&expected).expect("JSON");
        for pose in right["poses"].as_array_mut().expect("poses") {
            pose.as_object_mut().expect("a pose").remove("tolerance");
        }
        if let Some(answer) = change(&name, right) {
            folder.write(format!("results/{name}.json"), answer.to_string());
        }
    }
}

fn verify(folder: &Folder, options: &str) -> Run {
    folder.run(format!("vectors --verify set results {options}").trim())
}

#[test]
fn the_set_is_complete_steady_and_found_faultless_by_check() {
    let folder = with_set();
    let names = names(&folder);
    assert!(names.len() > 60, "{}", names.len());
    folder.run("vectors again").exits(0);
    let entries = fs::read_dir(folder.path("set")).expect("it is there");
    let files: Vec<_> = entries
        .map(|entry| entry.expect("readable").file_name())
        .collect();
    assert_eq!(files.len(), 3 * names.len() + 2);
    for file in &files {
        let [first, second] =
            ["set", "again"].map(|set| fs::read(folder.path(set).join(file)).ok());
        assert_eq!(first, second, "{}", file.display());
    }
    let report = folder.run("check set --format json --no-cache").json();
    let informational = ["joint-repeated", "weights-do-not-sum-to-one"];
    for model in report["models"].as_array().expect("models") {
        let path = model["path"].as_str().expect("a path");
        let findings = model["findings"].as_array().expect("findings");
        let errors: Vec<&Value> = findings
            .iter()
            .filter(|own| own["level"] == "error")
            .collect();
        let is_informational = informational.iter().any(|name| path.contains(name));
        assert!(errors.is_empty() || is_informational, "{path}: {errors:?}");
    }
}

#[test]
fn its_documents_are_described() {
    let folder = with_set();
    let manifest = serde_json::from_str(&folder.read("set/manifest.json")).expect("JSON");
    crate::reports::fields::assert_listed("vectors-manifest", &[manifest]);
    let cases = names(&folder).into_iter();
    let cases = cases.map(|name| serde_json::from_str(&folder.read(&format!("set/{name}.json"))));
    let cases: Result<Vec<Value>, _> = cases.collect();
    crate::reports::fields::assert_listed("vectors-case", &cases.expect("JSON"));
}

#[test]
fn references_are_those_of_the_files() {
    let folder = with_set();
    for name in [
        "skin",
        "morph-before-skin",
        "several-primitives",
        "mesh-with-two-skins",
        "negative-scale",
    ] {
        let line = format!("diff set/{name}.skref set/{name}.gltf");
        folder.run(&line).exits(0);
    }
}

#[test]
fn a_folder_with_other_files_is_left_alone() {
    let folder = Folder::new();
    folder.write("full/own.txt", "mine");
    folder
        .run("vectors full")
        .refuses("the folder is not empty");
    folder.run("vectors full/own.txt").refuses("it is a file");
    folder
        .run("vectors missing/set")
        .refuses("cannot write missing/set");
    assert_eq!(folder.read("full/own.txt"), "mine");
    assert_eq!(fs::read_dir(folder.root()).expect("it is there").count(), 1);
    fs::create_dir(folder.path("empty")).expect("it is writable");
    folder.run("vectors empty").exits(0);
    assert!(folder.path("empty/manifest.json").is_file());
}

#[test]
fn a_right_engine_holds_and_one_that_answers_nothing_does_not() {
    let folder = with_set();
    answer(&folder, |_, right| Some(right));
    let run = verify(&folder, "");
    run.exits(0).prints("all 65 cases hold (f32)\n");
    verify(&folder, "--tolerance influences=4,weights=8,resampled=30").exits(0);
    fs::remove_file(folder.path("results/step.json")).expect("it is there");
    let run = verify(&folder, "");
    run.exits(0)
        .prints("not run: step\ncases held: 64 of 65, none failed");
    answer(&folder, |_, mut right| {
        right["poses"][0]
            .as_object_mut()
            .expect("a pose")
            .remove("nodes");
        Some(right)
    });
    verify(&folder, "").exits(0).prints("all 65 cases hold");
    answer(&folder, |_, mut right| {
        for pose in right["poses"].as_array_mut().expect("poses") {
            pose.as_object_mut().expect("a pose").remove("meshes");
        }
        Some(right)
    });
    let run = verify(&folder, "");
    run.exits(0)
        .prints("answers without vertices: 67\ncases held: 65 of 65, none failed");
    answer(&folder, |_, _| Some(json!({ "unsupported": "no glTF" })));
    verify(&folder, "")
        .refuses("no case was run")
        .prints("unsupported step: no glTF");
    fs::remove_dir_all(folder.path("results")).expect("it is there");
    fs::create_dir(folder.path("results")).expect("it is writable");
    verify(&folder, "").refuses("no case was run");
    folder
        .run("vectors --verify set nowhere")
        .refuses("expected a folder");
}

#[test]
fn a_wrong_engine_is_told_where_and_what_it_looks_like() {
    let folder = with_set();
    // An engine that does not know morph targets shows the positions of the first pose of the file.
    answer(&folder, |name, mut right| {
        if name == "cubic-tangents-scaled-by-time" {
            right["poses"][1]["nodes"][0]["world"][12] = json!(1.125);
        }
        Some(right)
    });
    let run = verify(&folder, "--format json");
    let report = run.exits(1).json();
    crate::reports::fields::assert_listed("vectors", std::slice::from_ref(&report));
    assert_eq!(report["failed_cases"], 1);
    let run = verify(&folder, "");
    run.exits(1)
        .prints("failed cubic-tangents-scaled-by-time: the global transform of node \"mover\" at 0.25 s is off by 5.000e-1, allowed ")
        .prints("cases held: 64 of 65, failed: 1 (f32)");
    for format in ["sarif", "junit", "github", "gitlab", "markdown"] {
        verify(&folder, &format!("--format {format}")).exits(1);
    }
}

#[test]
fn an_engine_that_ignores_step_looks_like_that() {
    let folder = with_set();
    // The values of linear spans, where the file asks for steps.
    let blended = |from: f64, to: f64, phase: f64| from + (to - from) * phase;
    answer(&folder, |name, mut right| {
        if name == "step" {
            for pose in right["poses"].as_array_mut().expect("poses") {
                let time = pose["time"].as_f64().expect("a time");
                let x = blended(0.0, 1.0, (time / 0.5).min(1.0));
                let y = blended(0.0, 2.0, ((time - 0.5) / 1.0).clamp(0.0, 1.0));
                pose["nodes"][0]["world"][12] = json!(x);
                pose["nodes"][0]["world"][13] = json!(y);
            }
            return Some(right);
        }
        (!name.contains("step")).then_some(right)
    });
    let run = verify(&folder, "--format json").json();
    assert_eq!(run["looks_like"][0]["fault"], "step-as-linear", "{run:#}");
}

#[test]
fn hostile_results_are_refused_and_the_others_judged() {
    let folder = with_set();
    answer(&folder, |_, right| Some(right));
    folder.write("results/step.json", "{\"poses\": [");
    folder.write("results/linear.json", "[".repeat(100_000));
    folder.write("results/slerp.json", [0xFF, 0xFE]);
    folder.write("results/cubic.json", vec![b' '; (16 << 20) + 1]);
    folder.write("results/stepp.json", "{}");
    let right = folder.read("set/skin.json");
    let nan = right.replacen("[-0.25, 0.0, 0.0]", "[NaN, 0.0, 0.0]", 1);
    assert_ne!(right, nan);
    folder.write("results/skin.json", nan);
    fs::create_dir(folder.path("results/chain.json.d")).expect("it is writable");
    #[cfg(unix)]
    {
        fs::remove_file(folder.path("results/chain.json")).expect("it is there");
        std::os::unix::fs::symlink("chain.json", folder.path("results/chain.json"))
            .expect("a link");
        fs::remove_file(folder.path("results/matrix.json")).expect("it is there");
        std::os::unix::fs::symlink("/dev/zero", folder.path("results/matrix.json"))
            .expect("a link");
    }
    let run = verify(&folder, "");
    run.exits(2)
        .says("stepp.json: no case has this name (did you mean \"step\"?)")
        .says("results that cannot be read: ")
        .prints("unreadable step: not an answer: ")
        .prints("unreadable linear: not an answer: ")
        .prints("unreadable slerp: not an answer: ")
        .prints("unreadable cubic: it has more than 16 MiB")
        .prints("failed skin: ")
        .prints("is not finite");
    if cfg!(unix) {
        run.prints("unreadable matrix: ")
            .prints("unreadable chain: ");
    }
}

#[test]
fn a_set_of_another_version_or_no_set_is_refused() {
    let folder = with_set();
    answer(&folder, |_, right| Some(right));
    folder
        .run("vectors --verify set set")
        .refuses("this is the set itself");
    folder
        .run("vectors --verify results results")
        .refuses("manifest.json is missing");
    let changed = folder.read("set/step.gltf").replacen("STEP", "LINEAR", 1);
    folder.write("set/step.gltf", changed);
    verify(&folder, "").refuses("step.gltf is not what this version of skincheck writes");
    folder.run("vectors set results").refuses("--verify");
    folder.run("vectors --verify set").refuses("RESULTS");
    verify(&folder, "--tolerance weights=99").refuses("weights=99");
}
