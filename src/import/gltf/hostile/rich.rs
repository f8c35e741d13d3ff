//! The document that is damaged.

use serde_json::json;

use crate::import::gltf::testing::{I8, Model, U8};

/// A document that uses every feature.
pub(in super::super) fn rich() -> Model {
    let mut model = Model::weighted(
        [0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0],
        &[0.5, 0.5, 0.0, 0.0].repeat(3),
    );
    let matrices = model.floats("MAT4", &glam::Mat4::IDENTITY.to_cols_array().repeat(2));
    let uvs = model.accessor(&[0, 255, 0, 0, 0, 255, 0, 0, 255, 0, 0, 0], U8, "VEC2", 3);
    model.json["bufferViews"][uvs]["byteStride"] = 4.into();
    model.normalize(uvs);
    let indices = model.accessor(&[0, 1, 2, 0], U8, "SCALAR", 4);
    let (at, values) = (model.view(&[1]), model.view(&[0; 12]));
    let sparse = json!({"count": 1, "indices": {"bufferView": at, "componentType": U8}, "values": {"bufferView": values}});
    let offsets = model.floats("VEC3", &[0.25; 9]);
    model.json["accessors"][offsets]["sparse"] = sparse;
    model.json["accessors"][offsets]["min"] = json!([0, 0, 0]);
    let times = model.floats("SCALAR", &[0.0, 1.0]);
    let rotations = model.accessor(&[0, 0, 0, 127, 0, 127, 0, 0], I8, "VEC4", 2);
    model.normalize(rotations);
    let cubic = model.floats("VEC3", &[0.5; 18]);
    let weights = model.floats("SCALAR", &[0.0, 1.0]);
    let image = model.view(b"no image");
    model.attribute("TEXCOORD_0", uvs);
    let normals = model.floats("VEC3", &[0.0, 0.0, 1.0].repeat(3));
    model.attribute("NORMAL", normals);
    *model.primitive() = {
        let mut primitive = model.primitive().clone();
        primitive["indices"] = indices.into();
        primitive["mode"] = 5.into();
        primitive["material"] = 0.into();
        primitive["targets"] = json!([{"POSITION": offsets, "NORMAL": offsets}]);
        primitive
    };
    let json = &mut model.json;
    json["scene"] = 0.into();
    json["scenes"] = json!([{"nodes": [0, 1]}]);
    json["nodes"] = json!([
        {"mesh": 0, "skin": 0, "weights": [0.5]},
        {"name": "a", "children": [2], "translation": [0, 1, 0], "rotation": [0, 0, 0, 1], "scale": [1, 1, 1]},
        {"name": "b", "matrix": glam::Mat4::IDENTITY.to_cols_array()},
    ]);
    json["skins"][0]["inverseBindMatrices"] = matrices.into();
    json["animations"] = json!([{
        "channels": [
            {"sampler": 0, "target": {"node": 1, "path": "rotation"}},
            {"sampler": 1, "target": {"node": 0, "path": "translation"}},
            {"sampler": 2, "target": {"node": 0, "path": "weights"}},
        ],
        "samplers": [
            {"input": times, "output": rotations},
            {"input": times, "output": cubic, "interpolation": "CUBICSPLINE"},
            {"input": times, "output": weights, "interpolation": "STEP"},
        ],
    }]);
    let transform = json!({"KHR_texture_transform": {"offset": [0.5, 0], "rotation": 1, "scale": [2, 2], "texCoord": 0}});
    let texture = json!({"index": 0, "texCoord": 0, "extensions": transform});
    json["materials"] =
        json!([{"pbrMetallicRoughness": {"baseColorTexture": texture}, "alphaMode": "MASK"}]);
    json["textures"] = json!([{"source": 0, "sampler": 0}]);
    json["samplers"] = json!([{"wrapS": 33071}]);
    json["images"] = json!([{"bufferView": image, "mimeType": "image/png"}]);
    model
}
