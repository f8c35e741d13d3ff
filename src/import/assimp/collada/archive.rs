//! The text of the document: the file itself, or the `.dae` in a `.zae`.

use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::Path;

use zip::ZipArchive;

use super::error::Unclear;
use crate::import::assimp::names;

/// A document of this many bytes is no model: the largest known are a tenth of it.
const MAX_DOCUMENT: u64 = 1 << 30;

/// What an archive begins with.
const ARCHIVE: &[u8] = b"PK\x03\x04";

/// The document in the file at `path`.
pub(super) fn text(path: &Path) -> Result<String, Unclear> {
    let mut file = BufReader::new(File::open(path)?);
    let mut start = Vec::new();
    file.by_ref()
        .take(ARCHIVE.len() as u64)
        .read_to_end(&mut start)?;
    file.rewind()?;
    let bytes = if start == ARCHIVE {
        unpack(ZipArchive::new(file)?)?
    } else {
        bounded(file)?
    };
    Ok(decode(&bytes))
}

/// The document that assimp takes (`ColladaParser.cpp`, `ReadZaeManifest`): without a manifest, the first by name;
/// with one, the document that it names.
fn unpack(mut archive: ZipArchive<impl Read + Seek>) -> Result<Vec<u8>, Unclear> {
    let stated = manifest(&mut archive);
    let mut names: Vec<String> = Vec::new();
    for name in archive.file_names() {
        names.push(name?.into_owned());
    }
    names.retain(|name| is_document(name));
    names.sort_unstable();
    let named = stated.filter(|name| archive.index_for_name(name).is_some());
    let name = named.or_else(|| names.into_iter().next());
    let name = name.ok_or(Unclear::EmptyArchive)?;
    bounded(archive.by_name(&name)?)
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
fn decode(bytes: &[u8]) -> String {
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
    use std::io::{Cursor, Write};

    use zip::write::{SimpleFileOptions, ZipWriter};

    use super::*;

    fn archive(files: &[(&str, &str)]) -> ZipArchive<Cursor<Vec<u8>>> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, text) in files {
            writer
                .start_file(*name, SimpleFileOptions::default())
                .expect("memory suffices");
            writer.write_all(text.as_bytes()).expect("memory suffices");
        }
        ZipArchive::new(writer.finish().expect("memory suffices")).expect("it was just written")
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
    fn a_file_in_utf_16_is_read() {
        let wide: Vec<u8> = "\u{FEFF}<a/>"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(decode(&wide), "<a/>");
        assert_eq!(decode(b"\xEF\xBB\xBF<a/>"), "<a/>");
    }
}
