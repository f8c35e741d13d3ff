//! The bytes of a file, its header, and what is wrong with them.

use std::ops::Range;

use crate::ImporterError;
use crate::hierarchy::HierarchyError;
use crate::text::decode;

/// How many bytes of a name are read: a hostile file may refer to one long text from everywhere.
const LONGEST_NAME: usize = 1024;

/// A fault of a file and its position.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub(super) enum Damage {
    /// The first 16 bytes are others.
    #[error("it does not begin with INTERQUAKEMODEL")]
    Signature,
    /// Version 1 stored quaternions of three parts, and no exporter of the last decade writes it.
    #[error("it has version {0}; only version 2 is supported")]
    Version(u32),
    /// A list ends after the file.
    #[error("{what} extend to byte {end}, but the file has {len}")]
    PastEnd {
        what: &'static str,
        end: u64,
        len: usize,
    },
    /// A number points at something that is not there.
    #[error("{location} names {what} {number}, but there are {count}")]
    NotThere {
        location: String,
        what: &'static str,
        number: i64,
        count: usize,
    },
    /// A range of a list ends after it.
    #[error("{location} uses {what} {first} to {end}, but there are {count}")]
    RangePastEnd {
        location: String,
        what: &'static str,
        first: u32,
        end: u64,
        count: usize,
    },
    /// The hierarchy of the joints is invalid.
    #[error(transparent)]
    Hierarchy(#[from] HierarchyError),
    /// A vertex array whose values are of no known kind.
    #[error("vertex array {array} has {size} components of format {format}")]
    Components {
        array: usize,
        size: u32,
        format: u32,
    },
    /// The poses and the header do not agree on how many numbers a frame has.
    #[error(
        "a frame has {stated} channels according to the header, but {used} according to its poses"
    )]
    Channels { stated: u32, used: u32 },
    /// Overlapping ranges make more of the file than any honest one does.
    #[error("{what} overlap so much that they total {count}")]
    TooMany { what: &'static str, count: u64 },
}

impl From<Damage> for ImporterError {
    fn from(damage: Damage) -> Self {
        Self::parse(damage)
    }
}

/// How many there are of something, and at which byte they begin.
#[derive(Debug, Clone, Copy)]
pub(super) struct List {
    pub(super) count: u32,
    pub(super) offset: u32,
}

/// All of a file. Numbers are little-endian, and everything but vertices, frames and text is made of 32-bit words.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bytes<'a>(pub(super) &'a [u8]);

impl<'a> Bytes<'a> {
    /// The items of a list, of `stride` bytes each; empty for a count of 0, whatever the offset.
    pub(super) fn list(
        self,
        what: &'static str,
        List { count, offset }: List,
        stride: u64,
    ) -> Result<&'a [u8], Damage> {
        if count == 0 {
            return Ok(&[]);
        }
        let end = u64::from(count)
            .saturating_mul(stride)
            .saturating_add(u64::from(offset));
        let range = usize::try_from(end).ok().map(|end| offset as usize..end);
        let bytes = range.and_then(|range| self.0.get(range));
        let len = self.0.len();
        bytes.ok_or(Damage::PastEnd { what, end, len })
    }

    /// The records of a list, of `N` words each.
    pub(super) fn records<const N: usize>(
        self,
        what: &'static str,
        list: List,
    ) -> Result<Vec<[u32; N]>, Damage> {
        let bytes = self.list(what, list, 4 * N as u64)?;
        let records = bytes.chunks_exact(4 * N);
        Ok(records.map(words).collect())
    }
}

/// The words of `record`, which has four bytes for each; what it lacks is 0.
pub(super) fn words<const N: usize>(record: &[u8]) -> [u32; N] {
    let (words, _) = record.as_chunks::<4>();
    std::array::from_fn(|index| words.get(index).map_or(0, |word| u32::from_le_bytes(*word)))
}

/// The numbers of three, four or more words.
pub(super) fn floats<const N: usize>(words: &[u32]) -> [f32; N] {
    std::array::from_fn(|index| words.get(index).map_or(0.0, |word| f32::from_bits(*word)))
}

/// The names of a file, one behind the other, each with a zero at its end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Names<'a>(pub(super) &'a [u8]);

impl Names<'_> {
    /// The name that begins at byte `offset` of the text. One without an end ends with the text.
    pub(super) fn at(
        self,
        offset: u32,
        location: impl FnOnce() -> String,
    ) -> Result<String, Damage> {
        // Files without names may have no text at all.
        if offset == 0 && self.0.is_empty() {
            return Ok(String::new());
        }
        let rest = self.0.get(offset as usize..);
        let rest = rest
            .filter(|rest| !rest.is_empty())
            .ok_or_else(|| Damage::NotThere {
                location: location(),
                what: "byte of text",
                number: offset.into(),
                count: self.0.len(),
            })?;
        let name = rest.split(|&byte| byte == 0).next().unwrap_or_default();
        Ok(decode(&name[..name.len().min(LONGEST_NAME)]))
    }
}

/// The range of `count` items from `first` on, of a list of `len`.
pub(super) fn range(
    location: impl FnOnce() -> String,
    what: &'static str,
    first: u32,
    count: u32,
    len: usize,
) -> Result<Range<usize>, Damage> {
    let end = u64::from(first) + u64::from(count);
    match usize::try_from(end) {
        Ok(end) if end <= len => Ok(first as usize..end),
        _ => Err(Damage::RangePastEnd {
            location: location(),
            what,
            first,
            end,
            count: len,
        }),
    }
}

/// The first bytes of every file.
const MAGIC: &[u8; 16] = b"INTERQUAKEMODEL\0";

/// The only version that is known, of 2011.
const VERSION: u32 = 2;

/// Words behind the magic.
const WORDS: usize = 27;

/// The header, without what is of no use here (adjacency, bounds, comments, extensions).
#[derive(Debug)]
pub(super) struct Header<'a> {
    pub(super) names: Names<'a>,
    pub(super) meshes: List,
    pub(super) vertex_arrays: List,
    pub(super) vertices: u32,
    pub(super) triangles: List,
    pub(super) joints: List,
    pub(super) poses: List,
    pub(super) clips: List,
    pub(super) frames: List,
    /// The number of channels of each frame.
    pub(super) channels: u32,
}

impl<'a> Header<'a> {
    /// Reads the header of `file`.
    ///
    /// # Errors
    ///
    /// [`Damage`] if it is not an IQM header, has another version, is cut short, or its text is missing.
    pub(super) fn read(file: Bytes<'a>) -> Result<Self, Damage> {
        let rest = file
            .0
            .strip_prefix(MAGIC)
            .ok_or(Damage::Signature)?
            .get(..4 * WORDS)
            .ok_or(Damage::PastEnd {
                what: "the header",
                end: (MAGIC.len() + 4 * WORDS) as u64,
                len: file.0.len(),
            })?;
        let word: [u32; WORDS] = words(rest);
        if word[0] != VERSION {
            return Err(Damage::Version(word[0]));
        }
        let list = |count: usize, offset: usize| List {
            count: word[count],
            offset: word[offset],
        };
        Ok(Self {
            names: Names(file.list("the names", list(3, 4), 1)?),
            meshes: list(5, 6),
            vertex_arrays: list(7, 9),
            vertices: word[8],
            triangles: list(10, 11),
            joints: list(13, 14),
            poses: list(15, 16),
            clips: list(17, 18),
            frames: list(19, 21),
            channels: word[20],
        })
    }
}
