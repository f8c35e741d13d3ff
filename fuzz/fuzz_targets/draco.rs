//! A primitive that Draco compressed: the bytes are its stream.
#![no_main]

use serde_json::json;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let name = "KHR_draco_mesh_compression";
    let accessor =
        |kind: &str, component: u32| json!({"componentType": component, "count": 3, "type": kind});
    let stream =
        json!({"bufferView": 0, "attributes": {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2}});
    let json = json!({
        "accessors": [
            accessor("VEC3", 5126),
            accessor("VEC4", 5121),
            accessor("VEC4", 5126),
            accessor("SCALAR", 5123),
        ],
        "meshes": [{"primitives": [{
            "attributes": {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2},
            "indices": 3,
            "extensions": {name: stream},
        }]}],
        "nodes": [{"mesh": 0}],
    });
    skincheck_fuzz::read(
        "gltf",
        "model.glb",
        &skincheck_fuzz::glb_of_view(name, json, bytes),
    );
});
