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
            "clip \"Bend\": NOT APPROVED",
            "not approved yet",
            "skincheck accept models/arm.gltf",
            "1 model: 1 not approved",
        ] {
            assert!(run.text().contains(words), "{words}:\n{}", run.text());
        }
    }
    assert!(project.stored().is_empty(), "nothing is approved by itself");
}

#[test]
fn an_update_approves_new_clips_and_no_changed_ones() {
    let project = Project::approved();
    let before = project.stored();
    project.put("leg.gltf", |_| ());
    project.put("arm.gltf", |asset| bend(&mut asset.clips[0]));
    project
        .run_with("test --update new", Some("1"))
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
fn a_clip_can_be_approved_without_the_others() {
    let project = Project::approved();
    project.put("arm.gltf", |asset| {
        for clip in asset.clips.iter_mut().filter(|clip| clip.name != "Nod") {
            bend(clip);
        }
    });
    project.run("accept models/arm.gltf --clip Be*").ok();
    let run = project.run("test");
    run.exits(1).prints("clip \"Twist\": CHANGED");
    assert!(!run.text().contains("clip \"Bend\""), "{}", run.text());
    project.run("accept").ok();
    project.run("test").ok();
}

#[test]
fn a_changed_clip_cannot_keep_its_approval_if_shared_data_has_changed() {
    let project = Project::approved();
    project.put("arm.gltf", |asset| {
        asset.meshes[0]
            .positions
            .iter_mut()
            .for_each(|position| position.x *= 1.5);
    });
    let before = project.stored();
    let run = project.run("accept --clip Bend");
    let words = "has also changed and cannot keep its approval";
    run.refuses(words);
    assert_eq!(project.stored(), before);
    project.run("accept").ok();
    project.run("test").ok();
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
    let run = project.run_with("test", Some("1")).ok();
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
    let words = "no tested model matches \"hero.gltf\"; tested are models/arm.gltf";
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
