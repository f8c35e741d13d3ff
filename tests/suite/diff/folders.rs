//! Comparisons of two folders, and models without a counterpart.

use std::collections::BTreeSet;
use std::fs;

use crate::folder::Folder;
#[cfg(unix)]
use crate::program::interrupted;
use crate::program::{Run, skincheck};

/// Folders with two equal pairs, one of them in two formats, a pair that differs, and one model on each side without a
/// counterpart.
fn folders() -> Folder {
    Folder::with(&[
        ("arm.gltf", "before/deep/arm.gltf"),
        ("arm.fbx", "after/deep/arm.fbx"),
        ("walker.glb", "before/walker.glb"),
        ("walker.glb", "after/walker.glb"),
        ("arm.gltf", "before/short.gltf"),
        ("short_weights.gltf", "after/short.gltf"),
        ("arm.gltf", "before/old.gltf"),
        ("arm.gltf", "after/new.gltf"),
    ])
}

fn diff(folder: &Folder, line: &str) -> Run {
    folder.run(&format!("diff before after {line}"))
}

#[test]
fn what_differs_is_shown_and_the_rest_is_counted() {
    let folder = folders();
    let run = diff(&folder, "");
    run.exits(1);
    let text = run.text();
    for line in [
        "before/short.gltf and after/short.gltf: DIFFERENT",
        "before/old.gltf: model-missing: no model of this path in after",
        "after/new.gltf: model-added: no model of this path in before",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    assert!(!text.contains("walker"), "{text}");
    let last =
        "before and after: 5 models: 2 the same, 1 different, 1 missing after, 1 missing before\n";
    assert!(text.ends_with(last), "{text}");
    for path in ["before/short.gltf", "before/old.gltf", "after/new.gltf"] {
        fs::remove_file(folder.path(path)).expect("it is there");
    }
    fs::remove_file(folder.path("after/short.gltf")).expect("it is there");
    let same = diff(&folder, "").ok();
    assert_eq!(same.text(), "before and after: 2 models: 2 the same\n");
}

/// Vertices that are nowhere have no counterpart.
#[test]
fn every_fixture_is_the_same_as_itself() {
    let run = skincheck("diff . . --format json");
    run.exits(2);
    let report = run.json();
    let models = report["models"].as_array().expect("it is a list");
    let different: BTreeSet<&str> = models
        .iter()
        .filter(|model| model["same"] == false)
        .filter_map(|model| model["path"].as_str())
        .collect();
    let nowhere = ["./broken/nan.gltf", "./rules/G801.gltf"];
    assert_eq!(different, BTreeSet::from(nowhere));
}

#[test]
fn every_format_has_every_model() {
    let folder = folders();
    let run = diff(
        &folder,
        "--format json --report junit=out.xml --report sarif=out.sarif",
    );
    run.exits(1);
    let document = run.json();
    let models = document["models"].as_array().expect("a list");
    let outcomes: Vec<_> = models
        .iter()
        .map(|model| (model["passes"] == true, &model["findings"][0]["code"]))
        .collect();
    let codes = outcomes.iter().map(|(_, code)| code.as_str());
    assert_eq!(
        codes.collect::<Vec<_>>()[1..3],
        [Some("model-added"), Some("model-missing")]
    );
    let same: Vec<bool> = outcomes.iter().map(|(same, _)| *same).collect();
    assert_eq!(same, [true, false, false, false, true]);
    let short = folder
        .run("diff before/short.gltf after/short.gltf --format json")
        .json();
    assert_eq!(models[3], short["models"][0]);
    let read = |name: &str| folder.read(name);
    let junit = read("out.xml");
    assert_eq!(crate::reports::junit::complaints(&junit), [""; 0]);
    assert_eq!(junit.matches("<testsuite ").count(), 5, "{junit}");
    let sarif = read("out.sarif");
    assert_eq!(crate::reports::sarif::complaints(&sarif), [""; 0]);
    for kind in ["\"model-missing\",\n", "\"model-added\",\n"] {
        assert!(sarif.contains(&format!("\"ruleId\": {kind}")), "{kind}");
    }
}

#[test]
fn shards_have_every_model_once() {
    let folder = folders();
    let mut seen = BTreeSet::new();
    for number in 1..=3 {
        let run = diff(&folder, &format!("--format json --shard {number}/3"));
        for model in run.json()["models"].as_array().expect("a list") {
            assert!(seen.insert(model["path"].to_string()), "{model}");
        }
    }
    assert_eq!(seen.len(), 5);
    let files = folder.run("diff before/old.gltf after/new.gltf --shard 1/2");
    let reported = "--shard splits the models of two folders";
    files.refuses(reported);
}

#[test]
fn a_model_that_cannot_be_read_stops_no_other() {
    let folder = folders();
    folder.write("after/walker.glb", "glTF");
    let run = diff(&folder, "--report junit=out.xml --report sarif=out.sarif");
    let reported = "before/walker.glb and after/walker.glb: error: after/walker.glb: ";
    run.exits(2)
        .prints(reported)
        .prints("1 the same, 1 different");
    let last = "error: 1 of 5 models could not be compared\n";
    assert!(run.stderr.ends_with(last), "{}", run.stderr);
    let read = |name: &str| folder.read(name);
    assert_eq!(
        crate::reports::sarif::complaints(&read("out.sarif")),
        [""; 0]
    );
    assert!(read("out.xml").contains("failures=\"3\" errors=\"1\""));
}

#[test]
fn the_configuration_of_each_model_after_counts() {
    let folder = folders();
    let config = "[diff]\nscale = 2.0\n";
    folder.write("after/skincheck.toml", config);
    diff(&folder, "").prints("5 models: 3 different, 1 missing");
    folder.write("after/deep/skincheck.toml", "[diff");
    let wrong = diff(&folder, "");
    wrong.refuses("after/deep/skincheck.toml:1");
    assert_eq!(wrong.text(), "");
}

#[test]
fn what_two_folders_cannot_have_is_refused() {
    let folder = folders();
    fs::create_dir(folder.path("empty")).expect("it can be made");
    for (line, reported) in [
        ("diff before empty", "empty: no models found in this folder"),
        ("diff before after/new.gltf", "before: this is a folder"),
        (
            "diff before after --report junit=before/old.gltf",
            "it is the input",
        ),
    ] {
        folder.run(line).refuses(reported);
    }
}

#[test]
fn a_page_on_two_folders_has_every_model() {
    let folder = folders();
    let run = diff(&folder, "--report html=out.html");
    run.exits(1);
    let page = folder.read("out.html");
    for part in [
        "<title>before and after: 5 models: 2 the same, 1 different, 1 missing after, 1 missing before</title>",
        "<a href=\"#model-3\">before/short.gltf<br>after/short.gltf</a>",
        "<article id=\"model-3\">\n<h2>before/short.gltf and after/short.gltf</h2>",
        "<td>before/walker.glb<br>after/walker.glb</td><td class=\"same\">the same</td>",
        "<td>before/old.gltf</td><td class=\"different\">model-missing</td>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert_eq!(page.matches("<article").count(), 1, "only what differs");
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_reports_what_was_done() {
    let folder = folders();
    for index in 0..500 {
        for side in ["before", "after"] {
            folder.copy("walker.glb", &format!("{side}/many/{index}.glb"));
        }
    }
    let run = interrupted(folder.root(), "diff before after");
    run.exits(130);
    let reported = " not compared because interrupted\n";
    assert!(run.text().ends_with(reported), "{}", run.text());
    run.prints(": 505 models: ");
}
