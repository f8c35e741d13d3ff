//! Vertices, triangles, morph targets, where they are shown, materials and images.

use glam::{Vec2, Vec3, Vec4};
use serde_json::{Value, json};

use crate::gltf::buffers;
use crate::gltf::testing::{I8, I16, Model, U8, U16};
use crate::rig::{AlphaMode, Finish, ImageData, ImageId, LocalTransform, TextureWrap};
use crate::testing::messages;

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
    let note = "not shown: the meshes of 1 node outside the scene or hidden";
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

#[test]
fn a_hidden_node_hides_all_below_it() {
    let nodes = json!([{"children": [1], "extensions": {"KHR_node_visibility": {"visible": false}}}, {"mesh": 0}, {"mesh": 0}]);
    let mut model = Model::triangle(&nodes);
    model.json["extensionsRequired"] = json!(["KHR_node_visibility"]);
    let asset = model.read();
    let shown: Vec<usize> = asset.instances.iter().map(|i| i.node.index()).collect();
    assert_eq!(shown, [2]);
    let note = "not shown: the meshes of 1 node outside the scene or hidden";
    assert_eq!(messages(&asset), [note]);
}

#[test]
fn copies_of_a_mesh_are_shown_below_their_node() {
    let copied = |scales: &[f32]| {
        let mut model = Model::triangle(&json!([{"name": "Tree", "mesh": 0}]));
        let places = model.floats("VEC3", &[1.0, 0.0, 0.0, 0.0, 2.0, 0.0]);
        let scales = model.floats("VEC3", scales);
        let attributes = json!({"TRANSLATION": places, "SCALE": scales});
        model.json["nodes"][0]["extensions"] =
            json!({"EXT_mesh_gpu_instancing": {"attributes": attributes}});
        model.json["extensionsRequired"] = json!(["EXT_mesh_gpu_instancing"]);
        model
    };
    let asset = copied(&[1.0, 1.0, 1.0, 3.0, 3.0, 3.0]).read();
    let shown: Vec<usize> = asset.instances.iter().map(|i| i.node.index()).collect();
    assert_eq!(shown, [1, 2]);
    let nodes = asset.skeleton.nodes();
    assert_eq!(nodes[2].name, "Tree (copy 2)");
    let LocalTransform::Trs(place) = nodes[2].rest else {
        panic!("it is a matrix");
    };
    assert_eq!(
        (place.translation, place.scale),
        (Vec3::Y * 2.0, Vec3::splat(3.0))
    );
    let mut endless = copied(&[1.0, 1.0, 1.0, 3.0, 3.0, 3.0]);
    for accessor in [1, 2] {
        endless.json["accessors"][accessor] =
            json!({"componentType": 5126, "count": 1_u64 << 60, "type": "VEC3"});
    }
    let refusal = endless.refusal();
    assert!(
        refusal.ends_with("more than its size can justify"),
        "{refusal}"
    );
    let refusal = copied(&[1.0, 1.0, 1.0]).refusal();
    let reason = "its attributes have 2 and 1 elements";
    let place = "nodes[0].extensions.EXT_mesh_gpu_instancing";
    assert_eq!(refusal, format!("{place}: {reason}"));
}

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

fn painted(material: &Value) -> Model {
    let mut model = Model::triangle(&json!([{"mesh": 0}]));
    let uvs = model.floats("VEC2", &[0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    model.attribute("TEXCOORD_0", uvs);
    model.primitive()["material"] = 0.into();
    model.json["materials"] = json!([material]);
    model.json["textures"] = json!([{"source": 0}, {"source": 1, "sampler": 0}, {}]);
    model.json["samplers"] = json!([{"wrapS": 33071, "wrapT": 33648}]);
    model.json["images"] = json!([{"uri": "a%20b.png"}, {"uri": "data:,PNG%3F", "name": "inside"}]);
    model
}

fn with_texture(texture: &Value) -> Model {
    painted(&json!({"pbrMetallicRoughness": {"baseColorTexture": texture}}))
}

#[test]
fn colour_alpha_and_sides_are_those_of_the_file() {
    let asset = painted(&json!({
        "name": "glass", "doubleSided": true, "alphaMode": "MASK", "alphaCutoff": 0.25,
        "pbrMetallicRoughness": {"baseColorFactor": [0.5, 0.25, 1, 0.75]},
        "extensions": {"KHR_materials_unlit": {}},
    }))
    .read();
    let material = &asset.materials[0];
    assert_eq!((&*material.name, material.two_sided), ("glass", true));
    assert_eq!(material.base_color, Vec4::new(0.5, 0.25, 1.0, 0.75));
    assert_eq!(material.alpha, AlphaMode::Mask(0.25));
    assert_eq!(material.base_color_texture, None);
    let alpha = |mode: &str| painted(&json!({"alphaMode": mode})).read().materials[0].alpha;
    assert_eq!(
        ["MASK", "BLEND"].map(alpha),
        [AlphaMode::Mask(0.5), AlphaMode::Blend]
    );
    assert_eq!(["OPAQUE", "ODD"].map(alpha), [AlphaMode::Opaque; 2]);
}

#[test]
fn the_older_model_of_surfaces_has_a_base_colour_too() {
    let older = json!({"diffuseFactor": [0.5, 0.5, 0.5, 1.0], "diffuseTexture": {"index": 1}});
    let extensions = json!({"KHR_materials_pbrSpecularGlossiness": older});
    let asset = painted(&json!({"extensions": extensions})).read();
    assert_eq!(asset.materials[0].base_color, Vec4::new(0.5, 0.5, 0.5, 1.0));
    assert_eq!(asset.images[0].name, "inside");
}

#[test]
fn roughness_metal_and_bumps_are_those_of_the_file_and_stay_open_where_it_is_silent() {
    let finish = |material: &Value| painted(material).read().materials[0].finish;
    let silent = json!({"pbrMetallicRoughness": {"baseColorFactor": [1, 1, 1, 1]}});
    assert_eq!(finish(&silent), Finish::default());
    let stated = |reflection: Value| {
        let finish = finish(&json!({"pbrMetallicRoughness": reflection}));
        let own = finish.reflection.unwrap();
        [own.roughness, own.metallic].map(f32::to_bits)
    };
    let bits = |numbers: [f32; 2]| numbers.map(f32::to_bits);
    assert_eq!(stated(json!({"roughnessFactor": 0.25})), bits([0.25, 1.0]));
    assert_eq!(stated(json!({"metallicFactor": 0})), bits([1.0, 0.0]));
    let base = json!({"index": 1, "texCoord": 1});
    let other = json!({"index": 0, "texCoord": 1, "scale": 0.5});
    let both = finish(&json!({
        "pbrMetallicRoughness": {"baseColorTexture": base, "metallicRoughnessTexture": other},
        "normalTexture": other,
    }));
    let [bumps, reflection] = [
        both.bumps.unwrap().texture,
        both.reflection.unwrap().texture.unwrap(),
    ];
    assert_eq!(both.bumps.unwrap().scale.to_bits(), 0.5_f32.to_bits());
    assert_eq!(bumps, reflection);
    assert_eq!((bumps.image, bumps.uv_set), (ImageId(1), 1));
}

#[test]
fn a_normal_map_that_lies_otherwise_than_the_base_colour_is_left_out() {
    let moved = json!({"index": 0, "extensions": {"KHR_texture_transform": {"offset": [1, 0]}}});
    for (base, normals, is_read) in [
        (json!({"index": 1}), json!({"index": 0}), true),
        (
            json!({"index": 1}),
            json!({"index": 0, "texCoord": 1}),
            false,
        ),
        (json!({"index": 1}), moved.clone(), false),
        (json!({"index": 1}), json!({"index": 77}), false),
        (moved.clone(), moved, true),
    ] {
        let base = json!({"baseColorTexture": base});
        let material = json!({"pbrMetallicRoughness": base, "normalTexture": normals});
        let asset = painted(&material).read();
        let read = &asset.materials[0];
        assert_eq!(read.finish.bumps.is_some(), is_read, "{material}");
        let sets: Vec<u32> = read.textures().map(|texture| texture.uv_set).collect();
        assert!(sets.iter().all(|set| *set == sets[0]), "{sets:?}");
    }
}

#[test]
fn a_texture_has_its_image_and_its_wrapping() {
    let asset = with_texture(&json!({"index": 1})).read();
    let texture = asset.materials[0].base_color_texture.unwrap();
    assert_eq!((texture.image, texture.uv_set), (ImageId(0), 0));
    let wrapping = (texture.wrap_u, texture.wrap_v);
    assert_eq!(wrapping, (TextureWrap::Clamp, TextureWrap::Mirror));
    assert_eq!(asset.images.len(), 1);
    assert_eq!(asset.images[0].data, ImageData::Encoded(b"PNG?".to_vec()));
    let asset = with_texture(&json!({"index": 0, "texCoord": 3})).read();
    let texture = asset.materials[0].base_color_texture.unwrap();
    assert_eq!((texture.uv_set, texture.wrap_u), (3, TextureWrap::Repeat));
    assert_eq!(asset.images[0].name, "a b.png");
    assert_eq!(asset.images[0].data, ImageData::File("a b.png".into()));
}

#[test]
fn an_image_in_a_buffer_is_kept_and_an_absent_one_is_missing() {
    let mut model = with_texture(&json!({"index": 0}));
    let view = model.view(b"JPEG");
    model.json["images"][0] = json!({"bufferView": view, "mimeType": "image/jpeg"});
    let jpeg = ImageData::Encoded(b"JPEG".to_vec());
    assert_eq!(model.read().images[0].data, jpeg);
    for odd in [
        json!({}),
        json!({"bufferView": 99}),
        json!({"uri": "data:;base64,?"}),
    ] {
        model.json["images"][0] = odd;
        assert!(matches!(model.read().images[0].data, ImageData::Missing(_)));
    }
}

#[test]
fn a_texture_without_a_image_is_none_with_a_note() {
    let asset = with_texture(&json!({"index": 2})).read();
    assert_eq!(asset.materials[0].base_color_texture, None);
    let note = "skipped: it has no `source`, and so no image";
    assert_eq!(messages(&asset), [note]);
}

#[test]
fn the_image_of_an_extension_is_preferred_to_that_for_programs_without_it() {
    for extension in ["EXT_texture_webp", "KHR_texture_basisu"] {
        let mut model = with_texture(&json!({"index": 2}));
        model.json["extensionsRequired"] = json!([extension]);
        model.json["textures"][2] = json!({"source": 0, "extensions": {extension: {"source": 1}}});
        assert_eq!(model.read().images[0].name, "inside", "{extension}");
    }
}

#[test]
fn references_that_lead_nowhere_are_errors_with_their_location() {
    let error = with_texture(&json!({"index": 5})).refusal();
    assert_eq!(error, "materials[0]: texture 5 is missing; there are 3");
    let mut model = with_texture(&json!({"index": 1}));
    for (texture, expected) in [
        (
            json!({"source": 1, "sampler": 4}),
            "sampler 4 is missing; there are 1",
        ),
        (json!({"source": 9}), "image 9 is missing; there are 2"),
    ] {
        model.json["textures"][1] = texture;
        assert_eq!(model.refusal(), format!("textures[1]: {expected}"));
    }
}

#[test]
fn a_moved_texture_gets_coordinates_of_its_own() {
    let transform =
        json!({"KHR_texture_transform": {"offset": [0.5, 0.25], "scale": [2, 4], "texCoord": 0}});
    let model = with_texture(&json!({"index": 0, "texCoord": 7, "extensions": transform}));
    let asset = model.read();
    let sets = &asset.meshes[0].uv_sets;
    assert_eq!(sets[0], [Vec2::ZERO, Vec2::X, Vec2::Y]);
    let moved = [[0.5, 0.25], [2.5, 0.25], [0.5, 4.25]];
    assert_eq!(sets[1], moved.map(Vec2::from));
    assert_eq!(asset.materials[0].base_color_texture.unwrap().uv_set, 1);
}

#[test]
fn meshes_of_one_material_agree_on_the_set_of_a_moved_texture() {
    let transform = json!({"KHR_texture_transform": {"offset": [1, 0]}});
    let mut model = with_texture(&json!({"index": 0, "extensions": transform}));
    let first = model.primitive().clone();
    let plain = json!({"attributes": {"POSITION": 0}, "material": 0});
    let mut second = first.clone();
    second["attributes"]["TEXCOORD_1"] = 1.into();
    model.json["meshes"][0]["primitives"] = json!([first, second, plain]);
    let asset = model.read();
    let meshes = asset.meshes.iter();
    let lengths = meshes.map(|mesh| mesh.uv_sets.iter().map(Vec::len).collect());
    let sets: Vec<Vec<usize>> = lengths.collect();
    assert_eq!(sets, [vec![3, 0, 3], vec![3, 3, 3], vec![]]);
    assert_eq!(asset.materials[0].base_color_texture.unwrap().uv_set, 2);
    assert_eq!(asset.meshes[1].uv_sets[2][0], Vec2::X);
}

#[test]
fn a_transform_that_moves_nothing_adds_nothing() {
    let transform = json!({"KHR_texture_transform": {}});
    let asset = with_texture(&json!({"index": 0, "extensions": transform})).read();
    assert_eq!(asset.meshes[0].uv_sets.len(), 1);
    assert!(buffers::is_data("DATA:,x"));
}
