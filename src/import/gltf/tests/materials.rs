//! Materials and images.

use glam::{Vec2, Vec4};
use serde_json::{Value, json};

use crate::import::gltf::testing::Model;
use crate::import::gltf::uri;
use crate::import::testing::messages;
use crate::rig::{AlphaMode, ImageData, ImageId, TextureWrap};

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
fn a_webp_image_is_one_that_can_be_read() {
    let mut model = with_texture(&json!({"index": 2}));
    model.json["extensionsRequired"] = json!(["EXT_texture_webp"]);
    model.json["textures"][2] = json!({"extensions": {"EXT_texture_webp": {"source": 1}}});
    assert_eq!(model.read().images[0].name, "inside");
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
    assert!(uri::is_data("DATA:,x"));
}
