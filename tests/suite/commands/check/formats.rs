//! The output formats of the command.

use skincheck::report::Format;

use super::{EMPTY_BASELINE, Folder, RIGHT, WRONG, run_in};
use crate::program::{skincheck, unread};
use crate::reports::{self, lasting};
use crate::support::in_group;

#[test]
fn each_format_reports_clean_faulty_and_unreadable_files() {
    for format in Format::ALL {
        let name = format.name();
        let line = format!(
            "check rules/clean.gltf rules/W103.gltf unnormalized_weights.gltf broken/empty.fbx --select W103 --format {name}"
        );
        let run = skincheck(&line);
        run.exits(2);
        let text = lasting(name, run.text());
        in_group("check", || insta::assert_snapshot!(name, text));
    }
}

/// Once with every rule, on models of all kinds.
#[test]
fn reports_on_all_fixtures_are_valid() {
    let folder = Folder::with(&[]);
    let target = |name: &str| folder.path(name).display().to_string();
    let (sarif, junit) = (target("out.sarif"), target("out.xml"));
    let line = format!("check . --verbose --report sarif={sarif} --report junit={junit}");
    skincheck(&line).exits(2);
    assert_eq!(
        reports::sarif::complaints(&folder.read("out.sarif")),
        [""; 0]
    );
    assert_eq!(reports::junit::complaints(&folder.read("out.xml")), [""; 0]);
}

#[test]
fn several_reports_are_written_at_once() {
    let folder = Folder::with(&[(WRONG, "wrong.gltf")]);
    folder
        .check("wrong.gltf --report junit=out.xml --report json=out.json")
        .exits(1)
        .prints("error[W103]");
    assert!(folder.read("out.xml").starts_with("<?xml"));
    assert!(folder.read("out.json").contains("skincheck/report/1"));
}

#[test]
fn a_report_that_cannot_be_written_is_refused_before_anything_is_checked() {
    let folder = Folder::with(&[(RIGHT, "right.gltf")]);
    for (line, message) in [
        ("--report junit=nowhere/out.xml", "does not exist"),
        ("--report junit=right.gltf", "it is the input"),
        ("--report junit", "such as junit=out.xml"),
        (
            "--report json=-",
            "standard output gets the report of --format",
        ),
        ("--report junt=out.xml", "did you mean \"junit\"?"),
        ("--format jsn", "json"),
    ] {
        let run = folder.check(&format!("right.gltf {line}"));
        run.exits(2);
        assert!(run.stdout.is_empty());
        run.says(message);
    }
}

#[test]
fn an_input_is_no_output() {
    let folder = Folder::with(&[(RIGHT, "models/right.gltf")]);
    folder.write("skincheck.toml", "ignore = []\n");
    folder.write("other.toml", "ignore = []\n");
    folder.write("accepted.json", EMPTY_BASELINE);
    let (input, no_baseline) = ("it is the input", "this is not a skincheck baseline");
    for (line, reason) in [
        ("--report json=skincheck.toml", input),
        ("--report json=other.toml --config other.toml", input),
        ("--report json=models/right.gltf", input),
        (
            "--report json=accepted.json --baseline accepted.json",
            input,
        ),
        ("--write-baseline models/right.gltf", no_baseline),
        ("--write-baseline skincheck.toml", no_baseline),
    ] {
        let run = folder.check(&format!("models {line}"));
        run.exits(2);
        assert!(run.stdout.is_empty());
        run.says(reason);
    }
    assert_eq!(folder.read("skincheck.toml"), "ignore = []\n");
    assert_eq!(folder.read("accepted.json"), EMPTY_BASELINE);
}

#[test]
fn a_reader_that_leaves_does_not_change_the_exit_code() {
    for (file, code) in [(RIGHT, 0), (WRONG, 1), ("broken/empty.fbx", 2)] {
        let line = format!("check {file} --select W103 --format json");
        assert_eq!(unread(&line), Some(code), "{file}");
    }
}

#[test]
fn a_reader_that_is_no_terminal_gets_no_colours() {
    let run = skincheck("check rules/W103.gltf");
    assert!(!run.text().contains('\u{1b}'));
    assert!(run.stderr.is_empty(), "{}", run.stderr);
}

#[test]
fn paths_in_sarif_are_relative_however_the_files_are_named() {
    let folder = Folder::with(&[(WRONG, "a/wrong.gltf"), (WRONG, "b/c/wrong.gltf")]);
    let inside = folder.path("a");
    let absolute = inside.join("wrong.gltf").display().to_string();
    let name = folder.path("");
    let name = name.file_name().expect("it has a name").to_string_lossy();
    for (file, expected) in [
        ("wrong.gltf", "wrong.gltf"),
        ("./wrong.gltf", "wrong.gltf"),
        (&absolute, "wrong.gltf"),
        ("../a", "wrong.gltf"),
        (&format!("../../{name}/a"), "wrong.gltf"),
        ("../b/c", "../b/c/wrong.gltf"),
    ] {
        let run = run_in(&inside, &format!("{file} --select W103 --format sarif"));
        let log = run.json();
        let location = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
        assert_eq!(location["artifactLocation"]["uri"], expected, "{file}");
    }
}
