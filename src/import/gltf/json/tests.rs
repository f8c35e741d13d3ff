use serde_json::json;

use super::*;

#[test]
fn a_text_that_ends_too_early_is_told_from_one_that_is_wrong() {
    let cut_off = parse(b"{\"asset\":\n {\"vers").unwrap_err();
    assert_eq!(cut_off, GltfError::CutOff { line: 2, column: 7 });
    let wrong = parse(b"{\"asset\":\n oops}").unwrap_err().to_string();
    assert!(wrong.contains("at line 2 column 2"), "{wrong}");
}

#[test]
fn a_text_of_any_depth_is_refused_without_a_crash() {
    let deep = "[".repeat(1 << 20);
    let error = parse(deep.as_bytes()).unwrap_err().to_string();
    assert!(error.contains("recursion limit"), "{error}");
}

#[test]
fn numbers_are_made_whole_only_where_they_have_to_be() {
    let mut document = json!({
        "accessors": [{"count": 3.0, "bufferView": 1e300, "byteOffset": 4_294_967_296_u64, "max": [1.0]}],
        "nodes": [{"mesh": 4_294_967_296_u64, "translation": [2.0, 5_000_000_000_u64, 0.5], "children": [1.0, 1.5]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 2.0}}]}],
    });
    mend(&mut document);
    let expected = json!({
        "accessors": [{"count": 3, "bufferView": 1e300, "byteOffset": 4_294_967_296_u64}],
        "nodes": [{"mesh": NOTHING, "translation": [2.0, 5_000_000_000_u64, 0.5], "children": [1, 1.5]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 2}}]}],
    });
    assert_eq!(document, expected);
}

#[test]
fn extras_go_but_the_names_of_morph_targets_stay() {
    let mut document = json!({
        "extras": "anything",
        "meshes": [{"primitives": [], "extras": {"targetNames": ["smile", 5]}}, {"primitives": []}],
    });
    let removed = mend(&mut document);
    assert_eq!(
        removed.target_names,
        [vec!["smile".to_owned(), String::new()], vec![]]
    );
    assert_eq!(
        document,
        json!({"meshes": [{"primitives": []}, {"primitives": []}]})
    );
}

#[test]
fn channels_of_things_that_are_no_nodes_are_counted() {
    let pointer = json!({"sampler": 0, "target": {"path": "pointer"}});
    let node = json!({"sampler": 0, "target": {"path": "scale", "node": 0}});
    let mut document = json!({"animations": [{"channels": [pointer, node, pointer]}]});
    assert_eq!(mend(&mut document).loose_channels, [2]);
    assert_eq!(
        document["animations"][0],
        json!({"channels": [node], "samplers": []})
    );
}

#[test]
fn a_texture_without_a_picture_of_its_own_takes_that_of_an_extension() {
    let webp = json!({"extensions": {"EXT_texture_webp": {"source": 3}}});
    let mut document = json!({"textures": [webp, {"source": 1}, {}]});
    mend(&mut document);
    let sources: Vec<_> = list(&mut document, "textures")
        .map(|texture| texture["source"].clone())
        .collect();
    assert_eq!(sources, [json!(3), json!(1), json!(NOTHING)]);
}

#[test]
fn a_document_of_the_wrong_shape_is_left_as_it_is() {
    for odd in [
        json!(null),
        json!([1]),
        json!({"meshes": 3, "textures": [7], "animations": {"a": []}}),
    ] {
        let mut document = odd.clone();
        mend(&mut document);
        assert_eq!(document, odd);
    }
}
