//! A digest of the sources as `SKINCHECK_SOURCES`, which tells two builds of one version apart.

use std::hash::{DefaultHasher, Hasher};
use std::path::Path;
use std::{fs, io};

/// Relative to the package. In a published one, the others are of the same version.
const SOURCES: [&str; 3] = ["src", "crates", "Cargo.lock"];

fn main() -> io::Result<()> {
    let mut digest = DefaultHasher::new();
    for source in SOURCES
        .map(Path::new)
        .into_iter()
        .filter(|path| path.exists())
    {
        println!("cargo::rerun-if-changed={}", source.display());
        add(source, &mut digest)?;
    }
    println!(
        "cargo::rustc-env=SKINCHECK_SOURCES={:016x}",
        digest.finish()
    );
    Ok(())
}

/// Adds the names and contents of all files at `path`, in the order of their names.
fn add(path: &Path, digest: &mut DefaultHasher) -> io::Result<()> {
    digest.write(path.as_os_str().as_encoded_bytes());
    if path.is_file() {
        digest.write(&fs::read(path)?);
        return Ok(());
    }
    let entries: io::Result<Vec<_>> = fs::read_dir(path)?.collect();
    let mut paths: Vec<_> = entries?.iter().map(fs::DirEntry::path).collect();
    paths.sort();
    paths.iter().try_for_each(|path| add(path, digest))
}
