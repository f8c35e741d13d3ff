//! GLB, the binary container of glTF (2.0, §4), and the bytes of a file, in memory or read piece by piece on demand.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

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

/// Files up to this size are read at once. Larger ones are read piece by piece: a GLB of 143 MB is imported as fast within 266 MB
/// as within 401 MB.
pub(super) const SMALL: u64 = 8 << 20;

/// A range of bytes of a file, of a data URI or of a list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bytes<'a> {
    source: Source<'a>,
    start: u64,
    len: u64,
}

#[derive(Debug, Clone, Copy)]
enum Source<'a> {
    Memory(&'a [u8]),
    File(&'a File),
}

/// A file, in memory if it is small.
#[derive(Debug)]
pub(super) enum Opened {
    Memory(Vec<u8>),
    File { file: File, len: u64 },
}

impl Opened {
    /// The first `most` bytes of `file`, or all if it has fewer.
    pub(super) fn new(mut file: File, most: u64) -> io::Result<Self> {
        let len = file.metadata()?.len().min(most);
        if len > SMALL {
            return Ok(Self::File { file, len });
        }
        let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or(0));
        (&mut file).take(len).read_to_end(&mut bytes)?;
        Ok(Self::Memory(bytes))
    }

    pub(super) fn bytes(&self) -> Bytes<'_> {
        match self {
            Self::Memory(bytes) => Bytes::from(bytes.as_slice()),
            Self::File { file, len } => Bytes {
                source: Source::File(file),
                start: 0,
                len: *len,
            },
        }
    }
}

impl<'a> From<&'a [u8]> for Bytes<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self {
            source: Source::Memory(bytes),
            start: 0,
            len: bytes.len() as u64,
        }
    }
}

impl<'a> Bytes<'a> {
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// The `len` bytes from `start` on; `None` if there are fewer.
    pub(super) fn part(&self, start: u64, len: u64) -> Option<Self> {
        let end = start.checked_add(len)?;
        (end <= self.len).then_some(Self {
            start: self.start + start,
            len,
            ..*self
        })
    }

    /// The first `len` bytes, or all if there are fewer.
    pub(super) fn first(&self, len: u64) -> Self {
        Self {
            len: self.len.min(len),
            ..*self
        }
    }

    /// The bytes, if they are in memory.
    pub(super) fn in_memory(&self) -> Option<&'a [u8]> {
        match self.source {
            Source::Memory(bytes) => {
                let start = usize::try_from(self.start).ok()?;
                let len = usize::try_from(self.len).ok()?;
                bytes.get(start..)?.get(..len)
            }
            Source::File(_) => None,
        }
    }

    /// The bytes.
    pub(super) fn read(&self) -> io::Result<Cow<'a, [u8]>> {
        if let Some(bytes) = self.in_memory() {
            return Ok(bytes.into());
        }
        let mut bytes = Vec::new();
        self.read_into(&mut bytes)?;
        Ok(bytes.into())
    }

    /// Replaces the contents of `buffer` with the bytes.
    pub(super) fn read_into(&self, buffer: &mut Vec<u8>) -> io::Result<()> {
        let too_long = |_| io::Error::from(io::ErrorKind::OutOfMemory);
        buffer.resize(usize::try_from(self.len).map_err(too_long)?, 0);
        match self.source {
            Source::Memory(_) => buffer.copy_from_slice(self.in_memory().unwrap_or_default()),
            Source::File(mut file) => {
                file.seek(SeekFrom::Start(self.start))?;
                file.read_exact(buffer)?;
            }
        }
        Ok(())
    }
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

    #[test]
    fn a_part_of_a_part_is_the_same_in_memory_and_in_a_file() {
        let numbers: Vec<u8> = (0..=255).collect();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.bin");
        std::fs::write(&path, &numbers).unwrap();
        let file = Opened::File {
            file: File::open(&path).unwrap(),
            len: 256,
        };
        for bytes in [Bytes::from(numbers.as_slice()), file.bytes()] {
            let part = bytes.part(100, 50).unwrap().part(7, 3).unwrap();
            assert_eq!(*part.read().unwrap(), [107, 108, 109]);
            assert_eq!(*part.first(1).read().unwrap(), [107]);
            assert!(part.part(1, 3).is_none() && part.part(u64::MAX, 1).is_none());
        }
    }

    #[test]
    fn a_file_that_was_cut_short_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.bin");
        std::fs::write(&path, [1; 100]).unwrap();
        let file = Opened::File {
            file: File::open(&path).unwrap(),
            len: 100,
        };
        File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_len(40)
            .unwrap();
        assert!(file.bytes().part(0, 40).unwrap().read().is_ok());
        assert!(file.bytes().read().is_err());
    }

    #[test]
    fn a_small_file_is_read_at_once_up_to_the_requested_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.bin");
        std::fs::write(&path, [1; 100]).unwrap();
        for (most, len) in [(10, 10), (1000, 100)] {
            let opened = Opened::new(File::open(&path).unwrap(), most).unwrap();
            assert_eq!(opened.bytes().in_memory().map(<[u8]>::len), Some(len));
        }
    }
}
