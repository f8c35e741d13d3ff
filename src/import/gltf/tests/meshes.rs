//! Vertices, triangles, morph targets, and where they are shown.

use glam::{Vec2, Vec3, Vec4};
use serde_json::json;

use crate::import::gltf::testing::{I8, I16, Model, U8, U16};
use crate::import::testing::messages;

/// Four corners of a square in the order of a strip, as the only primitive.
fn square(mode: u32) -> Model {
    let mut model = Model::triangle(&json!([{"mesh": 0}]));
    let corners = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0];
    let corners = model.floats("VEC3", &corners);
    model.attribute("POSITION", corners);
    model.primitive()["mode"] = mode.into();
    model
}

#[test]
fn strips_and_fans_are_triangles_that_look_the_same_way() {
    for mode in [5, 6] {
        let mut model = square(mode);
        if mode == 6 {
            model.set_indices(&[0, 1, 3, 2]);
        }
        let asset = model.read();
        let mesh = &asset.meshes[0];
        let area = |corners: &[u32; 3]| {
            let [a, b, c] = corners.map(|corner| mesh.positions[corner as usize]);
            (b - a).cross(c - a).z / 2.0
        };
        let areas: Vec<f32> = mesh.triangles.iter().map(area).collect();
        assert_eq!(areas, [0.5, 0.5], "mode {mode}");
    }
}

#[test]
fn points_and_lines_are_skipped_with_a_note() {
    for mode in 0..4 {
        let asset = square(mode).read();
        assert!(asset.meshes.is_empty() && asset.instances.is_empty());
        assert_eq!(asset.notes[0].location, "meshes[0].primitives[0]");
        assert!(asset.notes[0].message.contains("points or lines"));
    }
    let unknown = "meshes[0].primitives[0]: its mode is unknown";
    assert_eq!(square(7).refusal(), unknown);
}

#[test]
fn a_primitive_without_positions_is_skipped_and_the_others_stay() {
    let mut model = square(5);
    let primitive = model.primitive().clone();
    model.json["meshes"][0]["primitives"] = json!([{"attributes": {}}, primitive]);
    let asset = model.read();
    assert_eq!(asset.meshes.len(), 1);
    assert_eq!(asset.notes[0].location, "meshes[0].primitives[0]");
    assert_eq!(messages(&asset), ["skipped: it has no positions"]);
}

#[test]
fn triangles_of_missing_vertices_are_skipped_unless_all_are() {
    let mut model = square(4);
    model.set_indices(&[0, 1, 2, 1, 3, 9]);
    let asset = model.read();
    assert_eq!(asset.meshes[0].triangles, [[0, 1, 2]]);
    let note = "skipped 1 triangle with vertices that do not exist";
    assert_eq!(messages(&asset), [note]);
    model.set_indices(&[0, 1, 9]);
    let refusal = "meshes[0].primitives[0]: an index names vertex 9, but there are 4 vertices";
    assert_eq!(model.refusal(), refusal);
}

#[test]
fn primitives_of_one_mesh_are_distinguished_by_number_and_share_one_node() {
    let mut model = Model::triangle(&json!([{"mesh": 0}, {"mesh": 1}]));
    let primitive = model.primitive().clone();
    let points = json!({"attributes": {"POSITION": 0}, "mode": 0});
    model.json["meshes"] = json!([
        {"name": "body", "primitives": [primitive, points, primitive]},
        {"primitives": [primitive]},
    ]);
    let asset = model.read();
    let names: Vec<_> = asset.meshes.iter().map(|mesh| mesh.name.as_str()).collect();
    assert_eq!(names, ["body-0", "body-2", ""]);
    let instances = asset.instances.iter();
    let joints: Vec<u32> = instances.map(|instance| instance.node.0).collect();
    assert_eq!(joints, [0, 0, 1]);
}

#[test]
fn a_mesh_outside_of_the_scene_is_read_and_not_shown() {
    let mut model = Model::triangle(&json!([{"mesh": 0}, {"mesh": 0}]));
    model.json["scenes"] = json!([{"nodes": [1]}]);
    let asset = model.read();
    assert_eq!((asset.meshes.len(), asset.instances.len()), (1, 1));
    let note = "not shown: the meshes of 1 node outside the scene";
    assert_eq!(messages(&asset), [note]);
}

#[test]
fn a_node_in_two_scenes_is_one_joint() {
    let mut model = Model::triangle(&json!([{"mesh": 0}]));
    model.json["scenes"] = json!([{"nodes": [0]}, {"nodes": [0]}]);
    let asset = model.read();
    assert_eq!((asset.skeleton.len(), asset.instances.len()), (1, 1));
}

#[test]
fn quantized_positions_are_the_numbers_they_stand_for() {
    let shorts = [9_u16, 65535, 0].map(u16::to_le_bytes).concat();
    let signed = [-32768_i16, 32767, 0].map(i16::to_le_bytes).concat();
    for (component, normalized, point, expected) in [
        (I8, false, vec![0x81, 2, 0x7F], [-127.0, 2.0, 127.0]),
        (I8, true, vec![0x80, 0, 0x7F], [-1.0, 0.0, 1.0]),
        (U16, false, shorts, [9.0, 65535.0, 0.0]),
        (I16, true, signed, [-1.0, 1.0, 0.0]),
    ] {
        let mut model = Model::triangle(&json!([{"mesh": 0}]));
        model.json["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
        let stride = point.len().next_multiple_of(4);
        let mut padded = point;
        padded.resize(stride, 0xEE);
        let corners = model.accessor(&padded.repeat(3), component, "VEC3", 3);
        model.json["accessors"][corners]["normalized"] = normalized.into();
        model.set_stride(corners, stride);
        model.attribute("POSITION", corners);
        let mesh = &model.read().meshes[0];
        assert_eq!(mesh.positions, [Vec3::from(expected); 3]);
        assert!(mesh.quantized);
    }
}

#[test]
fn missing_normals_stay_missing_and_then_tangents_do_not_count() {
    let mut model = Model::triangle(&json!([{"mesh": 0}]));
    let tangents = model.floats("VEC4", &[1.0, 0.0, 0.0, -1.0].repeat(3));
    model.attribute("TANGENT", tangents);
    let mesh = model.read().meshes.remove(0);
    assert!(mesh.normals.is_empty() && mesh.tangents.is_empty() && mesh.bitangents.is_empty());
    let normals = model.floats("VEC3", &[0.0, 0.0, 1.0].repeat(3));
    model.attribute("NORMAL", normals);
    let mesh = model.read().meshes.remove(0);
    let frame = [mesh.normals[0], mesh.tangents[0], mesh.bitangents[0]];
    assert_eq!(frame, [Vec3::Z, Vec3::X, -Vec3::Y]);
}

#[test]
fn several_sets_of_texture_coordinates_and_colours_keep_their_numbers() {
    let mut model = Model::triangle(&json!([{"mesh": 0}]));
    let first = model.floats("VEC2", &[0.25, 0.75].repeat(3));
    let bytes = model.accessor(&[0, 255, 0, 0].repeat(3), U8, "VEC2", 3);
    model.normalize(bytes);
    model.set_stride(bytes, 4);
    model.attribute("TEXCOORD_0", first);
    model.attribute("TEXCOORD_2", bytes);
    let opaque = model.floats("VEC3", &[0.5, 0.25, 0.125].repeat(3));
    let clear = model.floats("VEC4", &[0.5, 0.25, 0.125, 0.0].repeat(3));
    model.attribute("COLOR_0", opaque);
    model.attribute("COLOR_1", clear);
    let mesh = model.read().meshes.remove(0);
    let first = vec![Vec2::new(0.25, 0.75); 3];
    assert_eq!(mesh.uv_sets, [first, vec![], vec![Vec2::Y; 3]]);
    let color = Vec4::new(0.5, 0.25, 0.125, 1.0);
    assert_eq!(mesh.color_sets, [[color; 3], [color.with_w(0.0); 3]]);
}

#[test]
fn attributes_of_another_length_are_an_error_with_their_location() {
    let mut model = square(4);
    let normals = model.floats("VEC3", &[0.0; 9]);
    model.attribute("NORMAL", normals);
    let expected = "meshes[0].primitives[0]: attributes.NORMAL has 3 elements for 4 vertices";
    assert_eq!(model.refusal(), expected);
    let mut model = square(4);
    model.primitive()["targets"] = json!([{"POSITION": normals}]);
    model.floats("VEC3", &[0.0; 9]);
    let expected = "meshes[0].primitives[0]: targets[0].POSITION has 3 elements for 4 vertices";
    assert_eq!(model.refusal(), expected);
}

#[test]
fn missing_data_is_named_with_its_location() {
    let changes: [fn(&mut Model); 8] = [
        |model| model.json["accessors"][1]["bufferView"] = 7.into(),
        |model| model.attribute("NORMAL", 9),
        |model| model.primitive()["indices"] = 9.into(),
        |model| model.primitive()["material"] = 0.into(),
        |model| model.json["nodes"][0]["mesh"] = 1.into(),
        |model| model.json["nodes"][0]["skin"] = 0.into(),
        |model| model.json["bufferViews"][1]["byteLength"] = 47.into(),
        |model| model.json["bufferViews"][1]["byteLength"] = 99.into(),
    ];
    let refusals = changes.map(|change| {
        let mut model = square(5);
        change(&mut model);
        model.refusal()
    });
    insta::assert_snapshot!(refusals.join("\n"), @r"
    accessors[1]: bufferView 7 is missing; there are 2
    meshes[0].primitives[0].attributes.NORMAL: accessor 9 is missing; there are 2
    meshes[0].primitives[0].indices: accessor 9 is missing; there are 2
    meshes[0].primitives[0]: material 0 is missing; there are 0
    nodes[0]: mesh 1 is missing; there are 1
    nodes[0]: skin 0 is missing; there are 0
    accessors[1]: needs 48 bytes of bufferViews[1], which has 47
    accessors[1]: needs 135 bytes of buffers[0], which has 84
    ");
}

#[test]
fn primitives_that_share_one_list_of_vertices_keep_their_own() {
    let mut model = square(4);
    let mut primitives = Vec::new();
    for corners in [[0, 1, 2], [1, 3, 2]] {
        let indices = model.accessor(&corners, U8, "SCALAR", 3);
        primitives.push(json!({"attributes": {"POSITION": 1}, "indices": indices}));
    }
    model.json["meshes"][0]["primitives"] = primitives.into();
    let asset = model.read();
    let corners = [Vec3::X, Vec3::Y, Vec3::new(1.0, 1.0, 0.0)];
    assert_eq!(asset.meshes[1].positions, corners);
    assert_eq!(asset.meshes[1].triangles, [[0, 2, 1]]);
}
