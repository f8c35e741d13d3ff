//! GLB, the binary container of glTF (2.0, §4).

use std::borrow::Cow;

use super::bytes::Bytes;
use super::error::GltfError;

/// The first bytes of a GLB.
const MAGIC: &[u8] = b"glTF";

/// The length of the header: magic, version, total length.
const HEADER: u64 = 12;

const JSON: [u8; 4] = *b"JSON";
const BIN: [u8; 4] = *b"BIN\0";

/// The parts of a file.
#[derive(Debug)]
pub(super) struct Container<'a> {
    /// The document.
    pub(super) json: Cow<'a, [u8]>,
    /// The buffer that has no URI.
    pub(super) binary: Option<Bytes<'a>>,
}

impl<'a> Container<'a> {
    /// The parts of `file`; a file that is not a GLB is the document itself.
    ///
    /// # Errors
    ///
    /// [`GltfError`] for a GLB that is cut off, or not of version 2.
    pub(super) fn read(file: Bytes<'a>) -> Result<Self, GltfError> {
        let header = file.first(HEADER).read()?;
        let Some(rest) = header.strip_prefix(MAGIC) else {
            return Ok(Self {
                json: without_mark(file.read()?),
                binary: None,
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
        let json = chunk(file, HEADER)?.ok_or(GltfError::Torn { part: "JSON text" })?;
        if json.kind != JSON {
            return Err(GltfError::NoJson);
        }
        Ok(Self {
            json: without_padding(json.contents.read()?),
            binary: binary(file, json.end)?,
        })
    }
}

fn without_mark(text: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    const MARK: &[u8] = b"\xEF\xBB\xBF";
    match text {
        Cow::Borrowed(text) => text.strip_prefix(MARK).unwrap_or(text).into(),
        Cow::Owned(mut text) => {
            if text.starts_with(MARK) {
                text.drain(..MARK.len());
            }
            text.into()
        }
    }
}

/// The JSON without padding. The standard pads with spaces (§4.4.3.2), and some writers with zeros.
fn without_padding(json: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let end = json.iter().rposition(|&byte| byte != 0);
    let len = end.map_or(0, |last| last + 1);
    match json {
        Cow::Borrowed(json) => json[..len].into(),
        Cow::Owned(mut json) => {
            json.truncate(len);
            json.into()
        }
    }
}

/// The first binary chunk from `at` on; other kinds of chunks are ignored (§4.4.3).
fn binary(file: Bytes<'_>, mut at: u64) -> Result<Option<Bytes<'_>>, GltfError> {
    while at < file.len() {
        let part = "binary chunk";
        let chunk = chunk(file, at)?.ok_or(GltfError::Torn { part })?;
        if chunk.kind == BIN {
            return Ok(Some(chunk.contents));
        }
        at = chunk.end;
    }
    Ok(None)
}

struct Chunk<'a> {
    kind: [u8; 4],
    contents: Bytes<'a>,
    /// The offset of the next chunk in the file.
    end: u64,
}

/// The chunk at `at`; `None` if the file ends in it.
fn chunk(file: Bytes<'_>, at: u64) -> Result<Option<Chunk<'_>>, GltfError> {
    let Some(head) = file.part(at, 8) else {
        return Ok(None);
    };
    let head = head.read()?;
    let Some((length, kind)) = head.split_first_chunk() else {
        return Ok(None);
    };
    let (start, length) = (at + 8, u32::from_le_bytes(*length).into());
    let contents = file.part(start, length);
    let kind = kind.first_chunk().copied().unwrap_or_default();
    Ok(contents.map(|contents| Chunk {
        kind,
        contents,
        end: start + length,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::gltf::testing::glb;

    fn read(file: &[u8]) -> Result<(Vec<u8>, Option<Vec<u8>>), GltfError> {
        let container = Container::read(file.into())?;
        let binary = container
            .binary
            .map(|bytes| bytes.read().unwrap().into_owned());
        Ok((container.json.into_owned(), binary))
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
            assert_eq!(read.is_ok(), len == whole_without_binary, "{len}");
        }
        let part = |len: usize| read(&file[..len]).unwrap_err();
        assert_eq!(part(11), GltfError::Torn { part: "header" });
        assert_eq!(part(21), GltfError::Torn { part: "JSON text" });
        let torn = GltfError::Torn {
            part: "binary chunk",
        };
        assert_eq!(part(file.len() - 1), torn);
    }

    #[test]
    fn version_1_is_refused_by_its_number() {
        let mut file = glb("{}", None);
        file[4] = 1;
        let error = read(&file).unwrap_err();
        assert_eq!(error, GltfError::Container { version: 1 });
    }
}
