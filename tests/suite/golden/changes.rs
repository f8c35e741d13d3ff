//! Only what has changed: `--since` and `--files-from`.

use std::fs;

use super::{Project, bend, plain};

/// Two approved models, one with a texture, in a repository whose branch `main` has everything.
fn repository() -> Project {
    let project = Project::new();
    project.put_textured(false);
    project.put("leg.gltf", |_| ());
    project.run("accept").ok();
    project.0.git("init --quiet --initial-branch main");
    project.0.commit();
    project
}

/// The tested models; the others are counted.
#[track_caller]
fn tested(project: &Project, line: &str) -> Vec<String> {
    let json = project.run(&format!("test --format json {line}")).json();
    let models = json["models"].as_array().expect("it is a list").iter();
    let names = models.map(|model| model["name"].as_str().expect("it is text").to_owned());
    let names: Vec<String> = names.collect();
    assert_eq!(json["unaffected"], 2 - names.len());
    names
}

const ARM: &str = "models/arm.gltf";
const LEG: &str = "models/leg.gltf";

#[test]
fn models_are_tested_whose_files_configuration_or_approval_differ_from_a_commit() {
    let project = repository();
    let run = project.run("test --since main").ok();
    let nothing = "nothing to test: the changes affect none of 2 models\n";
    assert_eq!(run.text(), nothing);
    let changed = |what: &str, expected: &[&str], change: &dyn Fn()| {
        change();
        assert_eq!(tested(&project, "--since main"), expected, "{what}");
        project.0.git("reset --quiet --hard main");
        project.0.git("clean --quiet -fd");
    };
    let append = |name: &str| project.write(name, [&project.read(name)[..], b"\n"].concat());
    let remove = |name: &str| fs::remove_file(project.path(name)).expect("it is there");
    let numbers = "models/leg.gltf.approved/poses.skref";
    changed("a file that no model reads", &[], &|| {
        project.write("notes.txt", "one");
    });
    changed("a texture", &[ARM], &|| {
        project.write("models/skin.png", plain([0, 0, 9]));
    });
    changed("a deleted texture", &[ARM], &|| remove("models/skin.png"));
    changed("a model", &[LEG], &|| append(LEG));
    changed("a configuration", &[ARM, LEG], &|| append("skincheck.toml"));
    changed("a deleted approval", &[LEG], &|| remove(numbers));
    changed("a changed approval", &[LEG], &|| append(numbers));
    changed("a nearer configuration", &[ARM, LEG], &|| {
        project.write("models/skincheck.toml", "");
    });
}

#[test]
fn a_change_that_is_tested_fails_and_the_rest_is_counted() {
    let project = repository();
    project.put("leg.gltf", |asset| bend(&mut asset.clips[0]));
    let run = project.run("test --since main");
    run.exits(1);
    let summary = "1 model: 1 changed; 1 not affected by the changes\n";
    assert!(run.text().contains(summary), "{}", run.text());
    project.write("list", "models/skin.png\n");
    assert_eq!(tested(&project, "--files-from list"), [ARM]);
    project.run("test --files-from list").ok();
}

#[test]
fn an_unknown_commit_is_an_error() {
    let project = repository();
    let run = project.run("test --since nowhere");
    run.exits(2);
    assert!(run.stderr.contains("nowhere"), "{}", run.stderr);
}
