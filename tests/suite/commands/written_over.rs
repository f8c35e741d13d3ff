//! No output overwrites a file that was read for it, under any name.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

use crate::program::{self, Run, fixture};

/// A folder of copies.
struct Folder(TempDir);

impl Folder {
    fn with(fixtures: &[(&str, &str)]) -> Self {
        let folder = Self(tempfile::tempdir().expect("a temporary folder can be made"));
        for (name, copy) in fixtures {
            fs::copy(fixture(name), folder.path(copy)).expect("the folder is writable");
        }
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).expect("it is there")
    }

    fn run(&self, arguments: &[&str]) -> Run {
        let output = Command::new(program::path())
            .args(arguments)
            .current_dir(self.0.path())
            .output();
        Run::from(output.expect("the binary under test starts"))
    }

    /// Must refuse to write to `output` because it is `input`, and leave all files unchanged.
    #[track_caller]
    fn refuses(&self, arguments: &[&str], output: &str, input: &str) {
        let contents = || {
            let entries = fs::read_dir(self.0.path()).expect("it is a folder");
            let names = entries.map(|entry| entry.expect("it is readable").file_name());
            let mut names: Vec<OsString> = names.collect();
            names.sort();
            let read = |name: OsString| (fs::read(self.0.path().join(&name)).ok(), name);
            names.into_iter().map(read).collect::<Vec<_>>()
        };
        let before = contents();
        let run = self.run(arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}: {}", run.stderr);
        let reported = format!("cannot write {output}: it is the input");
        assert!(
            run.stderr.contains(&reported),
            "{arguments:?}: {}",
            run.stderr
        );
        assert!(run.stderr.contains(input), "{arguments:?}: {}", run.stderr);
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
    folder.refuses(&["check", "a.gltf", "--report", &report], buffer, buffer);
    folder.refuses(&["check", ".", "--report", &report], buffer, buffer);
    folder.refuses(
        &["bake", "a.gltf", "--format", "json", "-o", buffer],
        buffer,
        buffer,
    );
    folder.refuses(
        &[
            "bake",
            "a.gltf",
            "--animation",
            "a.gltf",
            "--format",
            "json",
            "-o",
            buffer,
        ],
        buffer,
        buffer,
    );
}

#[test]
fn the_images_of_a_model_are_its_inputs() {
    let image = image();
    let folder = Folder::with(&[("missing_texture.gltf", "a.gltf"), ("checker.png", &image)]);
    let report = format!("json={image}");
    folder.refuses(&["check", "a.gltf", "--report", &report], &image, &image);
    folder.refuses(&["render", "a.gltf", "-o", &image], &image, &image);
}

#[test]
fn a_file_is_itself_under_any_name() {
    let folder = Folder::with(&[("rules/clean.gltf", "a.gltf")]);
    fs::hard_link(folder.path("a.gltf"), folder.path("b")).expect("links can be made");
    for arguments in [
        ["check", "a.gltf", "--report", "json=b"],
        ["check", "a.gltf", "--write-baseline", "b"],
        ["render", "a.gltf", "-o", "b"],
        ["bake", "a.gltf", "-o", "b"],
    ] {
        folder.refuses(&arguments, "b", "a.gltf");
    }
}

#[test]
fn a_file_that_is_not_an_input_is_overwritten() {
    let folder = Folder::with(&[("rules/clean.gltf", "a.gltf"), ("checker.png", "b.png")]);
    let before = folder.read("b.png");
    folder
        .run(&["render", "a.gltf", "--size", "8x8", "-o", "b.png"])
        .ok();
    assert_ne!(folder.read("b.png"), before);
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
        folder.refuses(&["check", model, "--report", &report], other, other);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn standard_output_by_its_name_keeps_what_is_in_the_file() {
    let folder = Folder::with(&[("arm.gltf", "a.gltf")]);
    for appending in [true, false] {
        fs::write(folder.path("log"), "kept\n").expect("the folder is writable");
        let mut options = fs::OpenOptions::new();
        let log = options
            .write(true)
            .append(appending)
            .open(folder.path("log"));
        let status = Command::new(program::path())
            .args(["check", "a.gltf", "--report", "json=/dev/stdout"])
            .current_dir(folder.0.path())
            .stdout(log.expect("it is there"))
            .status();
        assert!(status.expect("the binary under test starts").success());
        let log = String::from_utf8(folder.read("log")).expect("reports are text");
        assert_eq!(log.starts_with("kept\n"), appending, "{log}");
        assert!(log.contains("\"schema\""), "{log}");
        assert!(log.contains("1 file"), "{log}");
    }
}

#[cfg(unix)]
#[test]
fn a_device_may_be_written() {
    let folder = Folder::with(&[("arm.gltf", "a.gltf")]);
    let run = folder.run(&["check", "a.gltf", "--report", "json=/dev/null"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}
