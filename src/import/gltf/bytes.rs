//! Bytes of a file, in memory or read piece by piece on demand.
//!
//! A large file is not held in memory. The requested parts are read through a small buffer directly into the model's
//! lists. That is as fast as a memory map, which touches each page twice, but safe: if another process truncates the
//! file, the result is an error instead of a `SIGBUS`.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// Files up to this size are read at once.
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
