//! The vertices and triangles of a model, compressed by the codecs' own encoders.

use draco_core::{
    DataType, EncoderBuffer, EncoderOptions, FaceIndex, GeometryAttributeType, Mesh, MeshEncoder,
    PointAttribute, PointIndex,
};
use serde_json::{Value, json};

/// The accessors of the primitive: the indices, and the attributes by their names.
fn accessors(document: &Value) -> (usize, Vec<(String, usize)>) {
    let number = |value: &Value| usize::try_from(value.as_u64().expect("a number")).expect("few");
    let primitive = &document["meshes"][0]["primitives"][0];
    let attributes = primitive["attributes"].as_object().expect("an object");
    let attributes = attributes.iter();
    let attributes = attributes.map(|(name, own)| (name.clone(), number(own)));
    (number(&primitive["indices"]), attributes.collect())
}

fn number(value: &Value, name: &str) -> usize {
    usize::try_from(value[name].as_u64().expect(name)).expect("it is small")
}

/// The bytes of an accessor that has a view of its own.
fn stored<'a>(document: &Value, bytes: &'a [u8], accessor: usize) -> (usize, &'a [u8]) {
    let view = number(&document["accessors"][accessor], "bufferView");
    let own = &document["bufferViews"][view];
    (
        view,
        &bytes[number(own, "byteOffset")..][..number(own, "byteLength")],
    )
}

fn corners(bytes: &[u8]) -> Vec<u32> {
    let corners = bytes.as_chunks::<2>().0.iter();
    corners
        .map(|corner| u16::from_le_bytes(*corner).into())
        .collect()
}

/// Adds bytes; returns where they start.
fn add(bytes: &mut Vec<u8>, stream: &[u8]) -> usize {
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes.extend(stream);
    bytes.len() - stream.len()
}

pub(super) fn by_meshopt(document: &mut Value, bytes: &mut Vec<u8>) {
    const NAME: &str = "EXT_meshopt_compression";
    let (indices, attributes) = accessors(document);
    let vertices = number(&document["accessors"][0], "count");
    let all = attributes.into_iter().map(|(_, accessor)| accessor);
    for accessor in all.chain([indices]) {
        let (view, own) = stored(document, bytes, accessor);
        let (stride, stream) = if accessor == indices {
            let corners = corners(own);
            (2, meshopt::encode_index_buffer(&corners, vertices))
        } else {
            let stride = own.len() / vertices;
            let stream = match stride {
                4 => meshopt::encode_vertex_buffer(own.as_chunks::<4>().0),
                8 => meshopt::encode_vertex_buffer(own.as_chunks::<8>().0),
                12 => meshopt::encode_vertex_buffer(own.as_chunks::<12>().0),
                _ => meshopt::encode_vertex_buffer(own.as_chunks::<16>().0),
            };
            (stride, stream)
        };
        let stream = stream.expect("it can be compressed");
        let (length, count) = (own.len(), own.len() / stride);
        bytes[number(&document["bufferViews"][view], "byteOffset")..][..length].fill(0);
        let start = add(bytes, &stream);
        let mode = if accessor == indices {
            "TRIANGLES"
        } else {
            "ATTRIBUTES"
        };
        let own = &mut document["bufferViews"][view];
        own["buffer"] = json!(1);
        own["extensions"] = json!({NAME: {"buffer": 0, "byteOffset": start,
            "byteLength": stream.len(), "byteStride": stride, "count": count, "mode": mode}});
    }
    let fallback = json!({"byteLength": bytes.len(), "extensions": {NAME: {"fallback": true}}});
    document["buffers"] = json!([{}, fallback]);
    document["extensionsUsed"] = json!([NAME]);
    document["extensionsRequired"] = json!([NAME]);
}

pub(super) fn by_draco(document: &mut Value, bytes: &mut Vec<u8>) {
    const NAME: &str = "KHR_draco_mesh_compression";
    let (indices, attributes) = accessors(document);
    let mut mesh = Mesh::new();
    let mut ids = json!({});
    let vertices = number(&document["accessors"][0], "count");
    let (first, own) = stored(document, bytes, indices);
    let corners = corners(own);
    for (id, (name, accessor)) in attributes.iter().enumerate() {
        let (view, own) = stored(document, bytes, *accessor);
        let kind = if name == "POSITION" {
            GeometryAttributeType::Position
        } else {
            GeometryAttributeType::Generic
        };
        let accessor = &document["accessors"][*accessor];
        let width = if accessor["type"] == "VEC3" { 3 } else { 4 };
        let stored = match number(accessor, "componentType") {
            5121 => DataType::Uint8,
            5123 => DataType::Uint16,
            _ => DataType::Float32,
        };
        let mut attribute = PointAttribute::new();
        attribute.init(kind, width, stored, false, vertices);
        attribute.buffer_mut().write(0, own);
        mesh.add_attribute(attribute);
        let length = own.len();
        bytes[number(&document["bufferViews"][view], "byteOffset")..][..length].fill(0);
        ids[name] = json!(id);
    }
    mesh.set_num_faces(corners.len() / 3);
    for (face, corners) in (0_u32..).zip(corners.as_chunks::<3>().0) {
        mesh.set_face(FaceIndex(face), corners.map(PointIndex));
    }
    let mut encoder = MeshEncoder::new();
    encoder.set_mesh(mesh);
    let mut options = EncoderOptions::new();
    // In sequence, so that the vertices keep their order.
    options.set_encoding_method(0);
    let mut stream = EncoderBuffer::new();
    let encoded = encoder.encode(&options, &mut stream);
    encoded.expect("it can be compressed");
    let start = add(bytes, stream.data());
    document["bufferViews"][first] =
        json!({"buffer": 0, "byteOffset": start, "byteLength": stream.data().len()});
    let plain = attributes.iter().map(|(_, accessor)| *accessor);
    for accessor in plain.chain([indices]) {
        let own = document["accessors"][accessor].as_object_mut();
        own.expect("an accessor").remove("bufferView");
    }
    document["meshes"][0]["primitives"][0]["extensions"] =
        json!({NAME: {"bufferView": first, "attributes": ids}});
    document["extensionsUsed"] = json!([NAME]);
    document["extensionsRequired"] = json!([NAME]);
}
