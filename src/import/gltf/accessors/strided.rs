//! Elements of a buffer view (glTF 2.0, §3.6.2.4).

use std::borrow::Cow;

use crate::import::gltf::error::AccessProblem;

/// Elements at equal distances, all of them inside of their bytes.
pub(super) struct Strided<'a> {
    bytes: &'a [u8],
    stride: usize,
    size: usize,
    /// How many there are.
    pub(super) count: usize,
}

impl<'a> Strided<'a> {
    /// * `offset`, `count` – where the first element begins, and how many there are.
    /// * `size` – of an element, in bytes.
    /// * `of` – what `bytes` belong to.
    pub(super) fn new(
        bytes: &'a [u8],
        [offset, count]: [u64; 2],
        stride: usize,
        size: usize,
        of: impl FnOnce() -> String,
    ) -> Result<Self, AccessProblem> {
        if stride < size {
            return Err(AccessProblem::Overlap { stride, size });
        }
        let between = count.saturating_sub(1).saturating_mul(stride as u64);
        let needed = match count {
            0 => offset,
            _ => offset.saturating_add(between).saturating_add(size as u64),
        };
        let fits = usize::try_from(offset)
            .ok()
            .zip(usize::try_from(count).ok());
        let fits = fits.filter(|_| needed <= bytes.len() as u64);
        let (offset, count) = fits.ok_or_else(|| AccessProblem::OutOfRange {
            needed,
            of: of(),
            available: bytes.len(),
        })?;
        Ok(Self {
            bytes: &bytes[offset..],
            stride,
            size,
            count,
        })
    }

    /// The bytes of all elements, without any between them.
    pub(super) fn all(&self) -> Cow<'a, [u8]> {
        if self.stride == self.size {
            return self.bytes[..self.count * self.size].into();
        }
        let mut packed = Vec::with_capacity(self.count * self.size);
        for index in 0..self.count {
            packed.extend_from_slice(self.at(index));
        }
        packed.into()
    }

    /// The bytes of element `index`, which is below the count; none for others.
    pub(super) fn at(&self, index: usize) -> &'a [u8] {
        let start = index.saturating_mul(self.stride);
        let end = start.saturating_add(self.size);
        self.bytes.get(start..end).unwrap_or_default()
    }
}
