//! No output overwrites a file that was read for it, under any name.

use std::ffi::OsString;
use std::fs;

use crate::folder::Folder;
use crate::program::{Run, command_in, fixture};

impl Folder {
    /// Must refuse to write to `output` because it is `input`, and leave all files unchanged.
    #[track_caller]
    fn protects(&self, arguments: &[&str], output: &str, input: &str) {
        let contents = || {
            let entries = fs::read_dir(self.root()).expect("it is a folder");
            let names = entries.map(|entry| entry.expect("it is readable").file_name());
            let mut names: Vec<OsString> = names.collect();
            names.sort();
            let read = |name: OsString| (fs::read(self.root().join(&name)).ok(), name);
            names.into_iter().map(read).collect::<Vec<_>>()
        };
        let before = contents();
        self.run_words(arguments)
            .refuses(&format!("cannot write {output}: it is the input"))
            .says(input);
        assert!(before == contents(), "{arguments:?}");
    }
}

/// The file name of the image that the fixture `missing_texture.gltf` refers to.
fn image() -> String {
    let model = fs::read_to_string(fixture("missing_texture.gltf")).expect("it is there");
    let model: serde_json::Value = serde_json::from_str(&model).expect("it is JSON");
    let uri = model["images"][0]["uri"].as_str().expect("it has a path");
    uri.to_owned()
}

#[test]
fn the_buffers_of_a_model_are_its_inputs() {
    let buffer = "external buffer.bin";
    let folder = Folder::with(&[("external_buffer.gltf", "a.gltf"), (buffer, buffer)]);
    let report = format!("json={buffer}");
    let bake = ["bake", "a.gltf", "--format", "json", "-o", buffer];
    let lines: [&[&str]; 4] = [
        &["check", "a.gltf", "--report", &report],
        &["check", ".", "--report", &report],
        &bake,
        &[&bake[..], &["--animation", "a.gltf"]].concat(),
    ];
    for line in lines {
        folder.protects(line, buffer, buffer);
    }
}

#[test]
fn the_images_of_a_model_are_its_inputs() {
    let image = image();
    let folder = Folder::with(&[("missing_texture.gltf", "a.gltf"), ("checker.png", &image)]);
    let report = format!("json={image}");
    folder.protects(&["check", "a.gltf", "--report", &report], &image, &image);
    folder.protects(&["render", "a.gltf", "-o", &image], &image, &image);
    fs::rename(folder.path(&image), folder.path("b.html")).expect("it is there");
    let model = folder.read("a.gltf").replace(&image, "b.html");
    folder.write("a.gltf", model);
    folder.protects(&["view", "a.gltf", "-o", "b.html"], "b.html", "b.html");
}

#[test]
fn a_file_is_itself_under_any_name() {
    let folder = Folder::with(&[("rules/clean.gltf", "a.gltf")]);
    fs::hard_link(folder.path("a.gltf"), folder.path("b")).expect("links can be made");
    for arguments in [
        ["check", "a.gltf", "--report", "json=b"],
        ["render", "a.gltf", "-o", "b"],
        ["bake", "a.gltf", "-o", "b"],
        ["view", "a.gltf", "-o", "b"],
    ] {
        folder.protects(&arguments, "b", "a.gltf");
    }
}

#[test]
fn a_file_that_is_not_an_input_is_overwritten() {
    let folder = Folder::with(&[("rules/clean.gltf", "a.gltf"), ("checker.png", "b.png")]);
    let before = folder.bytes("b.png");
    folder.run("render a.gltf --size 8x8 -o b.png").ok();
    assert_ne!(folder.bytes("b.png"), before);
}

#[test]
#[cfg_attr(not(feature = "assimp"), ignore = "needs the formats of assimp")]
fn files_beside_or_named_by_a_model_are_its_inputs() {
    for (model, other) in [
        ("arm.obj", "arm.mtl"),
        ("arm.mesh.xml", "arm.skeleton.xml"),
        ("figure.md5mesh", "figure.md5anim"),
    ] {
        let folder = Folder::with(&[(model, model), (other, other)]);
        let report = format!("json={other}");
        folder.protects(&["check", model, "--report", &report], other, other);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn standard_output_by_its_name_keeps_what_is_in_the_file() {
    let folder = Folder::with(&[("arm.gltf", "a.gltf")]);
    for appending in [true, false] {
        folder.write("log", "kept\n");
        let mut options = fs::OpenOptions::new();
        let log = options
            .write(true)
            .append(appending)
            .open(folder.path("log"));
        let mut command = command_in(folder.root());
        command.args(["check", "a.gltf", "--report", "json=/dev/stdout"]);
        Run::of(command.stdout(log.expect("it is there"))).ok();
        let log = folder.read("log");
        assert_eq!(log.starts_with("kept\n"), appending, "{log}");
        assert!(log.contains("\"schema\""), "{log}");
        assert!(log.contains("1 file"), "{log}");
    }
}

#[cfg(unix)]
#[test]
fn a_device_may_be_written() {
    let folder = Folder::with(&[("arm.gltf", "a.gltf")]);
    folder.run("check a.gltf --report json=/dev/null").ok();
}
