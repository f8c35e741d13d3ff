//! Shards of a run, and the merged report.

use std::collections::BTreeSet;

use serde_json::{Value, json};

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

/// Checks a shard, and writes its report to `shard-K.json`.
fn shard(folder: &Folder, number: usize, count: usize) -> Run {
    let line = format!("m --shard {number}/{count} --exit-zero --report json=shard-{number}.json");
    let run = folder.check(&line);
    run.exits(0);
    run
}

fn merge(folder: &Folder, count: usize, line: &str) -> Run {
    let shards: Vec<String> = (1..=count)
        .map(|number| format!("shard-{number}.json"))
        .collect();
    folder.run(&format!("merge {} {line}", shards.join(" ")))
}

/// A report without the repairs that SARIF offers: `merge` opens no models, and proves none.
fn without_fixes(text: &str, format: &str) -> String {
    if format != "sarif" {
        return text.to_owned();
    }
    let mut report: Value = serde_json::from_str(text).expect("it is JSON");
    for run in report["runs"].as_array_mut().expect("it is a list") {
        for result in run["results"].as_array_mut().expect("it is a list") {
            let result = result.as_object_mut().expect("it is an object");
            result.remove("fixes");
        }
    }
    let text = serde_json::to_string_pretty(&report).expect("it is JSON");
    format!("{text}\n")
}

#[test]
fn merged_shards_report_what_one_run_reports() {
    let folder = models();
    for number in 1..=3 {
        shard(&folder, number, 3);
    }
    for format in [
        "text",
        "json",
        "junit",
        "junit --verbose",
        "sarif",
        "github",
        "gitlab",
        "markdown",
    ] {
        let whole = folder.check(&format!("m --level warning --format {format}"));
        let merged = merge(&folder, 3, &format!("--format {format}"));
        let whole_text = without_fixes(whole.text(), format);
        assert!(merged.text() == whole_text, "{format}");
        assert_eq!(merged.code, whole.code, "{format}");
    }
    let accepted = folder.check("m --write-baseline accepted.json");
    let code = accepted.code;
    for line in ["--baseline accepted.json", "--write-baseline merged.json"] {
        assert_eq!(merge(&folder, 3, line).code, code, "{line}");
    }
    assert_eq!(folder.read("merged.json"), folder.read("accepted.json"));
}

#[test]
fn a_configured_level_and_a_denied_warning_survive_the_reports() {
    let folder = models();
    folder.write(
        "skincheck.toml",
        "deny-warnings = true\ndeny-unchecked = true\npreset = \"film\"\nengine = \"unreal\"\n",
    );
    for number in 1..=2 {
        shard(&folder, number, 2);
    }
    for format in ["text", "json", "junit", "sarif"] {
        let whole = folder.check(&format!("m --format {format}"));
        let merged = merge(&folder, 2, &format!("--format {format}"));
        let whole_text = without_fixes(whole.text(), format);
        assert!(merged.text() == whole_text, "{format}");
        assert_eq!(merged.code, whole.code, "{format}");
    }
    let hidden = Folder::with(&[(WRONG, "m/a.gltf"), (WRONG, "m/b.gltf")]);
    let select = "--select C515 --level error";
    for number in 1..=3 {
        let line = format!("m {select} --shard {number}/3 --report json=shard-{number}.json");
        hidden.check_all(&line).ok();
    }
    let whole = hidden.check_all(&format!("m {select}")).ok();
    assert_eq!(merge(&hidden, 3, "").text(), whole.text());
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
fn a_shard_alone_is_judged_and_its_report_for_merge_is_not() {
    let folder = models();
    let line = "m --shard 1/1 --report json=shard-1.json";
    folder.check(line).exits(2);
    folder.check(&format!("{line} --exit-zero")).exits(0);
    folder.check("m --exit-zero").exits(2);
    merge(&folder, 1, "").exits(2);
}

#[test]
fn a_shard_that_is_started_again_checks_only_what_it_had_not() {
    let folder = models();
    let check = |line: &str| {
        let mut command = command_in(folder.root());
        command.args(arguments(&format!("check m --cache cache {line}")));
        Run::of(command.env_remove("SKINCHECK_NO_CACHE"))
    };
    let whole = check("--format json");
    let again = |number: usize| {
        let line = format!("--shard {number}/2 --exit-zero --report json=shard-{number}.json");
        check(&line)
    };
    for number in [1, 2] {
        again(number).exits(0).says(" unchanged");
    }
    let merged = merge(&folder, 2, "--format json");
    assert_eq!(merged.text(), whole.text());
    let before = folder.read("shard-1.json");
    again(1).exits(0);
    assert_eq!(folder.read("shard-1.json"), before);
}

#[test]
fn shards_that_make_no_run_are_refused_by_name() {
    let folder = models();
    for number in 1..=3 {
        shard(&folder, number, 3);
    }
    let refused = |line: &str, message: &str| {
        let run = folder.run(&format!("merge {line}"));
        assert_eq!(run.code, Some(2), "{message}");
        assert!(run.stdout.is_empty());
        assert!(run.stderr.contains(message), "{message}: {}", run.stderr);
    };
    refused("shard-1.json shard-3.json", "missing shards: 2 (of 3)");
    refused(
        "shard-1.json shard-2.json shard-1.json shard-3.json",
        "duplicate shard 1: shard-1.json and shard-1.json",
    );
    refused("nowhere.json", "nowhere.json: it cannot be read: ");
    refused(".", "it cannot be read: ");
    folder
        .check("m --exit-zero --report json=whole.json")
        .exits(2);
    refused("whole.json", "whole.json: the report of a whole run");
    let accepted =
        "m --shard 3/3 --exit-zero --baseline accepted.json --report json=accepting.json";
    folder.check("m --write-baseline accepted.json").exits(2);
    folder.check(accepted).exits(0);
    refused("accepting.json", "a baseline was applied to this shard");

    let third = folder.read("shard-3.json");
    let document: Value = serde_json::from_str(&third).expect("it is JSON");
    let with = |change: &dyn Fn(&mut Value), message: &str| {
        let mut changed = document.clone();
        change(&mut changed);
        folder.write("other.json", changed.to_string());
        refused("shard-1.json shard-2.json other.json", message);
    };
    with(
        &|report| report["interrupted"] = json!(2),
        "other.json: the run was interrupted, and 2 of its models are missing",
    );
    with(
        &|report| report["schema"] = json!("skincheck/report/9"),
        "expected the schema skincheck/report/1, found \"skincheck/report/9\"",
    );
    with(
        &|report| report["command"] = json!("diff"),
        "expected a report of skincheck check, found one of diff",
    );
    let damaged = "other.json: the report is damaged: it contradicts itself";
    with(&|report| report["models"] = json!([]), damaged);
    with(
        &|report| report["passes"] = json!("true"),
        "not a JSON report",
    );
    with(&|report| report["summary"]["errors"] = json!(7), damaged);
    with(&|report| report["shard"]["number"] = json!(4), damaged);
    with(&|report| report["shard"]["count"] = json!(0), damaged);
    with(
        &|report| report["shard"]["setting_of"][0] = json!(99),
        damaged,
    );
    with(
        &|report| report["shard"]["number"] = json!(1),
        "duplicate shard 1: shard-1.json and other.json",
    );
    let no_run = "the models of the shards are not those of the run";
    let first: Value = serde_json::from_str(&folder.read("shard-1.json")).expect("it is JSON");
    with(
        &|report| report["shard"]["indices"][0] = first["shard"]["indices"][0].clone(),
        no_run,
    );
    with(&|report| report["unaffected"] = json!(1), no_run);
    with(
        &|report| report["shard"]["run"]["program"] = json!("9.9"),
        "shard-1.json and other.json come from different runs, which differ in the version or build of skincheck",
    );
    with(
        &|report| report["shard"]["count"] = json!(u64::MAX),
        "which differ in the number of shards",
    );
    let mut vast = document.clone();
    vast["shard"]["count"] = json!(u64::MAX);
    folder.write("vast.json", vast.to_string());
    refused(
        "vast.json",
        "missing shards: 1, 2, 4, 5, 6, 7, 8, 9, 10, 11 and 18446744073709551604 more (of 18446744073709551615)",
    );
    let deep = "[".repeat(100_000);
    let hostile = third.replacen("\"accepted\": null", &format!("\"accepted\": {deep}"), 1);
    assert_ne!(hostile, third);
    for text in [&third[..third.len() / 2], "", "{}", "[]", &deep, &hostile] {
        folder.write("other.json", text);
        let message = "other.json: not a JSON report of skincheck check";
        refused("shard-1.json shard-2.json other.json", message);
    }
    folder.write("skincheck.toml", "deny-warnings = true\n");
    shard(&folder, 3, 3);
    refused(
        "shard-1.json shard-2.json shard-3.json",
        "which differ in the configuration",
    );
}

#[test]
fn a_shard_with_a_code_that_no_rule_has_is_refused() {
    let folder = models();
    let reports = [1, 2, 3].map(|number| {
        shard(&folder, number, 3);
        let text = folder.read(&format!("shard-{number}.json"));
        serde_json::from_str::<Value>(&text).expect("it is JSON")
    });
    let refused = |report: &Value, message: &str| {
        folder.write("other.json", report.to_string());
        folder.run("merge other.json").refuses(message);
    };
    let mut checked = reports[2].clone();
    checked["shard"]["settings"][0]["rules"][0] = json!("Z999");
    refused(
        &checked,
        "other.json: unknown rule Z999 in models[0], expected a rule",
    );
    let found = reports.into_iter().find_map(|mut report| {
        let mut models = report["models"].as_array_mut()?.iter_mut();
        let finding = models.find_map(|model| model["findings"].get_mut(0))?;
        finding["code"] = json!("Z999");
        Some(report)
    });
    let found = found.expect("a model is wrong");
    refused(&found, "other.json: unknown rule Z999 in models[");
}

#[test]
fn the_findings_of_every_rule_survive_the_report() {
    let fixtures = program::fixture("rules");
    let folder = Folder::new();
    let report = folder.path("shard.json");
    let report = report.to_str().expect("it is Unicode");
    for (settings, formats) in [
        ("--verbose", &["json", "text"][..]),
        ("", &["json", "sarif", "text"]),
    ] {
        let line = format!(". {settings} --shard 1/1 --exit-zero --report json={report}");
        run_in(&fixtures, &line).exits(0);
        for format in formats {
            let whole = run_in(&fixtures, &format!(". {settings} --format {format}"));
            let line = format!("merge {report} {settings} --format {format}");
            let merged = program::skincheck_in(&fixtures, &line);
            assert!(
                without_fixes(whole.text(), format) == merged.text(),
                "{settings} {format}: {}",
                merged.stderr
            );
            assert!(merged.text().contains("W101"));
        }
    }
}

#[test]
fn a_model_added_between_shards_is_named_as_the_cause() {
    let folder = models();
    shard(&folder, 1, 2);
    folder.copy(RIGHT, "m/new.gltf");
    shard(&folder, 2, 2);
    merge(&folder, 2, "").refuses("differ in the number of models, so one was added or removed");
    let folder = models();
    shard(&folder, 1, 2);
    folder.copy(RIGHT, "m/wrong.gltf");
    shard(&folder, 2, 2);
    merge(&folder, 2, "").refuses("differ in the models or their sizes");
}

#[test]
fn an_engine_says_which_shard_it_is() {
    let folder = models();
    let run = |line: &str, variables: &[(&str, &str)]| {
        let mut command = command_in(folder.root());
        command.args(arguments(&format!("check m --select W103 {line}")));
        Run::of(command.envs(variables.iter().copied()))
    };
    let expected = folder.check("m --shard 2/3");
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
        "check many --jobs 1 --write-baseline accepted.json --shard 1/1 --report json=shard-1.json",
    );
    run.exits(130)
        .prints(" files checked: ")
        .prints("interrupted, ");
    assert!(!folder.path("accepted.json").exists());
    merge(&folder, 1, "").refuses("shard-1.json: the run was interrupted, and ");
}
