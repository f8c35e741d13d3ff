//! Models whose parts are compressed by the codecs' own encoders.

#[cfg(feature = "meshopt")]
mod meshopt;

use draco_core::{
    DataType, EncoderBuffer, EncoderOptions, FaceIndex, GeometryAttributeType, Mesh, MeshEncoder,
    PointAttribute, PointIndex,
};
use serde_json::json;

use super::super::testing::{Model, U16};
use crate::import::gltf::json::DRACO;
use crate::rig::WeightStorage;

const WEIGHTS: [f32; 12] = [1.0, 0.0, 0.0, 0.0, 0.5, 0.5, 0.0, 0.0, 0.25, 0.75, 0.0, 0.0];

fn weighted() -> Model {
    let mut model = Model::weighted([0; 12].map(|_: u8| 1), &WEIGHTS);
    let indices = model.accessor(&[2, 0, 0, 0, 1, 0], U16, "SCALAR", 3);
    model.primitive()["indices"] = indices.into();
    model
}

/// The triangle, compressed without quantization.
fn draco_stream() -> Vec<u8> {
    let attribute = |kind, components: u8, of: DataType, bytes: Vec<u8>| {
        let mut attribute = PointAttribute::new();
        attribute.init(kind, components, of, false, 3);
        attribute.buffer_mut().write(0, &bytes);
        attribute
    };
    let floats = |numbers: &[f32]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
    let corners = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let (float, byte) = (DataType::Float32, DataType::Uint8);
    let mut mesh = Mesh::new();
    mesh.add_attribute(attribute(
        GeometryAttributeType::Position,
        3,
        float,
        floats(&corners),
    ));
    let generic = GeometryAttributeType::Generic;
    mesh.add_attribute(attribute(generic, 4, byte, vec![1; 12]));
    mesh.add_attribute(attribute(generic, 4, float, floats(&WEIGHTS)));
    mesh.set_num_faces(1);
    mesh.set_face(FaceIndex(0), [PointIndex(2), PointIndex(0), PointIndex(1)]);
    let mut encoder = MeshEncoder::new();
    encoder.set_mesh(mesh);
    let mut options = EncoderOptions::new();
    options.set_encoding_method(0);
    let mut stream = EncoderBuffer::new();
    let encoded = encoder.encode(&options, &mut stream);
    encoded.expect("it can be compressed");
    stream.data().to_vec()
}

/// The triangle with nothing but a stream.
fn draco(stream: &[u8]) -> Model {
    let mut model = weighted();
    let view = model.view(stream);
    for accessor in model.json["accessors"].as_array_mut().expect("a list") {
        accessor
            .as_object_mut()
            .expect("an accessor")
            .remove("bufferView");
    }
    let attributes = json!({"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2});
    model.primitive()["extensions"] =
        json!({DRACO: {"bufferView": view, "attributes": attributes}});
    model.json["extensionsRequired"] = json!([DRACO]);
    model
}

#[test]
fn a_primitive_that_draco_compressed_is_read_as_the_others() {
    let (read, mut expected) = (draco(&draco_stream()).read(), weighted().read());
    // The codec may have quantized them.
    expected.meshes[0].weight_storage = WeightStorage::Unstated;
    assert_eq!(read.meshes, expected.meshes);
    assert_eq!(read.evidence.defects, expected.evidence.defects);
}

#[test]
fn an_accessor_of_two_streams_keeps_both() {
    let mut model = draco(&draco_stream());
    let again = model.primitive().clone();
    let list = model.json["meshes"][0]["primitives"].as_array_mut();
    list.expect("a list").push(again);
    let asset = model.read();
    assert_eq!(asset.meshes.len(), 2);
    assert_eq!(asset.meshes[0].positions, asset.meshes[1].positions);
}

#[test]
fn a_stream_that_is_not_draco_or_lacks_an_attribute_is_refused() {
    let place = "meshes[0].primitives[0].extensions.KHR_draco_mesh_compression: ";
    let refusal = draco(b"DRACO, but not really").refusal();
    assert!(refusal.starts_with(place), "{refusal}");
    let mut model = draco(&draco_stream());
    model.primitive()["extensions"][DRACO]["attributes"]["WEIGHTS_0"] = 9.into();
    let refusal = model.refusal();
    let reason = "it cannot be decoded: WEIGHTS_0: the stream lacks it";
    assert_eq!(refusal, format!("{place}{reason}"));
}
