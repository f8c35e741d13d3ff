#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let is_binary = bytes.starts_with(b"glTF");
    let name = if is_binary { "model.glb" } else { "model.gltf" };
    skincheck_fuzz::read_with_images("gltf", name, bytes);
});
