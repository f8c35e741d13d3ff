//! The files that are checked.

use super::{Folder, RIGHT, WRONG, summary};
use crate::program::Run;

/// The paths in the JSON report.
fn paths(run: &Run) -> Vec<String> {
    let document = run.json();
    let files = document["models"].as_array().expect("files are a list");
    let paths = files.iter().filter_map(|file| file["path"].as_str());
    paths.map(|path| path.replace('\\', "/")).collect()
}

fn tree() -> Folder {
    let folder = Folder::with(&[
        (RIGHT, "models/b.gltf"),
        (RIGHT, "models/a/deep.gltf"),
        (RIGHT, "models/a/figure.gltf"),
        (RIGHT, "models/.hidden/c.gltf"),
    ]);
    folder.write("models/a/notes.txt", "no model");
    folder.write("models/a/figure.md5anim", "read along with its model");
    folder
}

#[test]
fn a_folder_is_walked_in_order_for_models_alone() {
    let run = tree().check("models --format json").ok();
    let expected = [
        "models/a/deep.gltf",
        "models/a/figure.gltf",
        "models/b.gltf",
    ];
    assert_eq!(paths(&run), expected);
    let run = tree().check(". --format json").ok();
    assert_eq!(paths(&run), expected);
}

#[test]
fn patterns_need_no_shell() {
    for (pattern, expected) in [
        ("models/**/*.gltf", 3),
        ("models/*.gltf", 1),
        ("models/*/{deep,figure}.gltf", 2),
        ("**/d*", 1),
        ("./models/b*", 1),
    ] {
        let run = tree().check(&format!("{pattern} --format json")).ok();
        assert_eq!(paths(&run).len(), expected, "{pattern}");
    }
}

#[test]
fn a_file_that_is_named_twice_is_checked_once() {
    let run = tree().check("models/b.gltf models ./models/b.gltf").ok();
    assert_eq!(summary(&run), "3 files checked: nothing found");
}

#[test]
fn a_file_is_the_same_however_its_way_is_written() {
    let folder = tree();
    let absolute = folder.path("models/b.gltf").display().to_string();
    let run = folder.check(&format!(
        "./models/b.gltf {absolute} models/a/../b.gltf --format json"
    ));
    assert_eq!(paths(&run.ok()), ["models/b.gltf"]);
}

#[test]
fn a_name_that_looks_like_a_pattern_is_a_name_where_there_is_such_a_file() {
    let folder = Folder::with(&[(WRONG, "a[1].gltf"), (RIGHT, "a1.gltf")]);
    folder.check("a[1].gltf").exits(1);
}

#[test]
fn a_pattern_or_folder_without_models_is_reported_and_the_rest_is_checked() {
    let folder = tree();
    folder.write("empty/notes.txt", "no model");
    for (line, message) in [
        ("*.fbx", "no models match this pattern"),
        ("nowhere/*.glb", "no models match this pattern"),
        ("empty", "no models found in this folder"),
    ] {
        let run = folder.check(&format!("{line} models"));
        run.exits(2);
        let reported = format!("error: {line}: {message}\n");
        assert!(run.stderr.ends_with(&reported), "{}", run.stderr);
        assert_eq!(summary(&run), "3 files checked: 1 path without models");
        let alone = folder.check(line);
        alone.exits(2);
        assert_eq!(
            (alone.text(), alone.stderr.as_str()),
            ("", reported.as_str())
        );
    }
    let run = folder.check("models models/[");
    let message = "models/[: invalid pattern: ";
    run.refuses(message);
}

#[test]
fn excluded_files_are_not_found_and_are_checked_where_they_are_named() {
    let folder = tree();
    let found = |line: &str| paths(&folder.check(&format!("{line} --format json")).ok());
    let (deep, figure, b) = (
        "models/a/deep.gltf",
        "models/a/figure.gltf",
        "models/b.gltf",
    );
    assert_eq!(found("models --exclude a/"), [b]);
    assert_eq!(found("models/**/*.gltf --exclude a"), [b]);
    assert_eq!(found("models --exclude /b.gltf"), [deep, figure, b]);
    assert_eq!(
        found("models --exclude *.gltf --exclude !deep.gltf"),
        [deep]
    );
    assert_eq!(found("models/b.gltf --exclude b.gltf"), [b]);
    folder.write("skincheck.toml", "exclude = [\"models/a\"]\n");
    assert_eq!(found("models"), [b]);
    assert_eq!(found("models --exclude !figure.gltf"), [figure, b]);
    assert_eq!(
        found("models/b.gltf models/a/deep.gltf --force-exclude"),
        [b]
    );
    let none = folder.check("models/a");
    none.exits(2);
    let reported = "error: models/a: all 2 models that match it are excluded\n";
    assert!(none.stderr.ends_with(reported), "{}", none.stderr);
    folder.write("skincheck.toml", "exclude = [\"a{b\"]\n");
    let wrong = folder.check("models");
    let reported = "skincheck.toml:1:12: the pattern \"a{b\" is wrong";
    wrong.refuses(reported);
}

#[test]
fn ignored_files_are_found_only_with_no_ignore() {
    let folder = tree();
    std::fs::create_dir(folder.path(".git")).expect("the folder can be made");
    folder.write(".gitignore", "a/\n");
    let found = |line: &str| paths(&folder.check(&format!("{line} --format json")).ok()).len();
    assert_eq!(found("models"), 1);
    assert_eq!(found("models/**/*.gltf"), 1);
    assert_eq!(found("models --no-ignore"), 3);
    assert_eq!(found("models/a/deep.gltf"), 1);
}

#[test]
fn a_file_that_is_not_a_model_is_one_that_cannot_be_read_if_it_is_named() {
    tree()
        .check("models/a/notes.txt")
        .exits(2)
        .prints("error[unreadable]");
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_cycles_are_harmless() {
    let folder = tree();
    let link = |to: &str, at: &str| {
        std::os::unix::fs::symlink(folder.path(to), folder.path(at)).expect("links can be made");
    };
    link("models", "models/a/circle");
    link("nowhere.txt", "models/a/dangling");
    let run = folder.check("models").ok();
    assert_eq!(summary(&run), "3 files checked: nothing found");
}

#[cfg(unix)]
#[test]
fn a_file_is_checked_under_its_own_name_whatever_links_lead_to_it() {
    let folder = tree();
    let link = |to: &str, at: &str| {
        std::os::unix::fs::symlink(folder.path(to), folder.path(at)).expect("links can be made");
    };
    folder.write("stored", folder.read("models/b.gltf"));
    link("models/b.gltf", "models/a/b.gltf");
    link("stored", "models/one.gltf");
    link("stored", "models/other.gltf");
    link("models/a", "models/0");
    link("models", "way");
    let below = [
        "a/deep.gltf",
        "a/figure.gltf",
        "b.gltf",
        "one.gltf",
        "other.gltf",
    ];
    for start in ["models", "way"] {
        let expected = below.map(|path| format!("{start}/{path}"));
        for line in [start, &format!("{start}/**/*.gltf")] {
            let run = folder.check(&format!("{line} --format json")).ok();
            assert_eq!(paths(&run), expected, "{line}");
        }
    }
    for (line, expected) in [
        ("models/a/b.gltf", "models/a/b.gltf"),
        ("models/a/b.gltf models/b.gltf", "models/b.gltf"),
        ("way/a/b.gltf models/b.gltf", "models/b.gltf"),
        ("way/b.gltf models/b.gltf", "way/b.gltf"),
    ] {
        let run = folder.check(&format!("{line} --format json")).ok();
        assert_eq!(paths(&run), [expected], "{line}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_to_nowhere_is_reported_with_where_it_points() {
    let folder = tree();
    let link = folder.path("models/dangling.gltf");
    std::os::unix::fs::symlink("moved.gltf", link).expect("links can be made");
    for line in ["models/dangling.gltf", "models"] {
        let run = folder.check(line);
        let reported = "this is a link to moved.gltf, which does not exist";
        run.exits(2).prints(reported);
    }
}

/// Some users may read everything, so the test has no effect for them.
#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_read_does_not_stop_the_others() {
    use std::fs::{Permissions, read_dir, set_permissions};
    use std::os::unix::fs::PermissionsExt;
    let folder = tree();
    let locked = folder.path("models/a");
    let allow = |mode| set_permissions(&locked, Permissions::from_mode(mode));
    allow(0o000).expect("it is the user's own");
    if read_dir(&locked).is_err() {
        for line in [".", "models", "models/*/*.gltf models/b.gltf", "**/*.gltf"] {
            let run = folder.check(line);
            run.exits(2);
            let text = run.text();
            let reported = "models/a\n  error: this cannot be searched: ";
            assert!(text.starts_with(reported), "{line}: {text}");
            assert!(!text.contains("operation"), "{text}");
            assert_eq!(summary(&run), "1 file checked: 1 path without models");
        }
        folder.check("models/*.gltf").ok();
        folder.check("models/a").exits(2);
    }
    allow(0o700).expect("it is the user's own");
}

#[test]
fn without_files_it_checks_the_folder_of_the_configuration() {
    let folder = tree();
    let message = "no model is named, and this folder has no skincheck.toml";
    folder.check("").refuses(message);
    folder.write("skincheck.toml", "");
    let run = folder.check("--format json");
    assert_eq!(paths(&run.ok()).len(), 3);
}
