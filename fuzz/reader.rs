//! What all targets do: reads bytes with one of skincheck's own readers, in this process.
//!
//! `cargo +nightly fuzz run gltf`, with `--sanitizer none` for a library that allows no `unsafe` in its readers; the fixtures are
//! a good start: `cargo +nightly fuzz run gltf corpus/gltf ../fixtures`, and `../tests/fuzz/seeds` for compressed models.

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

fn written(name: &str, bytes: &[u8]) -> PathBuf {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    let folder =
        FOLDER.get_or_init(|| tempfile::tempdir().expect("a temporary folder can be made"));
    let path = folder.path().join(name);
    fs::write(&path, bytes).expect("it is writable");
    path
}
