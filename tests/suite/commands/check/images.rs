//! `--artifacts`, and the images of `--report html`.

use std::collections::BTreeSet;
use std::path::Path;

use skincheck::frame::{Frame, png};
use skincheck::rig::SkinSlot;

use super::super::render::reweight;
use super::{Folder, RIGHT, WRONG};
use crate::program::skincheck_in;
use crate::support::assert_image;

fn read(folder: &Folder, name: &str) -> Frame {
    let bytes = std::fs::read(folder.path(name)).expect("it was written");
    let image = png::decode(&bytes).expect("it is a PNG");
    Frame {
        width: image.width,
        height: image.height,
        rgba: image.rgba,
        depth: Vec::new(),
    }
}

fn names(folder: &Folder, name: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path(name)).expect("it is a folder");
    let names = entries.map(|entry| entry.expect("readable").file_name());
    let mut names: Vec<String> = names
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn a_finding_is_drawn_at_its_place_in_its_clip() {
    let folder = Folder::new();
    folder.put_walker("hand.gltf", |asset| {
        reweight(asset, "RightHand", 60, |own| own.slot = SkinSlot(0));
    });
    let run = folder.check_all("hand.gltf --select D602 --artifacts out --format json");
    run.exits(0);
    let report = run.json();
    let finding = &report["models"][0]["findings"][0];
    let written = finding["image"].as_str().expect("a file");
    assert_eq!(written, "out/hand-01-D602.png");
    let image = read(&folder, written);
    assert!(image.width == 480 && image.height >= 480);
    assert_image("check", "close_up", &image);
    // The model of docs/start.md.
    folder.copy("rules/D602.gltf", "limb.gltf");
    folder
        .check_all("limb.gltf --select D602 --artifacts limb")
        .exits(0);
    assert_image(
        "check",
        "close_up_limb",
        &read(&folder, "limb/limb-01-D602.png"),
    );
    let command = finding["render"].as_str().expect("a command");
    assert!(
        command.starts_with("skincheck render hand.gltf --"),
        "{command}"
    );
    assert!(command.contains(" --mark vertex:"), "{command}");
}

#[test]
fn the_images_of_an_earlier_run_are_removed_and_other_files_stay() {
    let folder = Folder::with(&[(WRONG, "m/wrong.gltf"), (WRONG, "other.gltf")]);
    let draw = || {
        folder.check("m other.gltf --artifacts out").exits(1);
    };
    draw();
    let foreign = ["my-01-W103.png", "notes.txt"];
    for name in foreign {
        folder.write(format!("out/{name}"), "not an image of skincheck");
    }
    let own = read(&folder, "out/other-01-W103.png");
    assert!(own.width > 0);
    folder.copy(RIGHT, "m/wrong.gltf");
    folder.check("m --artifacts out").ok();
    assert_eq!(names(&folder, "out"), foreign);
    draw();
    assert_eq!(names(&folder, "out").len(), 3);
    folder.check("missing.gltf --artifacts out").exits(2);
    assert_eq!(
        names(&folder, "out"),
        foreign,
        "a run that fails leaves none"
    );
}

#[test]
fn the_text_names_the_image_or_with_verbose_the_command() {
    let folder = Folder::with(&[(WRONG, "wrong.gltf")]);
    folder
        .check("wrong.gltf --artifacts out")
        .prints("\n    image: out/wrong-01-W103.png\n");
    let verbose = folder.check("wrong.gltf --verbose");
    let command = "\n    skincheck render wrong.gltf --pose rest --show sum --mark ";
    verbose.prints(command);
    let plain = folder.check("wrong.gltf");
    assert!(!plain.text().contains("skincheck render"));
}

#[test]
fn a_command_for_a_finding_works_as_it_is_printed() {
    for fixture in ["rules/D602.gltf", "rules/W103.gltf", "rules/D610.gltf"] {
        let folder = Folder::with(&[(fixture, "model.gltf")]);
        for drawn in ["", " --artifacts pictures"] {
            let line = format!("model.gltf --format json --range-of-motion always{drawn}");
            let report = folder.check_all(&line).json();
            let findings = report["models"][0]["findings"].as_array().expect("a list");
            let mut from_its_view = 0;
            for finding in findings {
                let Some(command) = finding["render"].as_str() else {
                    continue;
                };
                draws(folder.root(), &format!("{command} --size 32x32"));
                let has_view = command.contains(" --camera orbit:");
                assert_eq!(has_view, finding["image"].is_string(), "{command}");
                from_its_view += usize::from(has_view);
            }
            assert_eq!(from_its_view > 0, !drawn.is_empty(), "{fixture}");
        }
    }
}

/// Runs a command as a person pastes it.
fn draws(folder: &Path, command: &str) {
    let arguments = command.strip_prefix("skincheck ").expect("a command");
    let run = std::process::Command::new("sh")
        .args(["-c", &format!("\"$0\" {arguments}")])
        .arg(crate::program::path())
        .current_dir(folder)
        .output()
        .expect("a shell is there");
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{command}: {said}");
}

/// The first finding of each rule in each model.
#[test]
fn a_command_for_a_finding_in_a_real_model_works_as_it_is_printed() {
    let Some(corpus) = std::env::var_os("SKINCHECK_CORPUS") else {
        return;
    };
    let run = skincheck_in(
        corpus.as_ref(),
        "check . --no-cache --format json --level info",
    );
    let report = run.json();
    let output = Folder::new();
    let image = output.path("image.png");
    let image = image.to_str().expect("it is Unicode");
    let mut seen = BTreeSet::new();
    for model in report["models"].as_array().expect("a list") {
        for finding in model["findings"].as_array().expect("a list") {
            let is_new = seen.insert((model["path"].to_string(), finding["code"].to_string()));
            if let Some(command) = finding["render"].as_str().filter(|_| is_new) {
                draws(
                    corpus.as_ref(),
                    &format!("{command} --size 32x32 -o {image}"),
                );
            }
        }
    }
    assert!(seen.len() > 100, "{}", seen.len());
}

#[test]
fn a_page_has_images_with_and_without_a_folder_for_them() {
    let folder = Folder::with(&[(WRONG, "wrong.gltf"), (RIGHT, "right.gltf")]);
    folder.check("wrong.gltf right.gltf --report html=small.html");
    folder.check("wrong.gltf right.gltf --report html=large.html --artifacts out");
    let [small, large] = ["small.html", "large.html"].map(|name| folder.read(name));
    // Of the finding, and of the model.
    for page in [&small, &large] {
        assert_eq!(page.matches("src=\"data:image/png;base64,").count(), 2);
    }
    assert!(small.len() < large.len());
    assert_eq!(names(&folder, "out"), ["wrong-01-W103.png"]);
    assert!(small.contains("<summary>1 clean model</summary>"));
    for loaded in ["src=\"http", "href=\"http", "url(http", "@import"] {
        assert!(!large.contains(loaded), "{loaded}");
    }
}

#[test]
fn a_page_shows_findings_in_motion_within_its_size() {
    let folder = Folder::with(&[(WRONG, "wrong.gltf"), ("rules/D602.gltf", "bent.gltf")]);
    folder.check_all("wrong.gltf bent.gltf --report html=page.html");
    let page = folder.read("page.html");
    let data = |page: &str| page.matches(" id=\"blocks-").count();
    assert_eq!(data(&page), 2);
    // Of a clip of the model, at the time of the finding.
    let at = page.find("id=\"model-1\">").expect("it moves");
    let (json, _) = page[at + 13..].split_once("</script>").expect("it ends");
    let model: serde_json::Value = serde_json::from_str(json).expect("it is JSON");
    let sights = model["sights"].as_object().expect("it is an object");
    let stretched = sights.values().find(|sight| sight["show"] == "stretch");
    let stretched = stretched.expect("the edge is stretched");
    let take = &model["takes"]
        [usize::try_from(stretched["take"].as_u64().expect("a number")).expect("small")];
    let times = take["times"].as_array().expect("it is a list");
    assert!(times.contains(&stretched["time"]), "{stretched} {times:?}");
    assert_eq!(stretched["marks"][0][0], 0, "vertices of the first mesh");
}

#[test]
fn models_of_one_name_have_images_of_their_own() {
    let folder = Folder::with(&[(WRONG, "a/hero.gltf"), (WRONG, "b/hero.gltf")]);
    let first = folder.check("a b --artifacts out");
    assert_eq!(
        names(&folder, "out"),
        ["hero-01-W103.png", "hero-2-01-W103.png"]
    );
    let before = std::fs::read(folder.path("out/hero-01-W103.png")).expect("it is there");
    let again = folder.check("a b --artifacts out --jobs 1");
    assert_eq!(again.stdout, first.stdout);
    let after = std::fs::read(folder.path("out/hero-01-W103.png")).expect("it is there");
    assert!(before == after);
}

#[test]
fn no_file_of_somebody_else_is_replaced() {
    let folder = Folder::with(&[(WRONG, "wrong.gltf")]);
    folder.write("out/wrong-01-W103.png", "mine");
    folder
        .check("wrong.gltf --artifacts out")
        .refuses("was not written by skincheck");
    assert_eq!(folder.read("out/wrong-01-W103.png"), "mine");
    folder
        .check("wrong.gltf --artifacts wrong.gltf")
        .says("this is a file; name a folder")
        .exits(2);
}
