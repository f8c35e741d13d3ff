//! `skincheck check`.

mod baseline;
mod cache;
mod changes;
mod configuration;
mod engine;
mod files;
mod formats;
mod images;
mod preset;
mod shards;

use std::path::Path;

use crate::folder::Folder;
use crate::program::{self, Run};

/// A sound fixture, and one with weights that do not sum to 1.
const RIGHT: &str = "rules/clean.gltf";
const WRONG: &str = "rules/W103.gltf";

/// A baseline without findings.
const EMPTY_BASELINE: &str =
    r#"{"schema": "skincheck/report/1", "command": "check", "models": []}"#;

impl Folder {
    /// Runs `skincheck check LINE` in the folder with one rule only, so that other rules have no effect.
    fn check(&self, line: &str) -> Run {
        self.check_all(&format!("{line} --select W103"))
    }

    fn check_all(&self, line: &str) -> Run {
        run_in(self.root(), line)
    }
}

fn run_in(folder: &Path, line: &str) -> Run {
    let mut run = program::skincheck_in(folder, &format!("check {line}"));
    run.stderr = without_time(&run.stderr);
    run
}

/// The report without the line that states the duration.
fn without_time(stderr: &str) -> String {
    let lines = stderr.split_inclusive('\n');
    lines
        .filter(|line| !line.starts_with("checked in "))
        .collect()
}

/// The summary line of the report.
fn summary(run: &Run) -> &str {
    run.text().lines().next_back().unwrap_or_default()
}

#[test]
fn the_exit_code_reports_the_result() {
    let folder = Folder::with(&[(RIGHT, "right.gltf"), (WRONG, "wrong.gltf")]);
    folder.write("broken.glb", "");
    folder.check("right.gltf").exits(0);
    folder.check("right.gltf wrong.gltf").exits(1);
    folder.check("right.gltf broken.glb").exits(2);
    folder.check("wrong.gltf broken.glb").exits(2);
    let run = folder.check("wrong.gltf --exit-zero");
    run.exits(0).prints("W103");
    folder.check("wrong.gltf broken.glb --exit-zero").exits(2);
    folder.check("nowhere.gltf").exits(2);
    folder.check_all("right.gltf --select Q").exits(2);
}

#[test]
fn a_condition_of_zero_is_written_as_zero() {
    program::skincheck("check rules/B201.gltf --select B201")
        .prints("reciprocal condition 0, limit");
}

#[test]
fn warnings_fail_only_where_they_are_denied() {
    let folder = Folder::with(&[(WRONG, "wrong.gltf")]);
    folder.write("skincheck.toml", "rules.W103 = \"warning\"\n");
    folder.check("wrong.gltf").exits(0);
    folder.check("wrong.gltf --deny-warnings").exits(1);
    folder.write(
        "skincheck.toml",
        "rules.W103 = \"warning\"\ndeny-warnings = true\n",
    );
    folder.check("wrong.gltf").exits(1);
}

#[test]
fn a_hint_fails_no_check_and_is_below_all_else() {
    let folder = Folder::with(&[("rules/D602.gltf", "arm.gltf")]);
    folder
        .check_all("arm.gltf --deny-warnings")
        .exits(0)
        .prints("arm.gltf\n  Worth a look:\n    hint[D602] edge to vertex 1 stretched ")
        .prints("1 file checked: 1 hint");
    let hidden = folder.check_all("arm.gltf --level warning");
    assert!(!hidden.exits(0).text().contains("D602"));
    let baseline = "arm.gltf --write-baseline accepted.json";
    folder.check_all(baseline).says("findings accepted: 0");
    folder.write("skincheck.toml", "rules.D602 = \"warning\"\n");
    folder.check_all("arm.gltf --deny-warnings").exits(1);
    folder.write("skincheck.toml", "rules.W103 = \"hint\"\n");
    folder.copy(WRONG, "wrong.gltf");
    folder
        .check_all("wrong.gltf --select W103 --deny-warnings")
        .exits(0);
}

#[test]
fn rules_that_could_not_be_checked_fail_only_where_they_are_denied() {
    let folder = Folder::with(&[("arm.fbx", "arm.fbx"), (RIGHT, "right.gltf")]);
    folder
        .check("arm.fbx")
        .exits(0)
        .prints("W103 weights-not-normalized: not checkable: the file leaves the sum of the weights to its readers (1 file)");
    folder.check("right.gltf --deny-unchecked").exits(0);
    folder
        .check("arm.fbx --deny-unchecked")
        .exits(1)
        .prints("not checkable (denied)");
    folder
        .check("arm.fbx --deny-unchecked --format junit")
        .prints("<failure type=\"unchecked\"");
    folder.write("skincheck.toml", "deny-unchecked = true\n");
    folder.check("arm.fbx").exits(1);
}

#[test]
fn warnings_that_are_denied_cannot_be_hidden() {
    let folder = Folder::with(&[(WRONG, "wrong.gltf")]);
    let refused = |config: &str, line: &str| {
        folder.write(
            "skincheck.toml",
            format!("{config}rules.W103 = \"warning\"\n"),
        );
        let run = folder.check(&format!("wrong.gltf {line}"));
        assert_eq!(run.code, Some(2), "{config} {line}: {}", run.text());
        let message = "error: wrong.gltf: the level error (--level, or level in skincheck.toml) hides warnings";
        run.says(message);
    };
    let (deny, level) = ("deny-warnings = true\n", "level = \"error\"\n");
    refused("", "--deny-warnings --level error");
    refused(level, "--deny-warnings");
    refused(deny, "--level error");
    refused(&format!("{deny}{level}"), "--jobs 1");
    folder.write(
        "skincheck.toml",
        format!("{deny}rules.W103 = \"warning\"\n"),
    );
    folder.check("wrong.gltf --level info").exits(1);
}

#[test]
fn a_check_with_a_file_that_cannot_be_read_does_not_pass() {
    let folder = Folder::with(&[(RIGHT, "right.gltf")]);
    folder.write("broken.glb", "");
    for (files, passes) in [("right.gltf", true), ("right.gltf broken.glb", false)] {
        let run = folder.check(&format!("{files} --format json"));
        let json = run.json();
        assert_eq!(json["passes"], passes, "{files}");
    }
}

#[test]
fn infos_are_shown_only_where_they_are_asked_for() {
    let folder = Folder::with(&[(WRONG, "wrong.gltf")]);
    folder.write("skincheck.toml", "rules.W103 = \"info\"\n");
    let quiet = folder.check("wrong.gltf").ok();
    let hint = "(--level info shows more)";
    let hidden = format!("1 file checked: nothing found {hint}");
    assert_eq!(summary(&quiet), hidden);
    for line in ["wrong.gltf --verbose", "wrong.gltf --level info"] {
        let run = folder.check(line).ok();
        assert_eq!(summary(&run), "1 file checked: 1 info");
    }
    let strict = folder.check("wrong.gltf --verbose --level error").ok();
    assert_eq!(summary(&strict), hidden);
    folder.write(
        "skincheck.toml",
        "level = \"error\"\nrules.W103 = \"info\"\n",
    );
    let last = folder.check("wrong.gltf --verbose").ok();
    assert_eq!(summary(&last), "1 file checked: 1 info");
}

#[test]
fn a_selection_that_shows_nothing_is_reported() {
    let folder = Folder::with(&[(RIGHT, "right.gltf")]);
    let summary_of = |line: &str| {
        let run = folder.check_all(&format!("right.gltf {line}")).ok();
        summary(&run).to_owned()
    };
    let nothing = "1 file checked: nothing found";
    let hint = |level| format!("{nothing} (--level {level} shows more)");
    assert_eq!(summary_of("--select H306"), hint("info"));
    assert_eq!(
        summary_of("--select H306,W106 --level error"),
        hint("warning")
    );
    for line in ["--select G803 --verbose", "--select G803,W103"] {
        assert_eq!(summary_of(line), nothing, "{line}");
    }
}

#[test]
fn notes_and_the_configuration_are_reported_for_each_file() {
    let folder = Folder::with(&[("fbx/veiled.fbx", "a.fbx")]);
    folder.write("skincheck.toml", "level = \"error\"\n");
    let json = folder.check_all("a.fbx --format json");
    let json = json.json();
    assert_eq!(json["models"][0]["config"], "skincheck.toml");
    let notes = json["models"][0]["notes"]
        .as_array()
        .expect("they are a list");
    let run = folder.check_all("a.fbx --verbose");
    let configured = "configured by skincheck.toml (1 file)";
    run.prints(configured);
    for note in notes {
        let text = |key: &str| note[key].as_str().expect("it is text").to_owned();
        let note = format!("  note: {}: {}\n", text("place"), text("message"));
        run.prints(&note);
    }
    assert!(!notes.is_empty());
}

#[test]
fn a_file_that_cannot_be_read_does_not_stop_the_others() {
    let folder = Folder::with(&[(WRONG, "wrong.gltf"), (RIGHT, "z.gltf")]);
    folder.write("a.glb", "");
    let run = folder.check("a.glb wrong.gltf z.gltf");
    run.exits(2)
        .prints("a.glb\n  error[unreadable]: ")
        .prints("wrong.gltf\n  error[W103]");
    assert_eq!(summary(&run), "2 files checked: 1 error, 1 unreadable file");
}

#[test]
fn rules_are_chosen_by_code_name_and_family() {
    let folder = Folder::with(&[(WRONG, "wrong.gltf")]);
    for (line, code) in [
        ("--select W103", 1),
        ("--select weights-not-normalized", 1),
        ("--select W", 1),
        ("--select all", 1),
        ("--select W --ignore w103", 0),
        ("--select W --ignore W", 0),
        ("--ignore all", 0),
        ("--select C", 0),
    ] {
        folder.check_all(&format!("wrong.gltf {line}")).exits(code);
    }
}

#[test]
fn a_check_without_any_rule_reads_the_files_and_says_so() {
    let folder = Folder::with(&[(RIGHT, "right.gltf"), (RIGHT, "props/right.gltf")]);
    folder.write("broken.glb", "");
    let run = folder.check("right.gltf --ignore W103").ok();
    let reported = run.stderr.contains("warning: no rules left to check");
    assert!(reported, "{}", run.stderr);
    folder.check("broken.glb --ignore all").exits(2);
    std::fs::remove_file(folder.path("broken.glb")).expect("it is there");
    let unchecked = "[[overrides]]\nfiles = [\"props/**\"]\nignore = [\"W\"]\n";
    folder.write("skincheck.toml", unchecked);
    folder.check_all(".").exits(0);
}

#[test]
fn a_requested_rule_without_configuration_is_not_checkable() {
    let folder = Folder::with(&[(RIGHT, "right.gltf")]);
    for (code, missing) in [
        ("C522", "loop-seam: not checked: no loops in [clips]"),
        ("C526", "root-drift: not checked: no in-place in [clips]"),
        ("C527", "foot-slide: not checked: no feet in [joints]"),
        (
            "H311",
            "required-joint-missing: not checked: no required in [joints]",
        ),
        (
            "H308",
            "joint-limit: not checked: no max_joints and no engine that limits joints",
        ),
        ("B210", "implausible-size: not checked: no height in [size]"),
    ] {
        let run = folder
            .check_all(&format!("right.gltf --select {code}"))
            .ok();
        let reported = format!("{code} {missing} (1 file)");
        run.prints(&reported);
    }
    let run = folder.check_all("right.gltf").ok();
    assert!(!run.text().contains("not checked"), "{}", run.text());
}

#[test]
fn the_number_of_jobs_does_not_change_a_byte() {
    let fixtures = program::fixture("");
    let report = |jobs: &str| {
        let models = "walker.glb arm.* broken rules/D*.gltf rules/H318*.gltf rules/W10*.gltf";
        let line = format!("{models} --format json --verbose --jobs {jobs}");
        run_in(&fixtures, &line).stdout
    };
    let alone = report("1");
    assert!(!alone.is_empty());
    assert!(alone == report("4"), "one job says otherwise than four");
}

#[test]
fn a_number_of_jobs_beyond_all_threads_is_no_failure() {
    Folder::with(&[(RIGHT, "right.gltf")])
        .check("right.gltf --jobs 1000000")
        .ok();
}
