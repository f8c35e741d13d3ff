//! GLB, the binary container of glTF (2.0, §4), and the bytes of files.

use std::fs::File;
use std::io::{self, Read};

use super::error::GltfError;
use super::json::Buffer;
use crate::log::Notes;

/// The first bytes of a GLB.
const MAGIC: &[u8] = b"glTF";

/// The length of the header: magic, version, total length.
const HEADER: usize = 12;

const JSON: [u8; 4] = *b"JSON";
const BIN: [u8; 4] = *b"BIN\0";

/// Of messages.
const BINARY: &str = "binary chunk";

/// The parts of a file.
#[derive(Debug)]
pub(super) struct Container<'a> {
    /// The document.
    pub(super) json: &'a [u8],
    /// The buffer that has no URI.
    pub(super) binary: Option<&'a [u8]>,
    /// How many bytes the file has less than the header of that buffer's chunk states.
    lacks: u64,
}

impl<'a> Container<'a> {
    /// The parts of `file`; a file that is not a GLB is the document itself.
    ///
    /// # Errors
    ///
    /// [`GltfError`] for a GLB that is cut off, or not of version 2.
    pub(super) fn read(file: &'a [u8]) -> Result<Self, GltfError> {
        let Some(rest) = file.strip_prefix(MAGIC) else {
            return Ok(Self {
                json: without_mark(file),
                binary: None,
                lacks: 0,
            });
        };
        let cut_off = GltfError::Torn { part: "header" };
        let (version, rest) = rest.split_first_chunk().ok_or(cut_off.clone())?;
        let version = u32::from_le_bytes(*version);
        if version != 2 {
            return Err(GltfError::Container { version });
        }
        // The stated total length is ignored; the length of the file is used.
        if rest.len() < 4 {
            return Err(cut_off);
        }
        let json = chunk(file, HEADER).ok_or(GltfError::Torn { part: "JSON text" })?;
        if json.kind != JSON {
            return Err(GltfError::NoJson);
        }
        let (binary, lacks) = binary(file, json.end)?;
        Ok(Self {
            json: without_padding(json.contents),
            binary,
            lacks,
        })
    }

    /// Notes that the header of the binary chunk states too many bytes, if the file has all that the document's `buffers` need.
    ///
    /// # Errors
    ///
    /// [`GltfError::Torn`] if it has not.
    pub(super) fn check(&self, buffers: &[Buffer<'_>], notes: &mut Notes) -> Result<(), GltfError> {
        if self.lacks == 0 {
            return Ok(());
        }
        let needed = buffers.first().filter(|buffer| buffer.uri.is_none());
        let available = self.binary.map_or(0, <[u8]>::len) as u64;
        if needed.is_some_and(|buffer| buffer.byte_length.0 > available) {
            return Err(GltfError::Torn { part: BINARY });
        }
        let lacks = self.lacks;
        let message = format!(
            "states {lacks} bytes more than the file has; the buffer needs no more than are there"
        );
        notes.add(BINARY, message);
        Ok(())
    }
}

fn without_mark(text: &[u8]) -> &[u8] {
    const MARK: &[u8] = b"\xEF\xBB\xBF";
    text.strip_prefix(MARK).unwrap_or(text)
}

/// The JSON without padding. The standard pads with spaces (§4.4.3.2), and some writers with zeros.
fn without_padding(json: &[u8]) -> &[u8] {
    let end = json.iter().rposition(|&byte| byte != 0);
    &json[..end.map_or(0, |last| last + 1)]
}

/// The first binary chunk from `at` on, or what the file has of it, and how many bytes that lacks. Other kinds of chunks are ignored
/// (§4.4.3). Chunks begin at multiples of four bytes, but some writers do not count the padding before them.
fn binary(file: &[u8], mut at: usize) -> Result<(Option<&[u8]>, u64), GltfError> {
    while at < file.len() {
        let padded = at.next_multiple_of(4);
        let start = if is_binary(file, at) || !is_binary(file, padded) {
            at
        } else {
            padded
        };
        match chunk(file, start) {
            Some(chunk) if chunk.kind == BIN => return Ok((Some(chunk.contents), 0)),
            Some(chunk) => at = chunk.end,
            None if is_binary(file, start) => {
                let stated = file[start..]
                    .first_chunk()
                    .copied()
                    .map_or(0, u32::from_le_bytes);
                let contents = &file[start + 8..];
                return Ok((Some(contents), u64::from(stated) - contents.len() as u64));
            }
            None => return Err(GltfError::Torn { part: BINARY }),
        }
    }
    Ok((None, 0))
}

fn is_binary(file: &[u8], at: usize) -> bool {
    file.get(at..).and_then(|rest| rest.get(4..8)) == Some(&BIN[..])
}

struct Chunk<'a> {
    kind: [u8; 4],
    contents: &'a [u8],
    /// The offset of the next chunk in the file.
    end: usize,
}

/// The chunk at `at`; `None` if the file ends in it.
fn chunk(file: &[u8], at: usize) -> Option<Chunk<'_>> {
    let (length, rest) = file.get(at..)?.split_first_chunk()?;
    let (kind, _) = rest.split_first_chunk()?;
    let (start, length) = (at + 8, u32::from_le_bytes(*length));
    let contents = part(file, start as u64, length.into())?;
    Some(Chunk {
        kind: *kind,
        contents,
        end: start + contents.len(),
    })
}

/// The first `most` bytes of a file, or all if it has fewer. Without the limit, a device or a pipe might never end.
pub(super) fn read_file(file: File, most: u64) -> io::Result<Vec<u8>> {
    let len = file.metadata()?.len().min(most);
    let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or(0));
    file.take(len).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The `len` bytes from `start` on; `None` if there are fewer.
pub(super) fn part(bytes: &[u8], start: u64, len: u64) -> Option<&[u8]> {
    let start = usize::try_from(start).ok()?;
    bytes.get(start..)?.get(..usize::try_from(len).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gltf::testing::glb;

    fn read(file: &[u8]) -> Result<(Vec<u8>, Option<Vec<u8>>), GltfError> {
        let container = Container::read(file)?;
        Ok((
            container.json.to_vec(),
            container.binary.map(<[u8]>::to_vec),
        ))
    }

    #[test]
    fn the_document_and_the_binary_part_come_apart() {
        let file = glb("{\"a\": 1}", Some(&[1, 2, 3, 4]));
        let parts = (b"{\"a\": 1}".to_vec(), Some(vec![1, 2, 3, 4]));
        assert_eq!(read(&file), Ok(parts));
    }

    #[test]
    fn zeros_behind_the_document_are_padding() {
        assert_eq!(read(&glb("{}\0\0", None)), Ok((b"{}".to_vec(), None)));
    }

    #[test]
    fn a_text_file_is_all_document() {
        assert_eq!(read(b"\xEF\xBB\xBF{}"), Ok((b"{}".to_vec(), None)));
    }

    #[test]
    fn a_torn_glb_says_where_it_ends() {
        let file = glb("{}  ", Some(&[1, 2, 3, 4]));
        let whole_without_binary = 12 + 8 + 4;
        for len in MAGIC.len()..file.len() {
            let read = read(&file[..len]);
            // What is there of the binary chunk may be all that the document needs.
            let has_parts = len == whole_without_binary || len >= whole_without_binary + 8;
            assert_eq!(read.is_ok(), has_parts, "{len}");
        }
        let part = |len: usize| read(&file[..len]).unwrap_err();
        assert_eq!(part(11), GltfError::Torn { part: "header" });
        assert_eq!(part(21), GltfError::Torn { part: "JSON text" });
        assert_eq!(
            part(whole_without_binary + 7),
            GltfError::Torn { part: BINARY }
        );
    }

    #[test]
    fn version_1_is_refused_by_its_number() {
        let mut file = glb("{}", None);
        file[4] = 1;
        let error = read(&file).unwrap_err();
        assert_eq!(error, GltfError::Container { version: 1 });
    }

    #[test]
    fn a_part_is_inside_of_its_whole() {
        let bytes = [1, 2, 3, 4];
        assert_eq!(part(&bytes, 1, 2), Some(&[2, 3][..]));
        assert_eq!(part(&bytes, 4, 0), Some(&[][..]));
        assert_eq!(part(&bytes, 3, 2), None);
        assert_eq!(part(&bytes, u64::MAX, 1), None);
    }

    #[test]
    fn a_file_is_read_up_to_the_requested_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.bin");
        std::fs::write(&path, [1; 100]).unwrap();
        for (most, len) in [(10, 10), (1000, 100)] {
            let bytes = read_file(File::open(&path).unwrap(), most).unwrap();
            assert_eq!(bytes.len(), len);
        }
    }
}
