//! `skincheck test` and `skincheck accept`.

mod approvals;
mod changes;
mod faults;
mod page;
mod writing;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use skincheck::frame::{Frame, png};
use skincheck::glam::Quat;
use skincheck::import::{self, Isolation};
use skincheck::rig::{Asset, Clip};

use crate::fixtures::base64;
use crate::folder::Folder;
use crate::program::{Run, arguments, command_in, fixture};

/// A folder with an arm of three clips in `models`, and a test of it.
struct Project(Folder);

const CONFIG: &str = "[[test]]\nmodel = \"models/*.gltf\"\nsize = \"96x96\"\n";

impl Project {
    fn new() -> Self {
        let project = Self(Folder::new());
        project.write("skincheck.toml", CONFIG);
        project.write("models/skin.png", plain([200, 120, 60]));
        project.put("arm.gltf", |_| ());
        project
    }

    /// The same, approved.
    fn approved() -> Self {
        let project = Self::new();
        project.run("accept").ok();
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path(name)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        self.0.write(name, bytes);
    }

    fn read(&self, name: &str) -> Vec<u8> {
        self.0.bytes(name)
    }

    /// Writes the arm, changed as by an exporter.
    fn put(&self, name: &str, change: impl FnOnce(&mut Asset)) {
        let options = import::Options {
            isolation: Isolation::InProcess,
            ..import::Options::default()
        };
        let mut asset = import::load(&fixture("arm.gltf"), &options).expect("it can be read");
        change(&mut asset);
        let text = skincheck::export::to_gltf(&asset).expect("glTF can hold it");
        self.write(&format!("models/{name}"), text);
    }

    /// The arm with its texture, `models/skin.png`.
    ///
    /// * `reversed` – whether its triangles are in the opposite order.
    fn put_textured(&self, reversed: bool) {
        let text = fs::read_to_string(fixture("arm.gltf")).expect("it is there");
        let mut model: Value = serde_json::from_str(&text).expect("it is JSON");
        let uri = model["buffers"][0]["uri"].as_str().expect("it is inside");
        let (head, data) = uri.split_once(',').expect("it is base64");
        let mut buffer = base64::decode(data);
        if reversed {
            let view = &model["bufferViews"][6];
            let number = |key: &str| {
                let number = view[key].as_u64().expect("it is a number");
                usize::try_from(number).expect("it is small")
            };
            let corners = &mut buffer[number("byteOffset")..][..number("byteLength")];
            let triangles: Vec<[u8; 6]> = corners.as_chunks().0.iter().rev().copied().collect();
            corners.copy_from_slice(triangles.as_flattened());
        }
        model["buffers"][0]["uri"] = format!("{head},{}", base64::encode(&buffer)).into();
        model["images"] = serde_json::json!([{ "uri": "skin.png" }]);
        model["textures"] = serde_json::json!([{ "source": 0 }]);
        let texture = serde_json::json!({ "baseColorTexture": { "index": 0 } });
        model["materials"] = serde_json::json!([{ "pbrMetallicRoughness": texture }]);
        for mesh in model["meshes"].as_array_mut().expect("there are meshes") {
            mesh["primitives"][0]["material"] = 0.into();
        }
        self.write("models/arm.gltf", model.to_string());
    }

    /// Removes the variables of CI, in which the test may run.
    fn run(&self, line: &str) -> Run {
        self.run_with(line, None)
    }

    fn run_with(&self, line: &str, ci: Option<&str>) -> Run {
        let mut command = command_in(self.0.root());
        match ci {
            Some(value) => command.env("CI", value),
            None => command.env_remove("CI"),
        };
        Run::of(command.args(arguments(line)))
    }

    fn json(&self) -> Value {
        self.run("test --format json").json()
    }

    /// Names and contents of all approvals of the arm.
    fn stored(&self) -> Vec<(String, Vec<u8>)> {
        listed(&self.path(FOLDER))
    }
}

const FOLDER: &str = "models/arm.gltf.approved";

fn listed(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let files = entries.map(|entry| {
        let path = entry.expect("it is readable").path();
        let name = path.file_name().expect("it has a name").to_string_lossy();
        (name.into_owned(), fs::read(&path).expect("it is a file"))
    });
    let mut files: Vec<(String, Vec<u8>)> = files.collect();
    files.sort();
    files
}

/// Rotates the second key of the first track.
fn bend(clip: &mut Clip) {
    let track = clip.channels[0].rotation.as_mut().expect("it is rotated");
    track.keys[1].value *= Quat::from_rotation_x(0.5);
}

/// An image of one colour.
fn plain([r, g, b]: [u8; 3]) -> Vec<u8> {
    let mut frame = Frame::blank(4, 4);
    frame.rgba = [r, g, b, 255].repeat(16);
    png::encode(&frame, &[]).expect("it is an image")
}
