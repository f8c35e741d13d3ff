//! What all targets do: reads bytes with one of skincheck's own readers, in this process.
//!
//! `cargo +nightly fuzz run gltf`, with `--sanitizer none` for a library that allows no `unsafe` in its readers; the fixtures are
//! a good start: `cargo +nightly fuzz run gltf corpus/gltf ../fixtures`.

use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

use skincheck::import::IMPORTERS;
use tempfile::TempDir;

/// Reads `bytes` as a file called `name` with the importer called `importer`, and checks what comes out: an asset that every
/// later stage can bear, or an error.
pub fn read(importer: &str, name: &str, bytes: &[u8]) {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    let folder =
        FOLDER.get_or_init(|| tempfile::tempdir().expect("a temporary folder can be made"));
    let path: PathBuf = folder.path().join(name);
    fs::write(&path, bytes).expect("it is writable");
    let importer = IMPORTERS.iter().find(|known| known.name() == importer);
    let importer = importer.expect("this build has all readers of our own");
    if let Ok(asset) = importer.import(&path) {
        // What is not valid is refused before anything else sees it.
        let _ = asset.validate();
    }
}
