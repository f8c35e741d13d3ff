//! Clips that hide nodes and drive values of materials (`KHR_animation_pointer`), in images and reports.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
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
    let image = image("visibility.gltf", time, "--size 120x120");
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

/// `material_values.gltf` unlit, at the camera of all of its clip.
fn cards(time: f64) -> Frame {
    image(
        "material_values.gltf",
        time,
        "--size 280x120 --show texture",
    )
}

/// The colour of a card, counted from the left, at these texture coordinates.
fn on_card(image: &Frame, card: usize, [u, v]: [f64; 2]) -> [u8; 4] {
    // At 0 s the first card is the left end, and the last one is visible up to its right side.
    let [left, top, right, bottom] = bounds(&cards(0.0));
    // The cards are 2 wide and high and 2.5 apart.
    let unit = (right - left) / 7.0;
    let x = 2.5 * card as f64 + 2.0 * u;
    pixel(image, [left + x * unit, top + v * (bottom - top)])
}

#[test]
fn a_clip_drives_the_base_colour_of_a_material() {
    let colour = |time| on_card(&cards(time), 0, [0.5, 0.5]);
    assert_eq!(colour(0.0), [255, 0, 0, 255]);
    // Half of the light of each.
    assert_eq!(colour(0.5), [188, 0, 188, 255]);
    assert_eq!(colour(1.0), [0, 0, 255, 255]);
}

#[test]
fn a_clip_moves_rotates_and_scales_a_texture() {
    let colour = |time| on_card(&cards(time), 1, [0.1, 0.1]);
    // The upper left quarter of the texture.
    assert_eq!(colour(0.0), [200, 40, 30, 255]);
    // Twice (0.1, 0.1), rotated clockwise to (0.2, -0.2) and moved to (0.7, -0.2): the lower right quarter.
    assert_eq!(colour(1.0), [240, 240, 240, 255]);
}

#[test]
fn a_clip_drives_the_alpha_cutoff() {
    // Alpha rises from 0 on the left to 1 on the right.
    let is_there = |time, u| on_card(&cards(time), 2, [u, 0.5])[3] > 0;
    assert!(!is_there(0.0, 0.2) && is_there(0.0, 0.3), "cut off at 0.25");
    assert!(!is_there(1.0, 0.7) && is_there(1.0, 0.8), "cut off at 0.75");
}

#[test]
fn the_middle_of_both_clips_looks_as_before() {
    let line = |model: &str| format!("render {model} --time 0.6 --size 200x100 -o -");
    for (name, model) in [
        ("visibility", "visibility.gltf"),
        ("material_values", "material_values.gltf"),
    ] {
        let image = decoded(&skincheck(&line(model)).ok().stdout);
        assert_image("looks", name, &image);
    }
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
