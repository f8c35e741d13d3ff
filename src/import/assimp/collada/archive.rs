//! The text of the document: the file itself, or the `.dae` in a `.zae`.

use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek, Write};
use std::path::Path;

use zip::write::{SimpleFileOptions, ZipWriter};
use zip::{CompressionMethod, ZipArchive};

use super::error::Unclear;
use crate::import::assimp::names;
use crate::import::importer::ImporterError;

/// A document of this many bytes is no model: the largest known are a tenth of it.
const MAX_DOCUMENT: u64 = 1 << 30;

/// How many bytes an archive may grow by as it is unpacked: pictures hardly do, and the largest known documents are half of
/// it. assimp and the readers here hold each entry whole, several times over.
const MAX_GROWTH: u64 = 1 << 28;

/// What an archive begins with.
const ARCHIVE: &[u8] = b"PK\x03\x04";

/// Refuses an archive at `path` that is made to fill the memory; what is no archive is not looked at.
pub(in crate::import::assimp) fn check_growth(path: &Path) -> Result<(), ImporterError> {
    match opened(path) {
        Ok((file, true)) => within_growth(file, MAX_GROWTH),
        _ => Ok(()),
    }
}

/// By the sizes that the entries state, past which neither assimp nor the readers here unpack them.
fn within_growth(archive: impl Read + Seek, most: u64) -> Result<(), ImporterError> {
    let Ok(mut archive) = ZipArchive::new(archive) else {
        return Ok(());
    };
    let mut growth = 0_u64;
    for index in 0..archive.len() {
        let Ok(entry) = archive.by_index_raw(index) else {
            continue;
        };
        growth = growth.saturating_add(entry.size().saturating_sub(entry.compressed_size()));
    }
    if growth <= most {
        return Ok(());
    }
    let message = format!(
        "the archive grows by {growth} bytes as it is unpacked, limit {most}; unpack it, and check the .dae"
    );
    Err(ImporterError::Parse { message })
}

/// The document in the file at `path`.
pub(super) fn text(path: &Path) -> Result<String, Unclear> {
    let (file, is_archive) = opened(path)?;
    let bytes = if is_archive {
        unpack(ZipArchive::new(file)?)?
    } else {
        bounded(file)?
    };
    Ok(decode(&bytes))
}

/// The file at `path`, and whether it begins as an archive.
fn opened(path: &Path) -> std::io::Result<(BufReader<File>, bool)> {
    let mut file = BufReader::new(File::open(path)?);
    let mut start = Vec::new();
    file.by_ref()
        .take(ARCHIVE.len() as u64)
        .read_to_end(&mut start)?;
    file.rewind()?;
    Ok((file, start == ARCHIVE))
}

/// The document that assimp takes (`ColladaParser.cpp`, `ReadZaeManifest`): without a manifest, the first by name;
/// with one, the document that it names.
fn unpack(mut archive: ZipArchive<impl Read + Seek>) -> Result<Vec<u8>, Unclear> {
    let name = document(&mut archive)?;
    bounded(archive.by_name(&name)?)
}

/// The archive `file` with its document changed, all else as it is; `None` if nothing is to be changed, or it is no
/// archive with a document, or one whose entries share their bytes.
pub(super) fn changed(
    file: &[u8],
    change: impl FnOnce(&[u8]) -> Option<Vec<u8>>,
) -> Option<Vec<u8>> {
    let mut archive = ZipArchive::new(Cursor::new(file)).ok()?;
    let name = document(&mut archive).ok()?;
    let document = change(&bounded(archive.by_name(&name).ok()?).ok()?)?;
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let mut left = file.len() as u64;
    for index in 0..archive.len() {
        let entry = archive.by_index_raw(index).ok()?;
        left = left.checked_sub(entry.compressed_size())?;
        if entry.name().ok()? == name {
            let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
            writer.start_file(&*name, stored).ok()?;
            writer.write_all(&document).ok()?;
        } else {
            writer.raw_copy_file(entry).ok()?;
        }
    }
    Some(writer.finish().ok()?.into_inner())
}

/// The name of the document.
fn document(archive: &mut ZipArchive<impl Read + Seek>) -> Result<String, Unclear> {
    let stated = manifest(archive);
    let mut names: Vec<String> = Vec::new();
    for name in archive.file_names() {
        names.push(name?.into_owned());
    }
    names.retain(|name| is_document(name));
    names.sort_unstable();
    let named = stated.filter(|name| archive.index_for_name(name).is_some());
    let name = named.or_else(|| names.into_iter().next());
    name.ok_or(Unclear::EmptyArchive)
}

fn is_document(name: &str) -> bool {
    let extension = Path::new(name).extension();
    extension.is_some_and(|extension| extension.eq_ignore_ascii_case("dae"))
}

/// The path in `manifest.xml`: COLLADA 1.5.0, appendix "ZAE": the text of its `dae_root`.
fn manifest(archive: &mut ZipArchive<impl Read + Seek>) -> Option<String> {
    let bytes = bounded(archive.by_name("manifest.xml").ok()?).ok()?;
    let text = decode(&bytes);
    let document = roxmltree::Document::parse(&text).ok()?;
    let root = document
        .descendants()
        .find(|node| node.tag_name().name() == "dae_root")?;
    let path = root.text()?.trim();
    Some(path.strip_prefix("./").unwrap_or(path).to_owned())
}

fn bounded(reader: impl Read) -> Result<Vec<u8>, Unclear> {
    let mut bytes = Vec::new();
    let read = reader.take(MAX_DOCUMENT + 1).read_to_end(&mut bytes)?;
    if read as u64 > MAX_DOCUMENT {
        return Err(Unclear::TooLarge {
            limit: MAX_DOCUMENT,
        });
    }
    Ok(bytes)
}

/// UTF-16 where the file begins so; else as all names, with nothing before the first `<`.
pub(super) fn decode(bytes: &[u8]) -> String {
    let wide = |to_unit: fn([u8; 2]) -> u16| {
        let pairs = bytes[2..].as_chunks::<2>().0;
        let units = pairs.iter().map(|pair| to_unit(*pair));
        char::decode_utf16(units)
            .map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect()
    };
    match bytes {
        [0xFF, 0xFE, ..] => wide(u16::from_le_bytes),
        [0xFE, 0xFF, ..] => wide(u16::from_be_bytes),
        [0xEF, 0xBB, 0xBF, rest @ ..] => names::decode(rest),
        _ => names::decode(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(files: &[(&str, &str)]) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, text) in files {
            writer
                .start_file(*name, SimpleFileOptions::default())
                .expect("memory suffices");
            writer.write_all(text.as_bytes()).expect("memory suffices");
        }
        writer.finish().expect("memory suffices").into_inner()
    }

    fn archive(files: &[(&str, &str)]) -> ZipArchive<Cursor<Vec<u8>>> {
        ZipArchive::new(Cursor::new(packed(files))).expect("it was just written")
    }

    #[test]
    fn a_change_of_the_document_leaves_all_else_as_it_is() {
        let files = [("a.dae", "A"), ("pictures/skin.png", "PNG"), ("z.dae", "Z")];
        let all = packed(&files);
        let lower = |text: &[u8]| (text == b"A").then(|| text.to_ascii_lowercase());
        let mut changed = ZipArchive::new(Cursor::new(changed(&all, lower).unwrap())).unwrap();
        for (name, text) in [("a.dae", "a"), files[1], files[2]] {
            assert_eq!(
                bounded(changed.by_name(name).unwrap()).unwrap(),
                text.as_bytes()
            );
        }
        assert_eq!(super::changed(&all, |_| None), None);
        assert_eq!(super::changed(b"no archive", |_| Some(Vec::new())), None);
    }

    #[test]
    fn the_document_that_the_manifest_names_is_taken() {
        let manifest = ("manifest.xml", "<dae_root>./models/b.dae</dae_root>");
        let files = [("a.dae", "A"), ("models/b.dae", "B")];
        assert_eq!(unpack(archive(&files)).unwrap(), b"A");
        assert_eq!(
            unpack(archive(&[files[0], manifest, files[1]])).unwrap(),
            b"B"
        );
        let nothing = unpack(archive(&[("readme.txt", "no model")]));
        assert!(matches!(nothing, Err(Unclear::EmptyArchive)));
    }

    #[test]
    fn an_archive_that_grows_beyond_measure_is_refused() {
        let blanks = " ".repeat(1 << 20);
        let files = [("a.dae", &*blanks), ("b.png", &*blanks)];
        let file = || Cursor::new(packed(&files));
        assert_eq!(within_growth(file(), 2 << 20), Ok(()));
        let error = within_growth(file(), 1 << 20).unwrap_err().to_string();
        assert!(error.contains("limit 1048576"), "{error}");
        let no_archive = Cursor::new(b"PK\x03\x04".to_vec());
        assert_eq!(within_growth(no_archive, 0), Ok(()));
    }

    #[test]
    fn a_file_in_utf_16_is_read() {
        let wide: Vec<u8> = "\u{FEFF}<a/>"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(decode(&wide), "<a/>");
        assert_eq!(decode(b"\xEF\xBB\xBF<a/>"), "<a/>");
    }
}
