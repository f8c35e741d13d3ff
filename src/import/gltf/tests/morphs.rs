//! Morph targets and their weights at rest.

use glam::Vec3;
use serde_json::json;

use crate::import::gltf::testing::Model;
use crate::import::testing::messages;

#[test]
fn morph_targets_are_offsets_and_a_node_sets_their_weights() {
    let mut model = Model::triangle(&json!([{"mesh": 0, "weights": [0.5]}, {"mesh": 0}]));
    let up = model.floats("VEC3", &[0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0]);
    model.primitive()["targets"] = json!([{"POSITION": up}]);
    model.json["meshes"][0]["weights"] = json!([0.25]);
    model.json["meshes"][0]["extras"] = json!({"targetNames": ["up"]});
    let asset = model.read();
    let target = &asset.meshes[0].morph_targets[0];
    assert_eq!(target.name, "up");
    assert_eq!(target.positions, [Vec3::Z, 2.0 * Vec3::Z, Vec3::ZERO]);
    let instances = asset.instances.iter();
    let weights: Vec<_> = instances.map(|own| own.morph_weights.clone()).collect();
    assert_eq!(weights, [[0.5], [0.25]]);
}

#[test]
fn morph_targets_move_normals_and_tangents_that_the_mesh_has() {
    let mut model = Model::triangle(&json!([{"mesh": 0}]));
    let along = model.floats("VEC3", &[1.0, 0.0, 0.0].repeat(3));
    model.primitive()["targets"] = json!([{"NORMAL": along, "TANGENT": along}]);
    let target = model.read().meshes.remove(0).morph_targets.remove(0);
    assert!(target.normals.is_empty() && target.tangents.is_empty());
    model.attribute("NORMAL", along);
    let tangents = model.floats("VEC4", &[0.0, 1.0, 0.0, 1.0].repeat(3));
    model.attribute("TANGENT", tangents);
    let target = model.read().meshes.remove(0).morph_targets.remove(0);
    assert_eq!([target.normals, target.tangents], [[Vec3::X; 3]; 2]);
}

#[test]
fn morph_weights_that_do_not_fit_are_noted() {
    let mut model = Model::triangle(&json!([{"mesh": 0, "weights": [0.5, 1.0, 1.0]}]));
    model.primitive()["targets"] = json!([{"POSITION": 0}, {}]);
    let asset = model.read();
    assert_eq!(asset.instances[0].morph_weights, [0.5, 1.0]);
    assert_eq!(messages(&asset), ["has 3 morph weights for 2 targets"]);
}
