use serde_json::json;

use super::*;

/// Mends all parts of a document; returns the channels that are left out.
fn mend_all(document: &mut Value) -> Vec<LooseChannel> {
    let lists = document.as_object_mut().into_iter().flatten();
    let parts = lists.flat_map(|(name, list)| {
        let parts = list.as_array_mut().into_iter().flatten();
        parts.flat_map(|part| mend(name, part))
    });
    parts.collect()
}

#[test]
fn numbers_are_made_whole_only_where_they_have_to_be() {
    let mut document = json!({
        "accessors": [{"count": 3.0, "bufferView": 1e300, "byteOffset": 4_294_967_296_u64, "max": [1.0]}],
        "nodes": [{"mesh": 4_294_967_296_u64, "translation": [2.0, 5_000_000_000_u64, 0.5], "children": [1.0, 1.5]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 2.0}}]}],
    });
    mend_all(&mut document);
    let expected = json!({
        "accessors": [{"count": 3, "bufferView": 1e300, "byteOffset": 4_294_967_296_u64, "max": [1.0]}],
        "nodes": [{"mesh": NOTHING, "translation": [2.0, 5_000_000_000_u64, 0.5], "children": [1, 1.5]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 2}}]}],
    });
    assert_eq!(document, expected);
}

#[test]
fn extras_go_and_hold_the_names_of_morph_targets() {
    let mut document = json!({
        "meshes": [{"primitives": [], "extras": {"targetNames": ["smile", 5]}}, {"extras": "anything"}],
    });
    let names = target_names(&document["meshes"][0]);
    assert_eq!(names, ["smile".to_owned(), String::new()]);
    assert_eq!(target_names(&document["meshes"][1]), Vec::<String>::new());
    mend_all(&mut document);
    assert_eq!(
        document,
        json!({"meshes": [{"primitives": []}, {"primitives": []}]})
    );
}

#[test]
fn channels_of_things_that_are_no_nodes_are_told_by_their_numbers() {
    let pointer = json!({"sampler": 0, "target": {"path": "pointer"}});
    let node = json!({"sampler": 0, "target": {"path": "scale", "node": 0}});
    let aimless = json!({"sampler": 0, "target": {"path": "scale"}});
    let mut document = json!({"animations": [{"channels": [pointer, node, aimless]}]});
    let left_out = [(0, false), (2, true)];
    let left_out = left_out.map(|(index, is_aimless)| LooseChannel { index, is_aimless });
    assert_eq!(mend_all(&mut document), left_out);
    let expected = json!({"channels": [node], "samplers": []});
    assert_eq!(document["animations"][0], expected);
}

#[test]
fn a_texture_without_a_picture_of_its_own_takes_that_of_an_extension() {
    let webp = json!({"extensions": {"EXT_texture_webp": {"source": 3}}});
    let mut document = json!({"textures": [webp, {"source": 1}, {}]});
    mend_all(&mut document);
    let textures = document["textures"].as_array().expect("it is a list");
    let sources: Vec<&Value> = textures.iter().map(|texture| &texture["source"]).collect();
    assert_eq!(sources, [&json!(3), &json!(1), &json!(NOTHING)]);
}

#[test]
fn parts_of_the_wrong_shape_are_left_as_they_are() {
    let odd =
        json!({"meshes": [3], "textures": [[]], "animations": [{"channels": 5, "samplers": "a"}]});
    let mut document = odd.clone();
    mend_all(&mut document);
    assert_eq!(document, odd);
}
