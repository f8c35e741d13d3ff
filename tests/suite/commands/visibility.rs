//! Clips that show and hide nodes (`KHR_node_visibility`), in images and reports.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "every number here is a small constant of an image"
)]

use serde_json::Value;
use skincheck::frame::Frame;

use crate::folder::Folder;
use crate::program::{fixture, skincheck};
use crate::support::{assert_image, decoded};

const VIEW: &str = "--camera front --orthographic --samples 1 --background transparent";

fn image(model: &str, time: f64, options: &str) -> Frame {
    let line = format!("render {model} --time {time} {VIEW} {options} -o -");
    decoded(&skincheck(&line).ok().stdout)
}

fn pixel(image: &Frame, [column, row]: [f64; 2]) -> [u8; 4] {
    let index = row as usize * image.width as usize + column as usize;
    let bytes = &image.rgba[4 * index..4 * index + 4];
    bytes.try_into().expect("four bytes")
}

/// The first and the last column and row with a surface: left, top, and one past the right and the bottom.
fn bounds(image: &Frame) -> [f64; 4] {
    let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    for row in 0..image.height {
        for column in 0..image.width {
            let at = [f64::from(column), f64::from(row)];
            if pixel(image, at)[3] > 0 {
                low = [low[0].min(at[0]), low[1].min(at[1])];
                high = [high[0].max(at[0] + 1.0), high[1].max(at[1] + 1.0)];
            }
        }
    }
    [low[0], low[1], high[0], high[1]]
}

/// For each box of `visibility.gltf`, from left to right, whether it is drawn.
fn boxes(time: f64) -> [bool; 3] {
    let image = image("visibility.gltf", time, "--size 120x120 --fit clip");
    // The camera fits all of the clip: three boxes, 1.5 apart, around the middle one.
    [20.0, 60.0, 100.0].map(|column| pixel(&image, [column, 60.0])[3] > 0)
}

#[test]
fn a_clip_hides_a_node_with_all_below_it_and_shows_a_hidden_one() {
    assert_eq!(boxes(0.25), [false, true, true]);
    assert_eq!(boxes(0.5), [true, false, false]);
    assert_eq!(boxes(0.75), [true, false, false]);
    assert_eq!(boxes(1.0), [false, true, true]);
}

#[test]
fn a_hidden_node_is_hidden_at_rest() {
    let line = format!("render visibility.gltf --pose rest --size 120x120 {VIEW} -o -");
    let rest = decoded(&skincheck(&line).ok().stdout);
    // The camera fits the two boxes that are shown, which are 2.5 wide.
    let [left, _, right, _] = bounds(&rest);
    let gap = pixel(&rest, [left + 0.5 * (right - left), 60.0]);
    assert_eq!(gap[3], 0, "between the boxes, from 0.5 to 1");
}

#[test]
fn the_middle_of_a_clip_that_hides_nodes_looks_as_before() {
    let run = skincheck("render visibility.gltf --time 0.6 --size 200x100 -o -").ok();
    assert_image("visibility", "swap", &decoded(&run.stdout));
}

#[test]
fn bake_says_which_meshes_are_hidden() {
    let run = skincheck("bake visibility.gltf --time 0.75 -o -").ok();
    let pose: Value = serde_json::from_slice(&run.stdout).expect("it is JSON");
    let meshes = pose["meshes"].as_array().expect("a list");
    let visible: Vec<bool> = meshes.iter().map(|own| own["visible"] == true).collect();
    assert_eq!(visible, [false, false, true]);
}

/// `visibility.gltf` without channel `index`.
fn without_channel(folder: &Folder, index: usize) {
    let text = std::fs::read_to_string(fixture("visibility.gltf")).expect("it is text");
    let mut document: Value = serde_json::from_str(&text).expect("it is JSON");
    let channels = &mut document["animations"][0]["channels"];
    channels.as_array_mut().expect("a list").remove(index);
    folder.write("before.gltf", &text);
    folder.write("after.gltf", document.to_string());
}

#[test]
fn a_mesh_that_one_model_hides_is_a_difference() {
    let folder = Folder::new();
    without_channel(&folder, 0);
    let run = folder.run("diff before.gltf after.gltf");
    run.prints("mesh \"box\" is hidden before and visible after at 2 of 5 sample times");
    run.exits(1);
    folder.run("diff before.gltf before.gltf").ok();
}

#[test]
fn an_approved_image_fails_once_a_clip_hides_something_else() {
    let folder = Folder::new();
    without_channel(&folder, 0);
    let put = |name: &str| folder.write("model.gltf", folder.read(name));
    let config = "[[test]]\nmodel = \"model.gltf\"\nsize = \"96x96\"\n";
    folder.write("skincheck.toml", config);
    put("before.gltf");
    folder.run("accept").ok();
    folder.run("test").ok();
    put("after.gltf");
    folder.run("test").exits(1);
}
