//! A model names files anywhere; only those below its folder, its project and `--read-from` are read.

use std::fs;

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::program::fixture;

/// `models/deep/arm.gltf`, whose material shows the image at `uri`, and `red.png` in the top folder.
fn showing(uri: &str) -> Folder {
    let folder = Folder::with(&[("checker.png", "red.png")]);
    let text = fs::read(fixture("rules/G806.quiet.gltf")).expect("the fixture is there");
    let mut model: Value = serde_json::from_slice(&text).expect("it is JSON");
    model["images"] = json!([{ "uri": uri }]);
    folder.write("models/deep/arm.gltf", model.to_string());
    folder
}

const CHECK: &str = "check models/deep/arm.gltf --select G806 --no-cache";

#[test]
fn an_image_outside_of_the_models_folder_is_a_warning_that_names_the_option() {
    let top = Folder::new();
    top.copy("checker.png", "red.png");
    let absolute = top
        .path("red.png")
        .to_str()
        .expect("it is Unicode")
        .to_owned();
    let above = top.path("").to_str().expect("it is Unicode").to_owned();
    let above = above.trim_end_matches('/');
    for (uri, option) in [
        ("../../red.png", "--read-from ."),
        ("../shared/red.png", "--read-from models/shared"),
        (&absolute, &format!("--read-from {above}")),
        (
            &format!("file://{absolute}"),
            &format!("--read-from {above}"),
        ),
    ] {
        let folder = showing(uri);
        let drawn = folder.run("render models/deep/arm.gltf -o out.png --size 32x32");
        drawn.exits(0).says(uri).says(option);
        folder.run(CHECK).exits(0).prints(option);
    }
}

#[test]
fn the_folder_of_the_configuration_and_those_that_are_named_are_read_from() {
    let folder = showing("../../red.png");
    let is_found = |line: &str| !folder.run(line).exits(0).text().contains("G806");
    assert!(!is_found(CHECK));
    assert!(is_found(&format!("{CHECK} --read-from .")));
    // A verdict depends on the folders: it is not taken from the cache when they change.
    let cached = "check models/deep/arm.gltf --select G806 --cache cache";
    assert!(!is_found(cached));
    folder.write("skincheck.toml", "");
    assert!(is_found(cached));
    assert!(is_found(CHECK));
    assert!(!is_found(&format!("{CHECK} --no-config")));
    folder.write("models/deep/skincheck.toml", "");
    assert!(!is_found(CHECK));
    assert!(is_found(&format!("{CHECK} --config skincheck.toml")));
}

#[test]
fn a_folder_to_read_from_must_exist() {
    let folder = showing("../../red.png");
    for wrong in ["gone", "red.png"] {
        let run = folder.run(&format!("{CHECK} --read-from {wrong}"));
        run.exits(2)
            .says(&format!("--read-from {wrong}: there is no such folder"));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn devices_and_pipes_are_not_opened() {
    use std::os::unix::fs::symlink;
    let folder = showing("pipe.png");
    let pipe = folder.path("models/deep/pipe.png");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo is there").success());
    for target in [None, Some("/dev/kmsg"), Some("/dev/zero")] {
        if let Some(target) = target {
            fs::remove_file(&pipe).expect("it is there");
            symlink(target, &pipe).expect("a link can be made");
        }
        let line = "render models/deep/arm.gltf -o out.png --size 32x32 --read-from /dev";
        folder.run(line).exits(0).says("drawn as marked clay");
    }
}
