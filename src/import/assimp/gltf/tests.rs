use glam::{Mat4, Vec3};
use serde_json::{Value, json};

use super::super::Assimp;
use super::accessors::F32;
use crate::import::{Importer, ImporterError};
use crate::rig::{Asset, JointId, Span};

/// A document that is put together piece by piece.
struct Model {
    json: Value,
    bytes: Vec<u8>,
}

impl Model {
    /// A triangle at mesh 0, whose attributes are `attributes` beside the positions, in a scene of `nodes`.
    fn triangle(nodes: &Value, scene: &Value) -> Self {
        let mut model = Self {
            json: json!({
                "asset": {"version": "2.0"},
                "scenes": [{"nodes": scene}], "scene": 0, "nodes": nodes,
                "meshes": [{"name": "triangle", "primitives": [{"attributes": {}}]}],
                "accessors": [], "bufferViews": [], "buffers": [],
            }),
            bytes: Vec::new(),
        };
        let corners = model.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        model.attribute("POSITION", corners);
        model
    }

    fn floats(&mut self, kind: &str, numbers: &[f32]) -> usize {
        let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
        let width = match kind {
            "SCALAR" => 1,
            "VEC3" => 3,
            "MAT4" => 16,
            _ => 4,
        };
        self.accessor(&bytes, F32, kind, numbers.len() / width)
    }

    fn accessor(&mut self, bytes: &[u8], component: u32, kind: &str, count: usize) -> usize {
        let view = json!({"buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len()});
        self.bytes.extend(bytes);
        let views = self.json["bufferViews"].as_array_mut().unwrap();
        views.push(view);
        let view = views.len() - 1;
        let accessors = self.json["accessors"].as_array_mut().unwrap();
        let integer = component != F32 && kind == "VEC4" && bytes.contains(&255);
        accessors.push(json!({
            "bufferView": view, "componentType": component, "normalized": integer,
            "count": count, "type": kind,
        }));
        accessors.len() - 1
    }

    fn attribute(&mut self, name: &str, accessor: usize) {
        self.json["meshes"][0]["primitives"][0]["attributes"][name] = accessor.into();
    }

    /// Each corner hangs on slot 0, or on the slots of `slots`, with weight 255/255.
    fn weights(&mut self, slots: [u8; 3]) {
        let joints: Vec<u8> = slots.iter().flat_map(|&slot| [slot, 0, 0, 0]).collect();
        let joints = self.accessor(&joints, 5121, "VEC4", 3);
        let weights = self.accessor(&[255, 0, 0, 0].repeat(3), 5121, "VEC4", 3);
        self.attribute("JOINTS_0", joints);
        self.attribute("WEIGHTS_0", weights);
    }

    fn import(mut self) -> Result<Asset, ImporterError> {
        let uri = super::buffers::data_uri(&self.bytes);
        self.json["buffers"] = json!([{"uri": uri, "byteLength": self.bytes.len()}]);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.gltf");
        std::fs::write(&path, self.json.to_string()).unwrap();
        let asset = Assimp.import(&path)?;
        asset.validate().unwrap();
        Ok(asset)
    }
}

fn joint(asset: &Asset, id: JointId) -> (&str, Option<JointId>) {
    let joint = asset.skeleton.get(id).unwrap();
    (&joint.name, joint.parent)
}

#[test]
fn joints_without_a_name_or_with_the_same_are_told_apart() {
    let nodes = json!([
        {"mesh": 0, "skin": 0, "name": "body"},
        {"children": [2]}, {},
        {"mesh": 0, "skin": 1, "name": "body"},
        {"name": "arm", "children": [5]}, {"name": "arm"},
    ]);
    let mut model = Model::triangle(&nodes, &json!([0, 1, 3, 4]));
    model.weights([0, 1, 1]);
    model.json["skins"] = json!([{"joints": [1, 2], "name": "left"}, {"joints": [4, 5]}]);
    let asset = model.import().unwrap();
    assert_eq!((asset.meshes.len(), asset.instances.len()), (2, 2));
    let skins: Vec<_> = asset
        .instances
        .iter()
        .map(|i| asset.skin_of(i).unwrap())
        .collect();
    assert_eq!(skins[0].name, "left");
    let [parent, child] = skins[0].joints[..] else {
        panic!()
    };
    assert_eq!(joint(&asset, child), ("", Some(parent)));
    let [parent, child] = skins[1].joints[..] else {
        panic!()
    };
    assert_eq!(joint(&asset, child), ("arm", Some(parent)));
}

#[test]
fn a_skin_without_matrices_is_bound_by_identities() {
    let nodes = json!([{"mesh": 0, "skin": 0}, {"name": "joint"}]);
    let mut model = Model::triangle(&nodes, &json!([0, 1]));
    model.weights([0; 3]);
    model.json["skins"] = json!([{"joints": [1]}]);
    let asset = model.import().unwrap();
    assert_eq!(asset.skins[0].inverse_bind_matrices, [Mat4::IDENTITY]);
}

#[test]
fn integer_weights_are_fractions() {
    let nodes = json!([{"mesh": 0, "skin": 0}, {}, {}]);
    let mut model = Model::triangle(&nodes, &json!([0, 1, 2]));
    model.weights([0, 1, 0]);
    model.json["skins"] = json!([{"joints": [1, 2]}]);
    let asset = model.import().unwrap();
    let influences = asset.meshes[0].influences.iter();
    let pairs: Vec<_> = influences.flatten().map(|i| (i.slot, i.weight)).collect();
    assert_eq!(pairs, [(0, 1.0), (1, 1.0), (0, 1.0)]);
}

#[test]
fn too_few_inverse_bind_matrices_are_an_error_and_no_crash() {
    let nodes = json!([{"mesh": 0, "skin": 0}, {}, {}]);
    let mut model = Model::triangle(&nodes, &json!([0, 1, 2]));
    model.weights([0, 1, 0]);
    let matrices = model.floats("MAT4", &Mat4::IDENTITY.to_cols_array());
    model.json["skins"] = json!([{"joints": [1, 2], "inverseBindMatrices": matrices}]);
    let error = model.import().unwrap_err().to_string();
    assert_eq!(
        error,
        "glTF: skin 0 has 1 inverse bind matrices for 2 joints"
    );
}

#[test]
fn morph_targets_are_offsets_and_a_node_sets_their_weights() {
    let nodes = json!([{"mesh": 0, "weights": [0.5]}, {"mesh": 0}]);
    let mut model = Model::triangle(&nodes, &json!([0, 1]));
    let up = model.floats("VEC3", &[0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0]);
    model.json["meshes"][0]["primitives"][0]["targets"] = json!([{"POSITION": up}]);
    model.json["meshes"][0]["weights"] = json!([0.25]);
    let asset = model.import().unwrap();
    let target = &asset.meshes[0].morph_targets[0];
    assert_eq!(target.positions, [Vec3::Z, 2.0 * Vec3::Z, Vec3::ZERO]);
    let weights: Vec<_> = asset
        .instances
        .iter()
        .map(|i| i.morph_weights.clone())
        .collect();
    assert_eq!(weights, [[0.5], [0.25]]);
}

#[test]
fn steps_and_splines_stay_what_they_are() {
    let mut model = Model::triangle(&json!([{"mesh": 0}]), &json!([0]));
    let times = model.floats("SCALAR", &[0.1, 0.7]);
    let steps = model.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    let spline: Vec<f32> = (0_u8..18).map(f32::from).collect();
    let spline = model.floats("VEC3", &spline);
    model.json["animations"] = json!([{
        "channels": [
            {"sampler": 0, "target": {"node": 0, "path": "translation"}},
            {"sampler": 1, "target": {"node": 0, "path": "scale"}},
        ],
        "samplers": [
            {"input": times, "output": steps, "interpolation": "STEP"},
            {"input": times, "output": spline, "interpolation": "CUBICSPLINE"},
        ],
    }]);
    let asset = model.import().unwrap();
    let clip = &asset.clips[0];
    assert_eq!(clip.name, "animation_0");
    assert_eq!(clip.end.0.to_bits(), f64::from(0.7_f32).to_bits());
    let channel = &clip.channels[0];
    assert_eq!(channel.rotation, None);
    assert_eq!(
        channel.translation.as_ref().unwrap().keys[0].span,
        Span::Step
    );
    let key = &channel.scale.as_ref().unwrap().keys[0];
    let (leave, arrive) = (Vec3::new(6.0, 7.0, 8.0), Vec3::new(9.0, 10.0, 11.0));
    assert_eq!(key.value, Vec3::new(3.0, 4.0, 5.0));
    assert_eq!(key.span, Span::Cubic { leave, arrive });
}

#[test]
fn negative_morph_weights_are_kept() {
    let mut model = Model::triangle(&json!([{"mesh": 0}]), &json!([0]));
    let offsets = model.floats("VEC3", &[1.0; 9]);
    let target = json!({"POSITION": offsets});
    model.json["meshes"][0]["primitives"][0]["targets"] = json!([target, target]);
    let times = model.floats("SCALAR", &[0.0, 1.0]);
    let weights = model.floats("SCALAR", &[-0.5, 0.0, 1.0, 2.0]);
    model.json["animations"] = json!([{
        "channels": [{"sampler": 0, "target": {"node": 0, "path": "weights"}}],
        "samplers": [{"input": times, "output": weights}],
    }]);
    let asset = model.import().unwrap();
    let keys = &asset.clips[0].morph_channels[0].weights.keys;
    assert_eq!(keys[0].value, [-0.5, 0.0]);
    assert_eq!(keys[1].value, [1.0, 2.0]);
}

#[test]
fn a_channel_that_makes_no_sense_is_left_out_with_a_note() {
    let mut model = Model::triangle(&json!([{"mesh": 0}]), &json!([0]));
    let times = model.floats("SCALAR", &[0.0, 1.0]);
    model.json["animations"] = json!([{
        "channels": [
            {"sampler": 0, "target": {"node": 0, "path": "rotation"}},
            {"sampler": 7, "target": {"node": 0, "path": "scale"}},
        ],
        "samplers": [{"input": times, "output": times}],
    }]);
    let asset = model.import().unwrap();
    assert!(asset.clips[0].channels.is_empty());
    assert_eq!(asset.notes.len(), 2, "{:?}", asset.notes);
}

/// A model whose three corners have these joints and weights, four each, in a skin of two joints.
fn weighted(joints: [u8; 12], weights: &[f32]) -> Model {
    let nodes = json!([{"mesh": 0, "skin": 0}, {"name": "a"}, {"name": "b"}]);
    let mut model = Model::triangle(&nodes, &json!([0, 1, 2]));
    model.json["skins"] = json!([{"joints": [1, 2]}]);
    let joints = model.accessor(&joints, 5121, "VEC4", 3);
    model.attribute("JOINTS_0", joints);
    let weights = model.floats("VEC4", weights);
    model.attribute("WEIGHTS_0", weights);
    model
}

fn pairs(asset: &Asset) -> Vec<Vec<(u32, f32)>> {
    let lists = asset.meshes[0].influences.iter();
    lists
        .map(|list| list.iter().map(|i| (i.slot, i.weight)).collect())
        .collect()
}

#[test]
fn weights_are_those_of_the_file_whatever_they_are() {
    let joints = [1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0];
    let weights = [
        1.5,
        -0.5,
        0.0,
        0.0,
        f32::NAN,
        0.0,
        0.0,
        0.0,
        0.25,
        0.25,
        0.5,
        0.0,
    ];
    let asset = weighted(joints, &weights).import().unwrap();
    let lists = pairs(&asset);
    assert_eq!(lists[0], [(1, 1.5), (0, -0.5)]);
    assert!(lists[1][0].1.is_nan(), "{lists:?}");
    assert_eq!(lists[2], [(1, 0.25), (1, 0.25), (0, 0.5)]);
    assert!(asset.notes.is_empty(), "{:?}", asset.notes);
}

#[test]
fn a_weight_of_a_joint_that_is_not_there_is_left_out_with_a_note() {
    let joints = [0, 9, 9, 0, 0, 0, 0, 0, 7, 0, 0, 0];
    let weights = [0.5, 0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    let asset = weighted(joints, &weights).import().unwrap();
    assert_eq!(pairs(&asset), [vec![(0, 0.5)], vec![(0, 1.0)], vec![]]);
    let messages: Vec<_> = asset.notes.iter().map(|n| n.message.as_str()).collect();
    let message = "left out 2 weights of joints that its skin does not have";
    assert_eq!(messages, [message]);
}

#[test]
fn weights_follow_their_vertices_through_an_index_buffer() {
    let joints = [0; 12];
    let weights = [0.1, 0.0, 0.0, 0.0, 0.2, 0.0, 0.0, 0.0, 0.3, 0.0, 0.0, 0.0];
    let mut model = weighted(joints, &weights);
    let indices = model.accessor(&[2, 0, 1], 5121, "SCALAR", 3);
    model.json["meshes"][0]["primitives"][0]["indices"] = indices.into();
    let asset = model.import().unwrap();
    let found: Vec<_> = asset.meshes[0]
        .influences
        .all()
        .iter()
        .map(|i| i.weight)
        .collect();
    let positions = &asset.meshes[0].positions;
    let expected = positions.iter().map(|&position| match position {
        Vec3::X => 0.2,
        Vec3::Y => 0.3,
        _ => 0.1,
    });
    assert_eq!(found, expected.collect::<Vec<f32>>());
    assert_eq!(positions[0], Vec3::Y);
}

#[test]
fn weights_that_do_not_fit_the_vertices_leave_a_note() {
    let mut model = weighted([0; 12], &[1.0; 12]);
    let joints = model.accessor(&[0; 16], 5121, "VEC4", 4);
    model.attribute("JOINTS_0", joints);
    let asset = model.import().unwrap();
    let noted = asset
        .notes
        .iter()
        .any(|note| note.message.contains("assimp read"));
    assert!(noted, "{:?}", asset.notes);
}

#[test]
fn a_required_extension_that_is_not_read_is_refused_by_name() {
    for name in ["EXT_meshopt_compression", "KHR_draco_mesh_compression"] {
        let mut model = Model::triangle(&json!([{"mesh": 0}]), &json!([0]));
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
fn a_required_extension_of_surfaces_is_ignored() {
    let mut model = Model::triangle(&json!([{"mesh": 0}]), &json!([0]));
    model.json["extensionsRequired"] = json!(["KHR_materials_unlit", "KHR_texture_transform"]);
    let asset = model.import().unwrap();
    let messages: Vec<_> = asset.notes.iter().map(|n| n.message.as_str()).collect();
    assert!(
        messages[0].starts_with("KHR_texture_transform is ignored"),
        "{messages:?}"
    );
}
