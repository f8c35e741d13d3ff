//! Shards of a run, and the merged report.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use super::{Folder, RIGHT, WRONG, run_in};
#[cfg(unix)]
use crate::program::interrupted;
use crate::program::{self, Run, arguments, command_in};

fn models() -> Folder {
    let folder = Folder::with(&[(WRONG, "m/wrong.gltf"), ("arm.gltf", "m/large.gltf")]);
    for index in 0..6 {
        folder.copy(RIGHT, &format!("m/{index}.gltf"));
    }
    folder.write("m/broken.gltf", "{");
    folder
}

fn shard(folder: &Folder, shard: &str) -> Run {
    folder.check(&format!("m --shard {shard} --results results"))
}

fn merge(folder: &Folder, line: &str) -> Run {
    folder.run(&format!("merge {line}"))
}

#[test]
fn merged_shards_report_what_one_run_reports() {
    let folder = models();
    for number in 1..=3 {
        shard(&folder, &format!("{number}/3"));
    }
    for format in [
        "text", "json", "junit", "sarif", "github", "gitlab", "markdown",
    ] {
        let whole = folder.check(&format!("m --format {format}"));
        let merged = merge(&folder, &format!("results --format {format}"));
        assert_eq!(merged.text(), whole.text(), "{format}");
        assert_eq!(merged.code, whole.code, "{format}");
    }
    let accepted = folder.check("m --write-baseline accepted.json --accept-unreadable");
    accepted.exits(0);
    merge(&folder, "results --baseline accepted.json").exits(0);
}

#[test]
fn shards_share_the_models_out() {
    let folder = models();
    let mut seen = BTreeSet::new();
    for number in 1..=3 {
        let run = folder.check(&format!("m --shard {number}/3 --format json"));
        let document = run.json();
        let files = document["models"].as_array().expect("files are a list");
        assert!(!files.is_empty());
        for file in files {
            assert!(seen.insert(file["path"].to_string()), "{file}");
        }
    }
    assert_eq!(seen.len(), 9);
    let empty = folder.check("m/0.gltf --shard 2/2").ok();
    assert_eq!(empty.text(), "0 files checked: nothing found\n");
}

#[test]
fn a_shard_that_was_killed_continues_where_it_stopped() {
    let folder = models();
    shard(&folder, "1/1");
    let path = folder.path("results/shard-1-of-1.jsonl");
    let whole = fs::read_to_string(&path).expect("it is there");
    let expected = merge(&folder, "results --format json");
    for cut in [whole.len() - 10, whole.len() / 2, 10, 0] {
        fs::write(&path, &whole[..cut]).expect("it is writable");
        let torn = merge(&folder, "results");
        assert_eq!(torn.code, Some(2), "{cut}");
        shard(&folder, "1/1");
        let merged = merge(&folder, "results --format json");
        assert_eq!(merged.text(), expected.text(), "{cut}");
    }
    let before = fs::metadata(&path).expect("it is there").len();
    folder.copy(RIGHT, "m/wrong.gltf");
    shard(&folder, "1/1").refuses("differs in the models or their sizes");
    assert_eq!(fs::metadata(&path).expect("it is there").len(), before);
}

#[test]
fn shards_that_make_no_run_are_refused_by_name() {
    let folder = models();
    shard(&folder, "1/3");
    shard(&folder, "3/3");
    let refused = |message: &str| {
        let run = merge(&folder, "results");
        assert_eq!(run.code, Some(2), "{message}");
        assert!(run.stdout.is_empty());
        assert!(run.stderr.contains(message), "{message}: {}", run.stderr);
    };
    refused("missing shards: 2 (of 3)");
    shard(&folder, "2/3");
    assert_eq!(
        merge(&folder, "results").code,
        Some(2),
        "a model cannot be read"
    );
    let at = |number: usize| folder.path(format!("results/shard-{number}-of-3.jsonl"));
    fs::copy(at(2), folder.path("results/copy.jsonl")).expect("it is writable");
    refused("duplicate shard 2: results/copy.jsonl and results/shard-2-of-3.jsonl");
    fs::remove_file(folder.path("results/copy.jsonl")).expect("it is there");
    let twice = merge(&folder, "results results");
    twice.refuses("results/shard-1-of-3.jsonl: these results are named twice");
    let second = fs::read_to_string(at(2)).expect("it is there");
    let stolen = second
        .lines()
        .nth(1)
        .expect("it has found something")
        .to_owned();
    let third = fs::read_to_string(at(3)).expect("it is there");
    fs::write(at(3), format!("{third}{stolen}\n")).expect("it is writable");
    refused(
        "results/shard-3-of-3.jsonl: these results cannot be used; remove the file and run the shard again: line ",
    );
    refused("the first line does not list this model");
    let half = &third[..third.len() / 2];
    fs::write(at(3), format!("{half}\u{1}\n{third}")).expect("it is writable");
    refused(
        "results/shard-3-of-3.jsonl: these results cannot be used; remove the file and run the shard again: line ",
    );
    let first_line = third.lines().next().expect("it has a header");
    fs::write(at(3), format!("{first_line}\n")).expect("it is writable");
    refused("models are missing: m/");
    let mut header: Value = serde_json::from_str(first_line).expect("it is JSON");
    header["models"] = serde_json::json!({});
    fs::write(at(3), format!("{header}\n")).expect("it is writable");
    refused("the models of the shards are not those of the run");
    header["shards"] = u64::MAX.into();
    folder.write("vast.jsonl", format!("{header}\n"));
    merge(&folder, "vast.jsonl").refuses("5, 6, 7, 8, 9, 10, 11 and 18446744073709551604 more");
    folder.write("empty.jsonl", "");
    merge(&folder, "empty.jsonl").refuses("empty.jsonl: not the results");
    fs::write(
        at(3),
        third.replacen("\"skincheck\":\"0", "\"skincheck\":\"9", 1),
    )
    .expect("it is writable");
    refused(
        "results/shard-1-of-3.jsonl and results/shard-3-of-3.jsonl come from different runs, which differ in the version",
    );
    fs::write(at(3), "{}").expect("it is writable");
    refused("results/shard-3-of-3.jsonl: these results cannot be used");
    fs::write(
        at(3),
        third.replacen("skincheck/results/", "skincheck/results/1", 1),
    )
    .expect("it is writable");
    refused("another version of skincheck wrote them: expected the schema skincheck/results/");
    fs::remove_file(at(3)).expect("it is there");
    folder.write("skincheck.toml", "deny-warnings = true\n");
    shard(&folder, "3/3");
    refused("which differ in the configuration");
}

#[test]
fn the_findings_of_every_rule_survive_the_results() {
    let fixtures = program::fixture("rules");
    let folder = Folder::new();
    let results = folder.path("results");
    let results = results.to_str().expect("it is Unicode");
    let line = format!(". --verbose --format json --results {results}");
    let whole = run_in(&fixtures, &line);
    let line = format!("merge {results} --verbose --format json");
    let merged = program::skincheck_in(&fixtures, &line);
    assert!(whole.text() == merged.text(), "{}", merged.stderr);
    assert!(merged.text().contains("\"W101\""));
}

#[test]
fn a_whole_run_between_shards_and_a_shard_again_change_nothing() {
    let folder = models();
    let check = |line: &str| {
        let mut command = command_in(folder.root());
        command.args(arguments(&format!("check m --cache cache {line}")));
        Run::of(command.env_remove("SKINCHECK_NO_CACHE"))
    };
    let whole = check("--format json");
    check("--shard 1/2 --results results").exits(0);
    check("").exits(2);
    for number in [2, 1, 2] {
        check(&format!("--shard {number}/2 --results results")).exits(0);
    }
    let merged = merge(&folder, "results --format json");
    assert_eq!(merged.text(), whole.text());
    for _ in 0..2 {
        check("--shard 1/1 --results alone").exits(0);
    }
}

#[test]
fn the_newest_result_of_a_model_counts() {
    let folder = Folder::with(&[(RIGHT, "m.gltf")]);
    let path = folder.path("results/shard-1-of-1.jsonl");
    let line = |model: &str| {
        folder.copy(model, "m.gltf");
        let _ = fs::remove_file(&path);
        folder.check("m.gltf --results results").exits(0);
        let text = fs::read_to_string(&path).expect("it is there");
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        (lines[0].clone(), lines[1].clone())
    };
    let (header, wrong) = line(WRONG);
    let (_, right) = line(RIGHT);
    for (first, last, code) in [(&right, &wrong, 1), (&wrong, &right, 0)] {
        fs::write(&path, format!("{header}\n{first}\n{last}\n")).expect("it is writable");
        merge(&folder, "results").exits(code);
    }
}

#[test]
fn a_model_added_between_shards_is_named_as_the_cause() {
    let folder = models();
    shard(&folder, "1/2");
    folder.copy(RIGHT, "m/new.gltf");
    shard(&folder, "2/2");
    merge(&folder, "results")
        .refuses("differ in the number of models, so one was added or removed");
}

#[test]
fn an_engine_says_which_shard_it_is() {
    let folder = models();
    let run = |line: &str, variables: &[(&str, &str)]| {
        let mut command = command_in(folder.root());
        command.args(arguments(&format!("check m --select W103 {line}")));
        Run::of(command.envs(variables.iter().copied()))
    };
    let status = folder.path("status");
    let status = status.to_str().expect("it is Unicode");
    let bazel = [
        ("TEST_SHARD_INDEX", "1"),
        ("TEST_TOTAL_SHARDS", "3"),
        ("TEST_SHARD_STATUS_FILE", status),
    ];
    let expected = folder.check("m --shard 2/3");
    assert_eq!(run("--shard auto", &bazel).text(), expected.text());
    assert!(folder.path("status").exists());
    let gitlab = [("CI_NODE_INDEX", "2"), ("CI_NODE_TOTAL", "3")];
    assert_eq!(run("--shard auto", &gitlab).text(), expected.text());
    let kubernetes = [("JOB_COMPLETION_INDEX", "1")];
    assert_eq!(run("--shard auto/3", &kubernetes).text(), expected.text());
    for (line, variables, message) in [
        ("--shard auto", &kubernetes[..], "use --shard auto/N"),
        ("--shard auto", &[], "no CI engine states"),
        ("--shard 4/3", &[], "expected M/N"),
    ] {
        run(line, variables).refuses(message);
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_reports_what_was_done() {
    let folder = models();
    let names: Vec<String> = (0..3000)
        .map(|index| format!("many/{index}.gltf"))
        .collect();
    for name in &names {
        folder.copy("arm.gltf", name);
    }
    let run = interrupted(
        folder.root(),
        "check many --jobs 1 --write-baseline accepted.json",
    );
    run.exits(130)
        .prints(" files checked: ")
        .prints("interrupted, ");
    assert!(!folder.path("accepted.json").exists());
}
