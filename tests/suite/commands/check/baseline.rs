//! `--baseline`, `--write-baseline`, `--prune`.

use std::fs;

use super::{Folder, RIGHT, WRONG, run_in, summary};

fn two_wrong() -> Folder {
    Folder::with(&[(WRONG, "models/a.gltf"), (WRONG, "models/b.gltf")])
}

#[test]
fn accepted_findings_are_not_reported_again() {
    let folder = two_wrong();
    let written = folder.check("models --write-baseline accepted.json").ok();
    assert_eq!(
        summary(&written),
        "2 files checked: nothing found, 2 accepted now"
    );
    let again = folder.check("models --baseline accepted.json").ok();
    assert_eq!(
        summary(&again),
        "2 files checked: nothing found, 2 accepted before"
    );
    let both = folder.check("models --write-baseline accepted.json --prune");
    assert_eq!(both.code, Some(2), "there is nothing to prune then");
    for settings in ["--no-config", "--engine unity"] {
        let other = format!("models --baseline accepted.json --prune {settings}");
        let run = folder.check(&other);
        assert_eq!(
            run.code,
            Some(2),
            "other rules find other things: {settings}"
        );
    }
    folder.copy(WRONG, "models/c.gltf");
    let run = folder.check("models --baseline accepted.json");
    run.exits(1);
    assert_eq!(summary(&run), "3 files checked: 1 error, 2 accepted before");
    assert!(!run.text().contains("a.gltf"), "{}", run.text());
}

#[test]
fn a_baseline_means_the_same_from_every_folder() {
    let folder = two_wrong();
    folder.check("models --write-baseline accepted.json").ok();
    let inside = folder.path("models");
    run_in(&inside, ". --select W103 --baseline ../accepted.json").ok();
    let absolute = inside.display().to_string();
    folder
        .check(&format!("{absolute} --baseline accepted.json"))
        .ok();
    #[cfg(unix)]
    {
        let elsewhere = Folder::with(&[]);
        let way = elsewhere.path("way");
        std::os::unix::fs::symlink(folder.path(""), way).expect("links can be made");
        let baseline = folder.path("accepted.json").display().to_string();
        let run = elsewhere.check(&format!("way/models --baseline {baseline}"));
        assert_eq!(
            summary(&run.ok()),
            "2 files checked: nothing found, 2 accepted before"
        );
    }
}

#[test]
fn an_unreadable_file_is_never_accepted() {
    let folder = two_wrong();
    folder.write("models/b.gltf", "");
    for line in [
        "models --write-baseline accepted.json",
        "models --baseline accepted.json",
    ] {
        let run = folder.check(line);
        run.exits(2).prints("error[unreadable]");
    }
    assert!(!folder.read("accepted.json").contains("b.gltf"));
    folder.check("models --report json=last.json --write-baseline accepted.json");
    folder.check("models --baseline last.json").exits(2);
    folder.write("skincheck.toml", "exclude = [\"models/b.gltf\"]\n");
    folder.check("models --baseline accepted.json").ok();
    let missing = folder.check("nowhere.gltf --write-baseline accepted.json");
    assert_eq!(missing.code, Some(2), "a mistyped name is not accepted");
}

#[test]
fn findings_that_are_gone_are_reported_and_removed_on_request() {
    let folder = two_wrong();
    folder.check("models --write-baseline accepted.json").ok();
    let before = folder.read("accepted.json");
    folder.copy(RIGHT, "models/a.gltf");
    let run = folder.check("models --baseline accepted.json").ok();
    let text = run.text();
    assert!(
        text.contains("resolved models/a.gltf: W103: mesh "),
        "{text}"
    );
    assert_eq!(folder.read("accepted.json"), before);
    assert!(text.contains("--prune removes them"), "{text}");
    let run = folder.check("models --baseline accepted.json --prune").ok();
    let text = run.text();
    assert!(text.contains("they were removed"), "{text}");
    assert!(!text.contains("--prune"), "{text}");
    let after = folder.read("accepted.json");
    assert!(
        !after.contains("a.gltf") && after.contains("b.gltf"),
        "{after}"
    );
    fs::remove_file(folder.path("models/b.gltf")).expect("it is there");
    folder
        .check("models --baseline accepted.json")
        .ok()
        .prints("resolved models/b.gltf");
}

#[test]
fn findings_outside_a_run_stay_accepted() {
    let folder = two_wrong();
    folder.check("models --write-baseline accepted.json").ok();
    let before = folder.read("accepted.json");
    folder
        .check("models/a.gltf --baseline accepted.json --prune")
        .ok();
    folder
        .check_all("models --select C --baseline accepted.json --prune")
        .ok();
    folder.write("models/b.gltf", "");
    folder
        .check("models --baseline accepted.json --prune")
        .exits(2);
    assert_eq!(folder.read("accepted.json"), before);
}

#[test]
fn a_baseline_of_a_subfolder_keeps_what_is_accepted_elsewhere() {
    let folder = Folder::with(&[(WRONG, "models/a.gltf"), (WRONG, "models/sub/b.gltf")]);
    folder.check("models --write-baseline accepted.json").ok();
    let before = folder.read("accepted.json");
    folder
        .check("models/sub --write-baseline accepted.json")
        .ok();
    assert_eq!(folder.read("accepted.json"), before);
    fs::remove_file(folder.path("models/a.gltf")).expect("it is there");
    folder
        .check("models/sub --write-baseline accepted.json")
        .ok();
    assert!(!folder.read("accepted.json").contains("a.gltf"));
    folder.write("accepted.json", "[]");
    folder
        .check("models --write-baseline accepted.json")
        .exits(2);
    assert_eq!(folder.read("accepted.json"), "[]");
}

#[test]
fn a_file_that_is_no_baseline_is_refused_before_anything_is_checked() {
    let folder = two_wrong();
    folder.write("accepted.json", "{}");
    let run = folder.check("models --baseline accepted.json");
    run.exits(2);
    assert!(run.stdout.is_empty());
    run.says("accepted.json");
    folder.check("models --baseline nowhere.json").exits(2);
    let run = folder.check("models --write-baseline nowhere/accepted.json");
    run.exits(2);
    assert!(run.stdout.is_empty());
}

#[test]
fn findings_that_are_gone_are_reported_beside_formats_that_cannot_hold_them() {
    let folder = two_wrong();
    folder.check("models --write-baseline accepted.json").ok();
    folder.copy(RIGHT, "models/a.gltf");
    for (format, beside) in [
        ("junit", true),
        ("github", true),
        ("gitlab", true),
        ("markdown", false),
        ("json", false),
    ] {
        let line = format!("models --baseline accepted.json --format {format}");
        let run = folder.check(&line).ok();
        let reported = run.stderr.contains("resolved models/a.gltf: W103: mesh ");
        assert_eq!(reported, beside, "{format}: {}", run.stderr);
        assert_eq!(run.stderr.contains("--prune removes them"), beside);
    }
}

#[test]
fn a_missing_baseline_is_reported_with_how_to_make_one() {
    let run = two_wrong().check("models --baseline none.json");
    run.exits(2);
    let reported = "none.json: no such baseline; --write-baseline none.json accepts";
    run.says(reported);
}

#[test]
fn the_json_report_of_an_earlier_run_is_a_baseline() {
    let folder = two_wrong();
    folder.check("models --report json=last.json").exits(1);
    folder.copy(WRONG, "models/c.gltf");
    let run = folder.check("models --baseline last.json");
    run.exits(1);
    assert_eq!(summary(&run), "3 files checked: 1 error, 2 accepted before");
    folder.check("models --write-baseline last.json").ok();
    let written = folder.read("last.json");
    folder.check("models --write-baseline new.json").ok();
    assert_eq!(written, folder.read("new.json"));
}
