//! The header: where everything is.

use super::bytes::{Bytes, Damage, List, Names, words};

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
        let rest = file.0.strip_prefix(MAGIC).ok_or(Damage::Signature)?;
        let rest = rest.get(..4 * WORDS).ok_or(Damage::PastEnd {
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
