//! Models whose parts are compressed by the codecs' own encoders.

use draco_core::{
    DataType, EncoderBuffer, EncoderOptions, FaceIndex, GeometryAttributeType, Mesh, MeshEncoder,
    PointAttribute, PointIndex,
};
use serde_json::json;

use super::super::testing::{Model, U16};
use crate::gltf::json::DRACO;
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

#[cfg(feature = "meshopt")]
mod of_meshopt {
    //! Models whose views are compressed by meshopt's own encoders.

    use serde_json::json;

    use super::weighted;
    use crate::gltf::json::MESHOPT;
    use crate::gltf::testing::Model;
    use crate::{ImporterError, Wanted};

    /// The bytes of a buffer view.
    fn stored(model: &Model, view: usize) -> Vec<u8> {
        let number = |key: &str| {
            let number = model.json["bufferViews"][view][key].as_u64();
            usize::try_from(number.expect("it is stated")).expect("it is small")
        };
        model.bytes[number("byteOffset")..][..number("byteLength")].to_vec()
    }

    /// Lets the stream replace the bytes of a view, which are then nowhere else.
    fn replace(model: &mut Model, view: usize, name: &str, stream: &[u8], of: &serde_json::Value) {
        let packed = model.view(stream);
        let mut extension = model.json["bufferViews"][packed].clone();
        let of = of.as_object().expect("these are members").clone();
        extension.as_object_mut().expect("it is a view").extend(of);
        model.json["bufferViews"][view]["extensions"] = json!({name: extension});
        model.json["bufferViews"][view]["buffer"] = 1.into();
    }

    /// Compresses the view of an attribute whose elements have 4 or 12 bytes.
    fn compress(model: &mut Model, view: usize, stride: usize, name: &str) {
        let bytes = stored(model, view);
        let stream = match stride {
            4 => meshopt::encode_vertex_buffer(bytes.as_chunks::<4>().0),
            12 => meshopt::encode_vertex_buffer(bytes.as_chunks::<12>().0),
            _ => meshopt::encode_vertex_buffer(bytes.as_chunks::<16>().0),
        };
        let stream = stream.expect("it can be compressed");
        let layout =
            json!({"byteStride": stride, "count": bytes.len() / stride, "mode": "ATTRIBUTES"});
        replace(model, view, name, &stream, &layout);
    }

    #[test]
    fn views_that_meshopt_compressed_are_read_as_the_others() {
        let expected = weighted().read();
        for name in MESHOPT {
            let mut model = weighted();
            compress(&mut model, 0, 12, name);
            compress(&mut model, 1, 4, name);
            compress(&mut model, 2, 16, name);
            let stream = meshopt::encode_index_buffer(&[2, 0, 1], 3).expect("it can be compressed");
            let layout = json!({"byteStride": 2, "count": 3, "mode": "TRIANGLES"});
            replace(&mut model, 3, name, &stream, &layout);
            model.json["extensionsRequired"] = json!([name]);
            let mut asset = model.read();
            // The codec may rotate a triangle.
            let corners = &mut asset.meshes[0].triangles[0];
            let first = corners.iter().position(|corner| *corner == 2);
            corners.rotate_left(first.expect("it has three corners"));
            assert_eq!(asset.meshes, expected.meshes);
            assert_eq!(asset.evidence.defects, expected.evidence.defects);
        }
    }

    #[test]
    fn filters_are_undone() {
        let bits = |numbers: &[f32]| -> Vec<[u32; 3]> {
            meshopt::encode_filter_exp::<3>(
                numbers.as_chunks().0,
                15,
                meshopt::EncodeExpMode::Separate,
            )
        };
        let mut model = weighted();
        let corners = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        let stream = meshopt::encode_vertex_buffer(&bits(&corners)).expect("it can be compressed");
        let layout =
            json!({"byteStride": 12, "count": 3, "mode": "ATTRIBUTES", "filter": "EXPONENTIAL"});
        replace(&mut model, 0, MESHOPT[0], &stream, &layout);
        assert_eq!(model.read().meshes, weighted().read().meshes);
    }

    #[test]
    fn a_damaged_stream_is_refused_with_its_place() {
        let refusal = |change: fn(&mut serde_json::Value)| {
            let mut model = weighted();
            compress(&mut model, 0, 12, MESHOPT[0]);
            change(&mut model.json["bufferViews"][0]["extensions"][MESHOPT[0]]);
            model.refusal()
        };
        let place = "bufferViews[0].extensions.EXT_meshopt_compression: ";
        for (change, reason) in [
            (
                (|view| view["count"] = 40.into()) as fn(&mut serde_json::Value),
                "it cannot be decoded: the stream is damaged (code",
            ),
            (
                |view| view["byteLength"] = 1.into(),
                "it cannot be decoded: the stream is damaged (code",
            ),
            (|view| view["mode"] = "POINTS".into(), "its mode is unknown"),
            (
                |view| view["byteStride"] = 6.into(),
                "3 elements of 6 bytes do not fit its mode and filter",
            ),
            (
                |view| view["filter"] = "QUATERNION".into(),
                "3 elements of 12 bytes do not fit",
            ),
            (
                |view| view["count"] = (1_u64 << 40).into(),
                "numbers, more than its size can justify",
            ),
            (|view| view["buffer"] = 7.into(), "buffer 7 is missing"),
        ] {
            let refusal = refusal(change);
            let is_named = refusal.starts_with(place) && refusal.contains(reason);
            assert!(is_named, "{reason}: {refusal}");
        }
    }

    #[test]
    fn meshopt_is_not_decoded_in_a_thread_of_the_program() {
        let mut model = weighted();
        compress(&mut model, 0, 12, MESHOPT[0]);
        let wanted = Wanted {
            may_run_foreign_code: false,
            ..Wanted::default()
        };
        let text = model.text();
        let read = crate::gltf::read(
            text.as_bytes(),
            "".as_ref(),
            &crate::files::Reach::default(),
            &wanted,
        );
        assert_eq!(read.expect_err("it is C++"), ImporterError::NeedsProcess);
    }
}
