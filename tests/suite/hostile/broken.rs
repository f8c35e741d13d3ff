//! The fixtures that contradict themselves, each in its own way.

use std::error::Error;

use skincheck::import::{self, ImportError};
use skincheck::rig::Asset;

use crate::program;

fn load(name: &str) -> Result<Asset, ImportError> {
    let path = program::fixture("broken").join(name);
    import::load(&path, &super::options())
}

/// What the importer says of a file that it refuses.
fn refusal(name: &str) -> String {
    let error = load(name).expect_err("it contradicts itself");
    assert!(matches!(error, ImportError::Refused { .. }), "{error}");
    assert!(error.to_string().contains(name), "{error}");
    error.source().map(ToString::to_string).unwrap_or_default()
}

/// A file that can be read, and whatever it holds, be posed, skinned and drawn.
fn usable(name: &str) -> Asset {
    let asset = load(name).unwrap_or_else(|error| panic!("{name}: {error}"));
    asset
        .validate()
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    super::use_up(&asset);
    asset
}

fn notes(asset: &Asset) -> String {
    let notes = asset.notes.iter();
    let lines = notes.map(|note| format!("{}: {}\n", note.place, note.message));
    lines.collect()
}

#[test]
fn nodes_that_are_each_others_children_are_refused() {
    insta::assert_snapshot!(refusal("cycle.gltf"), @r#"GLTF: Object at index 0 in array "nodes" has recursive reference to itself"#);
}

#[test]
fn a_count_that_the_file_has_no_room_for_is_refused() {
    insta::assert_snapshot!(refusal("huge_count.gltf"), @"GLTF: Accessor with offset/length (0/8589934592) is out of range.");
}

#[test]
fn a_mesh_whose_triangles_all_use_vertices_that_it_lacks_is_refused() {
    insta::assert_snapshot!(refusal("index_out_of_range.gltf"), @r#"Mesh "triangle" has no faces"#);
}

#[test]
fn positions_that_are_no_numbers_are_kept_to_be_seen() {
    let asset = usable("nan.gltf");
    let positions = &asset.meshes[0].positions;
    let bad = positions.iter().filter(|position| !position.is_finite());
    assert_eq!((positions.len(), bad.count()), (3, 2));
    assert!(notes(&asset).contains("not finite (NaN or infinite): 2 positions"));
}

#[test]
fn an_influence_of_a_joint_that_the_skin_lacks_is_left_out() {
    let asset = usable("joint_out_of_range.gltf");
    let influences = asset.meshes[0].influences.all();
    assert!(influences.iter().all(|influence| influence.slot < 3));
    let notes = notes(&asset);
    assert!(
        notes.contains("joint") && notes.contains("left out"),
        "{notes}"
    );
}
