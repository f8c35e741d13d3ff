//! The file: a document, or an archive (`.zae`) of a document and its images.

use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::Path;

use zip::ZipArchive;

use super::document::ReadError;
use crate::paths::open_regular;
use crate::text;

/// The largest document in bytes; the largest known ones are a tenth of it.
const MAX_DOCUMENT: u64 = 1 << 30;

/// How many bytes are unpacked from an archive; the largest known documents are half of it.
const MAX_UNPACKED: u64 = 1 << 28;

/// The first bytes of an archive.
const ARCHIVE: &[u8] = b"PK\x03\x04";

/// A document, and the archive that contains it.
pub(super) struct Package<R> {
    /// The whole text.
    pub(super) text: String,
    archive: Option<ZipArchive<R>>,
    /// The folder of the document in the archive, with a final `/`.
    folder: String,
    /// Bytes that may still be unpacked.
    left: u64,
}

impl Package<BufReader<File>> {
    /// Opens the file at `path`.
    pub(super) fn open(path: &Path) -> Result<Self, ReadError> {
        Self::read(BufReader::new(open_regular(path)?))
    }
}

impl<R: Read + Seek> Package<R> {
    /// The document of an archive is the one that its manifest names, else the first by name.
    fn read(mut file: R) -> Result<Self, ReadError> {
        let mut start = Vec::new();
        let length = ARCHIVE.len() as u64;
        file.by_ref().take(length).read_to_end(&mut start)?;
        file.rewind()?;
        if start != ARCHIVE {
            let mut bytes = Vec::new();
            let read = file.take(MAX_DOCUMENT + 1).read_to_end(&mut bytes)?;
            if read as u64 > MAX_DOCUMENT {
                return Err(ReadError::TooLarge {
                    limit: MAX_DOCUMENT,
                });
            }
            return Ok(Self {
                text: decode(&bytes),
                archive: None,
                folder: String::new(),
                left: 0,
            });
        }
        let mut archive = ZipArchive::new(file)?;
        let mut left = MAX_UNPACKED;
        let name = document(&mut archive, &mut left)?;
        let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
        Ok(Self {
            text: decode(&unpack(&mut archive, &name, &mut left)?),
            archive: Some(archive),
            folder: if folder.is_empty() {
                String::new()
            } else {
                format!("{folder}/")
            },
            left,
        })
    }

    /// The file of the archive that the document calls `path`.
    pub(super) fn file(&mut self, path: &str) -> Option<Vec<u8>> {
        let archive = self.archive.as_mut()?;
        let path = path.strip_prefix("./").unwrap_or(path);
        let beside = format!("{}{path}", self.folder);
        let mut names = [beside.as_str(), path].into_iter();
        let name = names.find(|name| archive.index_for_name(name).is_some())?;
        unpack(archive, name, &mut self.left).ok()
    }
}

/// Unpacks the entry `name`, of no more than `left` bytes, and subtracts its size from `left`.
fn unpack(
    archive: &mut ZipArchive<impl Read + Seek>,
    name: &str,
    left: &mut u64,
) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    let entry = archive.by_name(name)?;
    let read = entry.take(*left + 1).read_to_end(&mut bytes)? as u64;
    *left = left.checked_sub(read).ok_or(ReadError::Bomb {
        limit: MAX_UNPACKED,
    })?;
    Ok(bytes)
}

/// The name of the document.
fn document(
    archive: &mut ZipArchive<impl Read + Seek>,
    left: &mut u64,
) -> Result<String, ReadError> {
    let stated = manifest(archive, left);
    let mut names: Vec<String> = Vec::new();
    for name in archive.file_names() {
        names.push(name?.into_owned());
    }
    names.retain(|name| is_document(name));
    names.sort_unstable();
    let named = stated.filter(|name| archive.index_for_name(name).is_some());
    let name = named.or_else(|| names.into_iter().next());
    name.ok_or(ReadError::EmptyArchive)
}

fn is_document(name: &str) -> bool {
    let extension = Path::new(name).extension();
    extension.is_some_and(|extension| extension.eq_ignore_ascii_case("dae"))
}

/// The path in `manifest.xml`: COLLADA 1.5.0, appendix "ZAE": the text of its `dae_root`.
fn manifest(archive: &mut ZipArchive<impl Read + Seek>, left: &mut u64) -> Option<String> {
    let bytes = unpack(archive, "manifest.xml", left).ok()?;
    let text = decode(&bytes);
    let document = roxmltree::Document::parse(&text).ok()?;
    let root = document
        .descendants()
        .find(|node| node.tag_name().name() == "dae_root")?;
    let path = root.text()?.trim();
    Some(path.strip_prefix("./").unwrap_or(path).to_owned())
}

/// Decodes UTF-16 if there is a byte order mark, else as names are decoded.
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
        [0xEF, 0xBB, 0xBF, rest @ ..] => text::decode(rest),
        _ => text::decode(bytes),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::{Cursor, Write};

    use zip::write::{SimpleFileOptions, ZipWriter};

    use super::*;

    /// An archive of `files`.
    pub(in crate::collada) fn packed(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in files {
            let options = SimpleFileOptions::default();
            writer.start_file(*name, options).expect("memory suffices");
            writer.write_all(bytes).expect("memory suffices");
        }
        writer.finish().expect("memory suffices").into_inner()
    }

    fn open(files: &[(&str, &[u8])]) -> Result<Package<Cursor<Vec<u8>>>, ReadError> {
        Package::read(Cursor::new(packed(files)))
    }

    #[test]
    fn the_document_that_the_manifest_names_is_read_with_the_images_beside_it() {
        let manifest = ("manifest.xml", &b"<dae_root>./models/b.dae</dae_root>"[..]);
        let files = [
            ("a.dae", &b"A"[..]),
            ("models/b.dae", b"B"),
            ("models/skin.png", b"PNG"),
        ];
        assert_eq!(open(&files).unwrap().text, "A");
        let mut package = open(&[files[0], manifest, files[1], files[2]]).unwrap();
        assert_eq!(package.text, "B");
        assert_eq!(package.file("./skin.png").as_deref(), Some(&b"PNG"[..]));
        assert_eq!(package.file("../../etc/passwd"), None);
        let nothing = open(&[("readme.txt", b"no model")]);
        assert!(matches!(nothing, Err(ReadError::EmptyArchive)));
    }

    #[test]
    fn an_archive_is_unpacked_up_to_a_limit() {
        let mut archive = ZipArchive::new(Cursor::new(packed(&[("a.dae", &[b' '; 100])]))).unwrap();
        let mut left = 150;
        assert!(unpack(&mut archive, "a.dae", &mut left).is_ok());
        let bomb = unpack(&mut archive, "a.dae", &mut left);
        assert!(matches!(bomb, Err(ReadError::Bomb { .. })));
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
