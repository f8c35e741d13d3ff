//! What all targets do: reads bytes with one of skincheck's own readers, in this process.
//!
//! `cargo +nightly fuzz run gltf`, with `--sanitizer none` for a library that allows no `unsafe` in its readers; the fixtures are
//! a good start: `cargo +nightly fuzz run gltf corpus/gltf ../fixtures`, and `../tests/fuzz/seeds` for compressed models. The targets
//! `meshopt`, `draco` and `basisu` take the streams of one codec each.

use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

use skincheck::import::{self, IMPORTERS, Isolation, Options};
use tempfile::TempDir;

/// Reads `bytes` as a file called `name` with all its images, as [`read`] does.
pub fn read_with_images(importer: &str, name: &str, bytes: &[u8]) {
    let options = Options {
        isolation: Isolation::InProcess,
        importer: Some(importer.to_owned()),
        ..Options::default()
    };
    let _ = import::load(&written(name, bytes), &options);
}

/// Reads `bytes` as a file called `name` with the importer called `importer`, and checks what comes out: an asset that every
/// later stage can bear, or an error.
pub fn read(importer: &str, name: &str, bytes: &[u8]) {
    let path = written(name, bytes);
    let importer = IMPORTERS.iter().find(|known| known.name() == importer);
    let importer = importer.expect("this build has all readers of our own");
    if let Ok(asset) = importer.import(&path) {
        // What is not valid is refused before anything else sees it.
        let _ = asset.validate();
    }
}

/// A binary glTF file that requires `extension`, with `rest` of its JSON and one view of `bytes`.
pub fn glb_of_view(extension: &str, rest: serde_json::Value, bytes: &[u8]) -> Vec<u8> {
    let mut json = rest;
    json["asset"] = serde_json::json!({"version": "2.0"});
    json["extensionsUsed"] = serde_json::json!([extension]);
    json["extensionsRequired"] = json["extensionsUsed"].clone();
    json["buffers"] = serde_json::json!([{"byteLength": bytes.len()}]);
    json["bufferViews"] = serde_json::json!([{"buffer": 0, "byteLength": bytes.len()}]);
    glb(&json, bytes)
}

/// A binary glTF file of `json` and the buffer `bytes`.
pub fn glb(json: &serde_json::Value, bytes: &[u8]) -> Vec<u8> {
    let chunk = |kind: &[u8; 4], data: &[u8], filler: u8| {
        let padding = data.len().next_multiple_of(4) - data.len();
        let length = u32::try_from(data.len() + padding).expect("inputs of a fuzzer are short");
        let mut chunk = length.to_le_bytes().to_vec();
        chunk.extend(kind);
        chunk.extend(data);
        chunk.extend(vec![filler; padding]);
        chunk
    };
    let json = chunk(b"JSON", json.to_string().as_bytes(), b' ');
    let binary = chunk(b"BIN\0", bytes, 0);
    let length =
        u32::try_from(12 + json.len() + binary.len()).expect("inputs of a fuzzer are short");
    [
        b"glTF",
        &2_u32.to_le_bytes(),
        &length.to_le_bytes(),
        json.as_slice(),
        &binary,
    ]
    .concat()
}

fn written(name: &str, bytes: &[u8]) -> PathBuf {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    let folder =
        FOLDER.get_or_init(|| tempfile::tempdir().expect("a temporary folder can be made"));
    let path = folder.path().join(name);
    fs::write(&path, bytes).expect("it is writable");
    path
}
