//! Skins and weights.

use glam::{Mat4, Vec3};
use serde_json::json;

use crate::gltf::testing::{Model, U8, U16, U32};
use crate::rig::{Asset, NodeId, WeightStorage};
use crate::testing::{influences, messages, reported};

fn joint(asset: &Asset, id: NodeId) -> (&str, Option<NodeId>) {
    let joint = asset.skeleton.get(id).unwrap();
    (&joint.name, joint.parent)
}

/// The names of the joints of the first skin.
fn joint_names(asset: &Asset) -> Vec<&str> {
    let joints = asset.skins[0].joints.iter();
    joints.map(|&id| joint(asset, id).0).collect()
}

/// Weights of 1 for the first joint of each of three vertices.
const WHOLE: [f32; 12] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];

#[test]
fn joints_without_a_name_or_with_the_same_are_distinguished() {
    let nodes = json!([
        {"mesh": 0, "skin": 0, "name": "body"},
        {"children": [2]}, {},
        {"mesh": 0, "skin": 1, "name": "body"},
        {"name": "arm", "children": [5]}, {"name": "arm"},
    ]);
    let mut model = Model::weighted([0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0], &WHOLE);
    model.json["nodes"] = nodes;
    model.json["skins"] = json!([{"joints": [1, 2], "name": "left"}, {"joints": [4, 5]}]);
    let asset = model.read();
    assert_eq!((asset.meshes.len(), asset.instances.len()), (1, 2));
    for (instance, skin, name) in [(0, "left", ""), (1, "", "arm")] {
        let own = asset.skin_of(&asset.instances[instance]).unwrap();
        assert_eq!(own.name, skin);
        let [parent, child] = own.joints[..] else {
            panic!("{own:?}")
        };
        assert_eq!(joint(&asset, child), (name, Some(parent)));
    }
}

#[test]
fn a_skin_without_matrices_is_bound_by_identities() {
    let asset = Model::weighted([0; 12], &[1.0; 12]).read();
    assert_eq!(asset.skins[0].inverse_bind_matrices, [Mat4::IDENTITY; 2]);
}

#[test]
fn matrices_are_read_by_columns_and_those_past_the_joints_are_left() {
    let mut model = Model::weighted([0; 12], &[1.0; 12]);
    let moved = Mat4::from_translation(Vec3::new(1.0, 2.0, 3.0));
    let numbers = [moved, Mat4::IDENTITY, moved].map(|matrix| matrix.to_cols_array());
    let matrices = model.floats("MAT4", numbers.as_flattened());
    model.json["skins"][0]["inverseBindMatrices"] = matrices.into();
    let binds = &model.read().skins[0].inverse_bind_matrices;
    assert_eq!(binds, &[moved, Mat4::IDENTITY]);
}

#[test]
fn a_joint_without_a_node_is_skipped_and_the_others_move_up() {
    let joints = [0, 1, 2, 0, 1, 0, 0, 0, 2, 0, 0, 0];
    let weights = [0.5, 0.25, 0.25, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    let mut model = Model::weighted(joints, &weights);
    model.json["skins"][0]["joints"] = json!([1, 99, 2]);
    let matrices = [Vec3::X, Vec3::Y, Vec3::Z].map(|to| Mat4::from_translation(to).to_cols_array());
    let matrices = model.floats("MAT4", matrices.as_flattened());
    model.json["skins"][0]["inverseBindMatrices"] = matrices.into();
    let asset = model.read();
    assert_eq!(joint_names(&asset), ["a", "b"]);
    let binds = [Vec3::X, Vec3::Z].map(Mat4::from_translation);
    assert_eq!(asset.skins[0].inverse_bind_matrices, binds);
    let moved = 2.0 / 3.0;
    let first = vec![(0, moved), (1, moved / 2.0)];
    let expected = [first, vec![(0, 1.0)], vec![(1, 1.0)]];
    assert_eq!(influences(&asset, 0), expected);
    let expected = "JointWithoutNode skin (unnamed), skins[0].joints[1]: joint 1 is node 99, but there are 3 nodes (x1)";
    assert_eq!(reported(&asset.evidence), [expected]);
}

#[test]
fn a_joint_outside_of_the_scene_is_bound() {
    let mut model = Model::weighted([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], &WHOLE);
    model.json["scenes"] = json!([{"nodes": [0]}]);
    let asset = model.read();
    assert_eq!(joint_names(&asset), ["a", "b"]);
    assert!(asset.notes.is_empty(), "{:?}", asset.notes);
}

#[test]
fn weights_are_those_of_the_file_whatever_they_are() {
    let joints = [1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0];
    let (odd, nan) = ([1.5, -0.5, 0.0, 0.0], [f32::NAN, 0.0, 0.0, 0.0]);
    let weights = [odd, nan, [0.25, 0.25, 0.5, 0.0]];
    let asset = Model::weighted(joints, weights.as_flattened()).read();
    let lists = influences(&asset, 0);
    assert_eq!(lists[0], [(1, 1.5), (0, -0.5)]);
    assert!(lists[1][0].1.is_nan(), "{lists:?}");
    assert_eq!(lists[2], [(1, 0.25), (1, 0.25), (0, 0.5)]);
    assert!(asset.notes.is_empty(), "{:?}", asset.notes);
}

#[test]
fn all_sets_of_weights_are_read_even_after_a_gap() {
    let mut model = Model::weighted([0; 12], &[0.25, 0.0, 0.0, 0.0].repeat(3));
    for (set, weight) in [(1, 0.5), (7, 0.125)] {
        let joints = model.accessor(&[1; 24], U16, "VEC4", 3);
        model.json["accessors"][joints]["bufferView"] = 0.into();
        let joints = model.accessor(&[1, 0, 1, 0, 1, 0, 1, 0].repeat(3), U16, "VEC4", 3);
        model.attribute(&format!("JOINTS_{set}"), joints);
        let weights = model.floats("VEC4", &[weight, 0.0, 0.0, 0.0].repeat(3));
        model.attribute(&format!("WEIGHTS_{set}"), weights);
    }
    let asset = model.read();
    // Weights of 0 stay before those of later sets, so that it is known which set those are in.
    let [first, second] = [0, 1].map(|joint| [(joint, 0.0); 3]);
    let mut expected = [vec![(0, 0.25)], first.into(), vec![(1, 0.5)], second.into()].concat();
    expected.push((1, 0.125));
    assert_eq!(influences(&asset, 0), [&*expected; 3]);
    let message = "set 7 of joints and weights comes without set 2";
    assert_eq!(messages(&asset), [format!("{message}; it is still read")]);
    let mismatch = mismatch(message);
    assert_eq!(reported(&asset.evidence), [mismatch]);
}

#[test]
fn normalized_integer_weights_are_fractions() {
    let shorts = [65535_u16, 13107, 0, 0].map(u16::to_le_bytes).concat();
    for (component, storage, bytes) in [
        (U8, WeightStorage::Unorm8, vec![255, 51, 0, 0]),
        (U16, WeightStorage::Unorm16, shorts),
    ] {
        let mut model = Model::weighted([0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0], &[0.0; 12]);
        let weights = model.accessor(&bytes.repeat(3), component, "VEC4", 3);
        model.normalize(weights);
        model.attribute("WEIGHTS_0", weights);
        let asset = model.read();
        assert_eq!(influences(&asset, 0), [[(0, 1.0), (1, 0.2)]; 3]);
        assert_eq!(asset.meshes[0].weight_storage, storage);
        model.json["accessors"][weights]["normalized"] = false.into();
        let asset = model.read();
        assert!(influences(&asset, 0)[0][0].1 >= 255.0);
        assert!(messages(&asset)[0].contains("not marked as normalized"));
    }
}

#[test]
fn joints_may_be_of_any_unsigned_type_and_of_no_other() {
    for (component, size) in [(U8, 1), (U16, 2), (U32, 4)] {
        let mut model = Model::weighted([0; 12], &WHOLE);
        let bytes = 1_u32.to_le_bytes()[..size].repeat(12);
        let joints = model.accessor(&bytes, component, "VEC4", 3);
        model.attribute("JOINTS_0", joints);
        assert_eq!(influences(&model.read(), 0), [[(1, 1.0)]; 3]);
    }
    let mut model = Model::weighted([0; 12], &[1.0; 12]);
    let joints = model.floats("VEC4", &[0.0; 12]);
    model.attribute("JOINTS_0", joints);
    let expected = format!("accessors[{joints}]: holds floats where unsigned integers is expected");
    assert_eq!(model.refusal(), expected);
}

#[test]
fn a_joint_that_is_not_there_is_a_defect_also_without_weight() {
    let joints = [0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0];
    let asset = Model::weighted(joints, &WHOLE).read();
    assert_eq!(influences(&asset, 0), [[(0, 1.0)]; 3]);
    assert_eq!(messages(&asset), [] as [&str; 0]);
    let expected = "JointIndexOutOfRange mesh \"triangle\" vertex 1, skin (unnamed): names joint 2, without weight, but the skin has 2 (x1)";
    assert_eq!(reported(&asset.evidence), [expected]);
}

#[test]
fn weights_follow_their_vertices_if_some_are_skipped() {
    let weights = [
        0.1, 0.0, 0.0, 0.0, 0.2, 0.0, 0.0, 0.0, 0.3, 0.0, 0.0, 0.0, 0.4, 0.0, 0.0, 0.0,
    ];
    let mut model = Model::weighted([0; 12], &weights);
    let corners = [9.0, 9.0, 9.0, 1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 3.0, 0.0, 0.0];
    let corners = model.floats("VEC3", &corners);
    model.attribute("POSITION", corners);
    let joints = model.accessor(&[0; 16], U8, "VEC4", 4);
    model.attribute("JOINTS_0", joints);
    model.set_indices(&[3, 1, 2]);
    let asset = model.read();
    let mesh = &asset.meshes[0];
    let x: Vec<f32> = mesh.positions.iter().map(|position| position.x).collect();
    assert_eq!(x, [1.0, 2.0, 3.0]);
    assert_eq!(mesh.triangles, [[2, 0, 1]]);
    assert_eq!(influences(&asset, 0), [[(0, 0.2)], [(0, 0.3)], [(0, 0.4)]]);
}

/// The defect of a set of weights of the only mesh.
fn mismatch(message: &str) -> String {
    format!("WeightSetMismatch mesh \"triangle\", meshes[0].primitives[0]: {message} (x1)")
}

#[test]
fn a_set_that_is_half_there_or_does_not_fit_the_vertices_is_skipped() {
    type Change = fn(&mut Model);
    let changes: [(&str, Change); 3] = [
        ("JOINTS_1 comes without WEIGHTS_1", |model| {
            model.attribute("JOINTS_1", 0);
        }),
        ("WEIGHTS_1 comes without JOINTS_1", |model| {
            model.attribute("WEIGHTS_1", 0);
        }),
        ("JOINTS_1 has 4 elements for 3 vertices", |model| {
            let joints = model.accessor(&[0; 16], U8, "VEC4", 4);
            model.attribute("JOINTS_1", joints);
            let weights = model.floats("VEC4", &[0.0; 12]);
            model.attribute("WEIGHTS_1", weights);
        }),
    ];
    for (message, change) in changes {
        let mut model = Model::weighted([0; 12], &WHOLE);
        change(&mut model);
        let asset = model.read();
        assert_eq!(influences(&asset, 0), [[(0, 1.0)]; 3]);
        assert_eq!(reported(&asset.evidence), [mismatch(message)]);
    }
}

#[test]
fn a_mesh_whose_only_set_is_broken_still_counts_as_having_one() {
    let mut model = Model::weighted([0; 12], &[1.0; 12]);
    let attributes = model.primitive()["attributes"].as_object_mut().unwrap();
    attributes.remove("JOINTS_0");
    let asset = model.read();
    assert!(asset.meshes[0].influences.is_empty());
    let expected = mismatch("WEIGHTS_0 comes without JOINTS_0");
    assert_eq!(reported(&asset.evidence), [expected]);
}

#[test]
fn of_several_sets_the_coarsest_storage_counts() {
    let mut model = Model::weighted([0; 12], &WHOLE);
    let storage = |model: &Model| model.read().meshes[0].weight_storage;
    assert_eq!(storage(&model), WeightStorage::Float);
    let joints = model.accessor(&[0; 12], U8, "VEC4", 3);
    model.attribute("JOINTS_1", joints);
    let weights = model.accessor(&[0; 12], U8, "VEC4", 3);
    model.normalize(weights);
    model.attribute("WEIGHTS_1", weights);
    assert_eq!(storage(&model), WeightStorage::Unorm8);
}
