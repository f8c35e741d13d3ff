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
fn of_nodes_that_are_each_others_children_the_first_has_no_parent() {
    let asset = usable("cycle.gltf");
    assert!(
        notes(&asset).contains("nodes[0]: a descendant of itself"),
        "{}",
        notes(&asset)
    );
}

#[test]
fn a_count_that_the_file_has_no_room_for_is_refused() {
    insta::assert_snapshot!(refusal("huge_count.gltf"), @"accessors[0]: needs 25769803776 bytes of bufferViews[0], which has 36");
}

#[test]
fn a_mesh_whose_triangles_all_use_vertices_that_it_lacks_is_refused() {
    insta::assert_snapshot!(refusal("index_out_of_range.gltf"), @"meshes[0].primitives[0]: indices name vertex 65000, and there are 3");
}

#[test]
fn a_reference_to_what_is_not_there_is_refused_with_its_place() {
    insta::assert_snapshot!(refusal("missing_buffer_view.gltf"), @"accessors[0]: bufferView 7 is missing, there are 2");
}

#[test]
fn a_text_that_ends_in_the_middle_is_refused_with_its_place() {
    insta::assert_snapshot!(refusal("cut_off.gltf"), @"the JSON text is cut off at line 6, column 6; copy or export the file again");
}

#[test]
fn compression_that_is_not_read_is_refused_by_its_name() {
    insta::assert_snapshot!(refusal("draco.gltf"), @"the glTF extension KHR_draco_mesh_compression, which the file requires (export it without compression, or remove that with a tool such as gltf-transform), is not supported");
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
