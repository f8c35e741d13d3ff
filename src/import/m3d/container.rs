//! The outside of a file: its chunks, and the sizes of the numbers in them.

use std::borrow::Cow;

use super::cursor::{Cursor, Damage};
use crate::import::text::decode;

/// What a compressed model may become: a hundred times any that is in use.
const MOST_BYTES: usize = 1 << 28;

/// Bytes of the header before its texts.
const HEADER: usize = 16;

/// The sizes of numbers, in bytes; 0 for those that the file does without.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    pub(super) coordinate: usize,
    pub(super) vector: usize,
    pub(super) text: usize,
    pub(super) color: usize,
    pub(super) texture_point: usize,
    pub(super) bone: usize,
    /// How many weights a skin has.
    pub(super) weights: usize,
    pub(super) skin: usize,
    pub(super) transforms: usize,
}

impl Sizes {
    /// From the bits of the header, two each: the exponent of 2, and 3 for nothing where that makes sense.
    fn of(types: u32) -> Self {
        let size = |index: u32| 1 << (types >> (2 * index) & 3);
        let optional = |index| if size(index) == 8 { 0 } else { size(index) };
        Self {
            coordinate: size(0),
            vector: size(1),
            text: size(2),
            color: optional(3),
            texture_point: optional(4),
            bone: optional(5),
            weights: size(6),
            skin: optional(7),
            transforms: optional(8),
        }
    }
}

/// An unpacked file.
#[derive(Debug)]
pub(super) struct Container<'a> {
    bytes: Cow<'a, [u8]>,
    pub(super) sizes: Sizes,
    pub(super) metres_per_unit: f32,
    header: usize,
}

/// A part of a file.
pub(super) struct Chunk<'a> {
    pub(super) magic: [u8; 4],
    pub(super) body: &'a [u8],
}

impl<'a> Container<'a> {
    /// Unpacks `file`.
    ///
    /// # Errors
    ///
    /// [`Damage`] if it is no binary Model 3D, cannot be unpacked, or its header is cut.
    pub(super) fn open(file: &'a [u8]) -> Result<Self, Damage> {
        let mut rest = file.strip_prefix(b"3DMO").ok_or(Damage::Signature)?;
        rest = rest.get(4..).ok_or(Damage::Cut("3DMO"))?;
        if let Some((_, behind)) = split(rest).filter(|(chunk, _)| chunk.magic == *b"PRVW") {
            rest = behind;
        }
        let bytes = if rest.starts_with(b"HEAD") {
            Cow::Borrowed(rest)
        } else {
            let unpacked = fdeflate::decompress_to_vec_bounded(rest, MOST_BYTES);
            Cow::Owned(unpacked.map_err(|_| Damage::Compression)?)
        };
        let (head, _) = split(&bytes).ok_or(Damage::Cut("HEAD"))?;
        if head.magic != *b"HEAD" {
            return Err(Damage::Signature);
        }
        let mut cursor = Cursor::new("HEAD", head.body);
        let (metres_per_unit, types) = (cursor.f32()?, cursor.u32()?);
        let sizes = Sizes::of(types);
        if sizes.vector > 4 || sizes.text > 4 {
            return Err(Damage::Sizes);
        }
        let header = head.body.len() + 8;
        Ok(Self {
            bytes,
            sizes,
            metres_per_unit,
            header,
        })
    }

    /// The chunks behind the header, up to the last one or to what is none.
    pub(super) fn chunks(&self) -> impl Iterator<Item = Chunk<'_>> {
        let mut rest = self.bytes.get(self.header..).unwrap_or_default();
        std::iter::from_fn(move || {
            let (chunk, behind) = split(rest)?;
            rest = behind;
            Some(chunk)
        })
    }

    /// Whether the file has an end, and so all that it had.
    pub(super) fn has_end(&self) -> bool {
        let mut rest = self.bytes.get(self.header..).unwrap_or_default();
        while let Some((_, behind)) = split(rest) {
            rest = behind;
        }
        rest.starts_with(b"OMD3")
    }

    /// The text that `cursor` refers to; `None` where it refers to none.
    pub(super) fn text(&self, cursor: &mut Cursor<'_>) -> Result<Option<String>, Damage> {
        let place = cursor.index(self.sizes.text)?.filter(|&place| place > 0);
        Ok(place.map(|place| self.text_at(place)))
    }

    /// The title of the model.
    pub(super) fn title(&self) -> String {
        self.text_at(0)
    }

    fn text_at(&self, place: usize) -> String {
        let texts = self.bytes.get(HEADER..self.header).unwrap_or_default();
        let text = texts.get(place..).unwrap_or_default();
        let text = text.split(|&byte| byte == 0).next().unwrap_or_default();
        decode(&text[..text.len().min(LONGEST_TEXT)])
    }
}

/// A hostile file may refer to one long text from everywhere.
const LONGEST_TEXT: usize = 1024;

/// The first chunk of `bytes` and what is behind it; `None` for the end, and for what is no chunk.
fn split(bytes: &[u8]) -> Option<(Chunk<'_>, &[u8])> {
    let (magic, rest) = bytes.split_first_chunk::<4>()?;
    if magic == b"OMD3" {
        return None;
    }
    let len = u32::from_le_bytes(*rest.first_chunk()?);
    let len = usize::try_from(len).ok().filter(|&len| len >= 8)?;
    let (chunk, behind) = bytes.split_at_checked(len)?;
    let chunk = Chunk {
        magic: *magic,
        body: &chunk[8..],
    };
    Some((chunk, behind))
}
