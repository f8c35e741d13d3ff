//! Shards of a run, and the merged report.

use std::collections::BTreeSet;
use std::fs;

use super::{Folder, RIGHT, WRONG};
#[cfg(unix)]
use crate::program::interrupted;
use crate::program::{Run, arguments, command_in};

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
    for format in ["text", "json", "junit", "sarif", "github"] {
        let whole = folder.check(&format!("m --format {format}"));
        let merged = merge(&folder, &format!("results --format {format}"));
        assert_eq!(merged.text(), whole.text(), "{format}");
        assert_eq!(merged.code, whole.code, "{format}");
    }
    let accepted = folder.check("m --write-baseline accepted.json");
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
        let files = document["files"].as_array().expect("files are a list");
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
    shard(&folder, "1/1").refuses("differs in the files or their weights");
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
    refused("of 3 shards, these are missing: 2");
    shard(&folder, "2/3");
    assert_eq!(
        merge(&folder, "results").code,
        Some(2),
        "a model cannot be read"
    );
    let at = |number: usize| folder.path(format!("results/shard-{number}-of-3.jsonl"));
    fs::copy(at(2), folder.path("results/copy.jsonl")).expect("it is writable");
    refused("shard 2 is there twice: results/copy.jsonl and results/shard-2-of-3.jsonl");
    fs::remove_file(folder.path("results/copy.jsonl")).expect("it is there");
    let second = fs::read_to_string(at(2)).expect("it is there");
    let stolen = second
        .lines()
        .nth(1)
        .expect("it has found something")
        .to_owned();
    let third = fs::read_to_string(at(3)).expect("it is there");
    fs::write(at(3), format!("{third}{stolen}\n")).expect("it is writable");
    refused("is in two shards: results/shard-2-of-3.jsonl and results/shard-3-of-3.jsonl");
    let first_line = third.lines().next().expect("it has a header");
    fs::write(at(3), format!("{first_line}\n")).expect("it is writable");
    refused("models are missing: m/");
    fs::write(
        at(3),
        third.replacen("\"skincheck\":\"0", "\"skincheck\":\"9", 1),
    )
    .expect("it is writable");
    refused(
        "results/shard-1-of-3.jsonl and results/shard-3-of-3.jsonl come from different runs, which differ in the version",
    );
    fs::write(at(3), "{}").expect("it is writable");
    refused("results/shard-3-of-3.jsonl: not the results");
    fs::remove_file(at(3)).expect("it is there");
    folder.write("skincheck.toml", "deny-warnings = true\n");
    shard(&folder, "3/3");
    refused("which differ in the configuration");
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
