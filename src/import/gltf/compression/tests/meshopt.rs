//! Models whose views are compressed by meshopt's own encoders.

use serde_json::json;

use super::weighted;
use crate::import::gltf::json::MESHOPT;
use crate::import::gltf::testing::Model;
use crate::import::{ImporterError, Wanted};

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
    let layout = json!({"byteStride": stride, "count": bytes.len() / stride, "mode": "ATTRIBUTES"});
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
        meshopt::encode_filter_exp::<3>(numbers.as_chunks().0, 15, meshopt::EncodeExpMode::Separate)
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
    let read = crate::import::gltf::read(
        text.as_bytes().into(),
        "".as_ref(),
        &crate::import::files::Reach::default(),
        &wanted,
    );
    assert_eq!(read.expect_err("it is C++"), ImporterError::NeedsProcess);
}
