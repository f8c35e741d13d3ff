//! Whole documents, one matter each.

mod clips;
mod materials;
mod meshes;
mod morphs;
mod skins;

use serde_json::json;

use super::testing::{Model, import, messages};
use super::{Gltf, VERSION};
use crate::import::{Importer, ImporterError};
use crate::rig::LocalTransform;
use crate::units::Space;

#[test]
fn the_version_is_the_one_that_cargo_is_asked_for() {
    let manifest = include_str!("../../../Cargo.toml");
    assert!(manifest.contains(&format!("gltf = {{ version = \"{VERSION}\"")));
}

#[test]
fn text_and_binary_say_the_same() {
    let model = Model::triangle(&json!([{"mesh": 0}]));
    assert_eq!(model.import(), import(&model.glb()));
}

#[test]
fn a_file_and_the_buffer_beside_it_are_found() {
    let model = Model::triangle(&json!([{"mesh": 0, "name": "größe"}]));
    let folder = tempfile::tempdir().unwrap();
    let mut json = model.json.clone();
    json["buffers"] = json!([{"uri": "the%20data.bin", "byteLength": model.bytes.len()}]);
    std::fs::write(folder.path().join("the data.bin"), &model.bytes).unwrap();
    let path = folder.path().join("model.gltf");
    std::fs::write(&path, json.to_string()).unwrap();
    let mut expected = model.import().unwrap();
    expected.files = vec!["the data.bin".into()];
    assert_eq!(Gltf.import(&path), Ok(expected));
}

#[test]
fn a_file_that_is_not_there_is_an_error() {
    let error = Gltf.import("nowhere/model.gltf".as_ref()).unwrap_err();
    assert!(matches!(error, ImporterError::Parse { .. }), "{error}");
}

#[test]
fn the_space_is_that_of_the_standard() {
    let asset = Model::of_nodes(&json!([{}])).import().unwrap();
    assert_eq!(
        (asset.space, asset.stated_space),
        (Space::Y_UP_METRES, None)
    );
    assert_eq!(asset.importer, format!("gltf {VERSION}"));
}

#[test]
fn nodes_keep_their_names_or_none() {
    let asset = Model::of_nodes(&json!([{"name": "a"}, {}, {"name": "a"}]))
        .import()
        .unwrap();
    let names: Vec<_> = asset
        .skeleton
        .joints()
        .iter()
        .map(|joint| joint.name.as_str())
        .collect();
    assert_eq!(names, ["a", "", "a"]);
}

#[test]
fn a_matrix_stays_a_matrix() {
    let matrix = [
        1.0, 0.0, 0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 2.0, 3.0, 1.0,
    ];
    let asset = Model::of_nodes(&json!([{"matrix": matrix}]))
        .import()
        .unwrap();
    let expected = LocalTransform::Matrix(glam::Mat4::from_cols_array(&matrix));
    assert_eq!(asset.skeleton.joints()[0].rest, expected);
}

#[test]
fn a_required_extension_that_is_not_read_is_refused_by_name() {
    for name in [
        "EXT_meshopt_compression",
        "KHR_draco_mesh_compression",
        "KHR_texture_basisu",
    ] {
        let mut model = Model::triangle(&json!([{"mesh": 0}]));
        model.json["extensionsRequired"] = json!(["KHR_mesh_quantization", name]);
        let error = model.import().unwrap_err();
        assert!(
            matches!(error, ImporterError::Unsupported { .. }),
            "{error}"
        );
        assert!(error.to_string().contains(name), "{error}");
    }
}

#[test]
fn draco_that_is_not_declared_as_required_is_refused_where_nothing_else_is_there() {
    let mut model = Model::triangle(&json!([{"mesh": 0}]));
    model.primitive()["extensions"] =
        json!({"KHR_draco_mesh_compression": {"bufferView": 0, "attributes": {}}});
    assert!(model.import().is_ok(), "the uncompressed data is there too");
    model.json["accessors"][0]
        .as_object_mut()
        .unwrap()
        .remove("bufferView");
    assert!(model.refusal().contains("KHR_draco_mesh_compression"));
}

#[test]
fn an_optional_extension_leaves_a_note_only_if_it_changes_the_shape() {
    let mut model = Model::triangle(&json!([{"mesh": 0}]));
    model.json["extensionsUsed"] = json!([
        "ACME_smell",
        "KHR_lights_punctual",
        "EXT_mesh_gpu_instancing"
    ]);
    let asset = model.import().unwrap();
    let expected = "the extension EXT_mesh_gpu_instancing is ignored: of meshes that it repeats, one copy is there";
    assert_eq!(messages(&asset), [expected]);
}

#[test]
fn additions_of_any_kind_are_no_reason_to_refuse() {
    let mut model =
        Model::triangle(&json!([{"mesh": 0, "extras": [1, 2], "extensions": {"ACME_smell": 5}}]));
    model.json["extras"] = json!("a text");
    model.json["cameras"] = json!([{"type": "fisheye"}]);
    model.json["materials"] = json!([{"normalTexture": "none", "extras": null}]);
    assert_eq!(messages(&model.import().unwrap()), Vec::<&str>::new());
}
