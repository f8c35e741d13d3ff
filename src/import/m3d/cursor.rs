//! A walk through a part of a file.

/// Why a file is no model, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub(super) enum Damage {
    /// Something else; or the text form, which is rare.
    #[error("it does not begin as a binary Model 3D does")]
    Signature,
    /// The compressed part is none, or larger than any model.
    #[error("its compressed part cannot be unpacked")]
    Compression,
    /// Numbers of a size that the format does not have.
    #[error("its header asks for numbers of 8 bytes where there are none")]
    Sizes,
    /// A chunk ends before what it holds does, or after the file.
    #[error("the chunk {0} is cut")]
    Cut(&'static str),
    /// A number points at something that is not there.
    #[error("{place} names {what} {number}, and there are {count}")]
    NotThere {
        place: String,
        what: &'static str,
        number: usize,
        count: usize,
    },
    /// A chunk twice, or before the one that it needs.
    #[error("the chunk {0} is there twice, or in the wrong place")]
    Place(&'static str),
    /// Faces that are not triangles.
    #[error("a face has {0} corners, and only triangles are known")]
    Corners(u8),
    /// More keys than any animation has.
    #[error("its actions have more than {0} keys")]
    TooManyKeys(u64),
    /// The joints hang on each other in no sensible way.
    #[error(transparent)]
    Hierarchy(#[from] crate::import::hierarchy::HierarchyError),
}

/// What is left of a chunk.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'a> {
    /// Of the chunk.
    name: &'static str,
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub(super) fn new(name: &'static str, rest: &'a [u8]) -> Self {
        Self { name, rest }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(super) fn take(&mut self, len: usize) -> Result<&'a [u8], Damage> {
        let (taken, rest) = self
            .rest
            .split_at_checked(len)
            .ok_or(Damage::Cut(self.name))?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Damage> {
        let taken = self.take(N)?;
        taken.try_into().map_err(|_| Damage::Cut(self.name))
    }

    pub(super) fn u8(&mut self) -> Result<u8, Damage> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(super) fn u16(&mut self) -> Result<u16, Damage> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, Damage> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn f32(&mut self) -> Result<f32, Damage> {
        self.array().map(f32::from_le_bytes)
    }

    pub(super) fn f64(&mut self) -> Result<f64, Damage> {
        self.array().map(f64::from_le_bytes)
    }

    /// A number of `size` bytes; `None` for the two largest, which mean nothing, and for size 0.
    pub(super) fn index(&mut self, size: usize) -> Result<Option<usize>, Damage> {
        let (number, most) = match size {
            1 => (u32::from(self.u8()?), u32::from(u8::MAX)),
            2 => (u32::from(self.u16()?), u32::from(u16::MAX)),
            4 => (self.u32()?, u32::MAX),
            _ => return Ok(None),
        };
        Ok((number < most - 1).then_some(number as usize))
    }
}
