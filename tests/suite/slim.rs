//! What the build without assimp, OpenGL and meshopt refuses. `make test-slim` runs it; the whole build has nothing to refuse.

use crate::folder::Folder;
use crate::program::{skincheck, skincheck_in};

#[test]
fn formats_of_assimp_are_refused_with_the_formats_that_are_read() {
    skincheck("inspect arm.x")
        .refuses("arm.x")
        .says("supported: ");
}

#[test]
fn opengl_is_refused_and_cross_checks_say_why() {
    skincheck("render arm.gltf -o never.png --gl").refuses("lacks the backend `gl`");
    let doctor = skincheck("doctor --json").json();
    assert_eq!(doctor["opengl"], serde_json::Value::Null);
}

#[test]
fn buffers_that_meshopt_compressed_are_refused_with_the_feature_that_reads_them() {
    let folder = Folder::new();
    let model = serde_json::json!({
        "asset": {"version": "2.0"},
        "extensionsUsed": ["EXT_meshopt_compression"],
        "extensionsRequired": ["EXT_meshopt_compression"],
        "buffers": [{"byteLength": 36}, {"byteLength": 4, "uri": "data:application/octet-stream;base64,oAAAAA=="}],
        "bufferViews": [{"buffer": 0, "byteLength": 36, "byteStride": 12, "extensions": {"EXT_meshopt_compression":
            {"buffer": 1, "byteLength": 4, "byteStride": 12, "count": 3, "mode": "ATTRIBUTES"}}}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "nodes": [{"mesh": 0}], "scenes": [{"nodes": [0]}], "scene": 0
    });
    std::fs::write(folder.path("packed.gltf"), model.to_string()).expect("the folder is writable");
    skincheck_in(folder.root(), "inspect packed.gltf").refuses("build it with the feature meshopt");
}
