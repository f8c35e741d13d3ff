//! A texture in KTX 2 (Basis Universal): the bytes are the image.
#![no_main]

use serde_json::json;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let name = "KHR_texture_basisu";
    let json = json!({
        "images": [{"bufferView": 0, "mimeType": "image/ktx2"}],
        "textures": [{"extensions": {name: {"source": 0}}}],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
    });
    skincheck_fuzz::read_with_images(
        "gltf",
        "model.glb",
        &skincheck_fuzz::glb_of_view(name, json, bytes),
    );
});
