//! Approved models, unapproved ones, and approvals that are no longer tested.

use std::fs;

use super::{CONFIG, FOLDER, Project, bend, listed};
use crate::program::{Run, command_in};

#[test]
fn missing_approvals_are_listed_and_fail_only_in_ci() {
    let project = Project::new();
    for (ci, code) in [
        (None, 0),
        (Some("true"), 1),
        (Some("false"), 0),
        (Some(""), 0),
    ] {
        let run = project.run_with("test", ci);
        assert_eq!(run.code, Some(code), "{ci:?}: {}", run.stderr);
        for words in [
            "models/arm.gltf: NOT APPROVED",
            "clips \"Bend\", \"Twist\" and 1 more, with 12 images: NOT APPROVED",
            "skincheck accept models/arm.gltf",
            "1 model: 1 not approved",
        ] {
            assert!(run.text().contains(words), "{words}:\n{}", run.text());
        }
    }
    assert!(project.stored().is_empty(), "nothing is approved by itself");
}

#[test]
fn new_models_can_be_approved_without_changed_ones() {
    let project = Project::approved();
    let before = project.stored();
    project.put("leg.gltf", |_| ());
    project.put("arm.gltf", |asset| bend(&mut asset.clips[0]));
    project.run("accept --new").ok();
    project
        .run_with("test", Some("1"))
        .exits(1)
        .prints("models/leg.gltf: same")
        .prints("models/arm.gltf: CHANGED");
    assert_eq!(project.stored(), before);
    assert!(
        project
            .path("models/leg.gltf.approved/poses.skref")
            .is_file()
    );
}

#[test]
fn an_approved_clip_keeps_the_images_of_the_others() {
    let project = Project::approved();
    let before = project.stored();
    project.put("arm.gltf", |asset| bend(&mut asset.clips[0]));
    let bent = ["poses.skref", "Bend-"];
    project.run("accept").ok();
    project.run("test").ok();
    let is_bent = |name: &str| bent.iter().any(|start| name.starts_with(start));
    for (before, now) in before.iter().zip(project.stored()) {
        assert_eq!(before.0, now.0);
        assert!(is_bent(&now.0) || before.1 == now.1, "{}", now.0);
    }
}

#[test]
fn images_at_times_that_are_no_longer_selected_are_removed() {
    let approved = |lists: &[&str]| {
        let project = Project::new();
        for times in lists {
            project.write("skincheck.toml", format!("{CONFIG}times = {times}\n"));
            project.run("accept").ok();
        }
        project.run("test").ok();
        project.stored()
    };
    assert_eq!(approved(&["[0, 0.25]", "[0.5]"]), approved(&["[0.5]"]));
}

#[test]
fn approving_twice_changes_nothing() {
    let project = Project::approved();
    let before = project.stored();
    project.run("accept").ok().says("nothing to approve");
    assert_eq!(project.stored(), before);
}

#[test]
fn an_approval_is_small_and_a_reference_for_diff() {
    let project = Project::approved();
    let files = project.stored();
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names.len(), 13, "{names:?}");
    assert!(
        names.contains(&"Bend-0.333s-three-quarter.png"),
        "{names:?}"
    );
    let numbers = project.read(&format!("{FOLDER}/poses.skref")).len();
    assert!(numbers < 1024, "{numbers} bytes for twelve poses");
    project
        .run(&format!("diff {FOLDER}/poses.skref models/arm.gltf"))
        .exits(0);
}

#[test]
fn approvals_lie_in_one_folder_if_the_configuration_says_so() {
    let project = Project::new();
    project.write(
        "skincheck.toml",
        format!("approved = \"snapshots\"\n{CONFIG}"),
    );
    project.run("accept").ok();
    assert!(project.stored().is_empty());
    assert!(
        project
            .path("snapshots/models/arm.gltf.approved/poses.skref")
            .is_file()
    );
    project.run_with("test", Some("1")).ok();
}

#[test]
fn orphans_are_reported_and_pruned_and_nothing_else_is() {
    let project = Project::approved();
    project.put("leg.gltf", |_| ());
    project.run("accept").ok();
    fs::remove_file(project.path("models/leg.gltf")).expect("it is there");
    let kept = format!("{FOLDER}/notes.txt");
    project.write(&kept, "mine");
    project.write("models/leg.gltf.approved/mine.png", super::plain([1, 2, 3]));
    project.write(
        "skincheck.toml",
        format!("{CONFIG}clips = [\"Bend\", \"Twist\"]\ntimes = 4\n"),
    );
    let run = project.run("test").ok();
    for words in [
        "approved but no longer tested",
        "models/leg.gltf.approved\n",
        "arm.gltf.approved/Nod-0.000s-three-quarter.png",
        "poses.skref, clip \"Nod\"",
    ] {
        assert!(run.text().contains(words), "{words}:\n{}", run.text());
    }
    project.run("accept --prune").ok();
    assert!(
        !project
            .path("models/leg.gltf.approved/poses.skref")
            .exists()
    );
    assert!(project.path("models/leg.gltf.approved/mine.png").is_file());
    assert_eq!(project.read(&kept), b"mine");
    let names: Vec<String> = project.stored().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), 10, "{names:?}");
    let run = project.run("test").ok();
    assert!(!run.text().contains("no longer tested"), "{}", run.text());
}

/// Removes the approved leg and changes the approved arm.
fn without_leg() -> Project {
    let project = Project::approved();
    project.put("leg.gltf", |_| ());
    project.run("accept").ok();
    fs::remove_file(project.path("models/leg.gltf")).expect("it is there");
    project
}

#[test]
fn pruning_approves_nothing() {
    let project = without_leg();
    project.put("arm.gltf", |asset| {
        bend(&mut asset.clips[0]);
        asset.clips.pop();
    });
    let before = project.stored();
    let leg = project.path("models/leg.gltf.approved");
    project.run("accept --prune").ok();
    assert!(!leg.exists());
    assert_eq!(project.stored(), before);
    let run = project.run_with("test", Some("1"));
    run.exits(1).prints("models/arm.gltf: CHANGED");
    project.run("accept --prune").ok().says("nothing to prune");
    project.run("accept").ok();
    assert!(project.stored().len() < before.len(), "of two clips");
    project.run_with("test", Some("1")).ok();
}

#[test]
fn approvals_that_are_no_longer_tested_fail_in_ci_unless_allowed() {
    let project = without_leg();
    project.run("test").ok();
    let orphan = "  models/leg.gltf.approved\n";
    for line in ["test", "test --shard 1/2", "test --shard 2/2"] {
        project
            .run_with(line, Some("1"))
            .exits(1)
            .prints(orphan)
            .prints("approved but no longer tested, which fails in CI");
    }
    project
        .run_with("test --allow-orphans", Some("1"))
        .ok()
        .prints(orphan);
    // Whoever asks for one model does not ask about others.
    project.run_with("test arm.gltf", Some("1")).ok();
    project.run_with(
        "test --report junit=out.xml --report html=out.html",
        Some("1"),
    );
    let page = String::from_utf8(project.read("out.html")).expect("it is UTF-8");
    assert!(
        page.contains("approved models are no longer tested") && !page.contains("all as approved")
    );
    let text = String::from_utf8(project.read("out.xml")).expect("it is UTF-8");
    assert!(text.contains("<failure type=\"untested\""), "{text}");
    assert_eq!(crate::reports::junit::complaints(&text), [""; 0]);
    project.run("accept --prune").ok();
    project.run_with("test", Some("1")).ok();
}

#[test]
fn approvals_of_another_configuration_are_not_its_orphans() {
    let project = Project::approved();
    for (name, text) in [("inner", CONFIG), ("plain", "")] {
        project.write(&format!("{name}/skincheck.toml"), text);
        let numbers = project.read(&format!("{FOLDER}/poses.skref"));
        project.write(
            &format!("{name}/models/arm.gltf.approved/poses.skref"),
            numbers,
        );
    }
    let run = project.run_with("test", Some("1"));
    run.exits(1);
    assert!(!run.text().contains("inner/"), "{}", run.text());
    run.prints("plain/models/arm.gltf.approved");
    project.run("accept --prune").ok();
    assert!(project.path("inner/models/arm.gltf.approved").exists());
}

#[test]
fn one_model_is_tested_and_accepted_by_its_path() {
    let project = Project::new();
    project.put("leg.gltf", |_| ());
    let elsewhere = crate::folder::Folder::new();
    let absolute = project.path("models/arm.gltf").display().to_string();
    let in_models = |arguments: &[&str]| {
        let mut command = command_in(&project.path("models"));
        Run::of(command.args(arguments).env_remove("CI"))
    };
    in_models(&["accept", "arm.gltf"]).ok();
    assert!(!project.path("models/leg.gltf.approved").exists());
    for path in [
        "./arm.gltf",
        "../models/arm.gltf",
        "models/arm.gltf",
        &absolute,
    ] {
        let run = in_models(&["test", path]);
        run.ok().prints("1 model: 1 same");
    }
    // The folder of the configuration itself.
    let run = project.run("test .");
    run.ok().prints("2 models: 1 same, 1 not approved");
    // The nearest configuration has no tests.
    project.write("models/skincheck.toml", "deny-warnings = true\n");
    let mut command = command_in(elsewhere.root());
    let run = Run::of(command.args(["test", &absolute]).env_remove("CI"));
    run.ok().prints("1 model: 1 same");
    let run = in_models(&["test", ".", "--config", "../skincheck.toml"]);
    run.ok().prints("2 models: 1 same, 1 not approved");
    project
        .run("test models/foot.gltf")
        .refuses("no tested model matches");
}

#[test]
fn shards_test_each_model_once() {
    let project = Project::approved();
    for name in ["a.gltf", "b.gltf", "c.gltf"] {
        project.put(name, |_| ());
    }
    let mut tested = Vec::new();
    for shard in ["1/2", "2/2"] {
        let run = project.run(&format!("test --shard {shard}"));
        let models = run
            .text()
            .lines()
            .filter_map(|line| line.strip_prefix("models/"));
        let names = models.filter_map(|line| line.split_once(": "));
        tested.extend(names.map(|(name, _)| name.to_owned()));
    }
    tested.sort();
    assert_eq!(tested, ["a.gltf", "arm.gltf", "b.gltf", "c.gltf"]);
}

#[test]
fn missing_models_and_mistakes_are_reported_with_their_position() {
    let project = Project::new();
    for (text, expected) in [
        ("", "this configuration names no models to test"),
        (
            "[[test]]\nmodel = \"hero.glb\"\n",
            "skincheck.toml:1:1: no model matches \"hero.glb\"",
        ),
        (
            "[[test]]\nmodel = \"*.gltf\"\ntime = 3\n",
            "skincheck.toml:3:1: unknown key `time`",
        ),
        (
            "[[test]]\nmodel = \"*.gltf\"\nclips = [\"Run\"]\n",
            "no clip is named \"Run\"; the model has \"Bend\"",
        ),
        (
            "[[overrides]]\nfiles = [\"a\"]\napproved = \"x\"\n",
            "`test` and `approved` are for the whole configuration",
        ),
    ] {
        project.write("skincheck.toml", text);
        let run = project.run("test");
        assert_eq!(run.code, Some(2), "{text}: {}", run.text());
        let said = format!("{}{}", run.text(), run.stderr);
        assert!(said.contains(expected), "{expected}:\n{said}");
    }
    project.write("skincheck.toml", CONFIG);
    let run = project.run("accept hero.gltf");
    run.exits(2);
    let words = "no tested model matches \"hero.gltf\"; the tested models are models/arm.gltf";
    run.says(words);
    fs::remove_file(project.path("skincheck.toml")).expect("it is there");
    project.run("test").refuses("no skincheck.toml");
}

#[test]
fn numbers_and_images_are_the_same_for_any_number_of_threads() {
    let first = Project::approved();
    let second = Project::new();
    let mut command = command_in(second.0.root());
    Run::of(command.arg("accept").env("RAYON_NUM_THREADS", "1")).ok();
    assert_eq!(first.stored(), listed(&second.path(FOLDER)));
}
