//! A buffer view that meshopt compressed. The first four bytes choose mode, filter, stride and count; the rest is the stream.
#![no_main]

use serde_json::json;

const MODES: [&str; 3] = ["ATTRIBUTES", "TRIANGLES", "INDICES"];
const FILTERS: [&str; 5] = ["NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL", "COLOR"];

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((&[mode, filter, stride, count], stream)) = bytes.split_first_chunk() else {
        return;
    };
    let (stride, count) = (usize::from(stride), usize::from(count));
    let compressed = json!({
        "buffer": 0,
        "byteLength": stream.len(),
        "byteStride": stride,
        "count": count,
        "mode": MODES[usize::from(mode) % MODES.len()],
        "filter": FILTERS[usize::from(filter) % FILTERS.len()],
    });
    let name = "KHR_meshopt_compression";
    let json = json!({
        "asset": {"version": "2.0"},
        "extensionsUsed": [name],
        "extensionsRequired": [name],
        "buffers": [
            {"byteLength": stream.len()},
            {"byteLength": stride * count, "extensions": {name: {"fallback": true}}},
        ],
        "bufferViews": [{"buffer": 1, "byteLength": stride * count, "extensions": {name: compressed}}],
    });
    skincheck_fuzz::read("gltf", "model.glb", &skincheck_fuzz::glb(&json, stream));
});
