//! Elements of a buffer view (glTF 2.0, §3.6.2.4).

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
    /// * `size` – of an element, in bytes.
    /// * `of` – what `bytes` belong to.
    pub(super) fn new(
        bytes: &'a [u8],
        offset: u64,
        stride: usize,
        count: u64,
        size: usize,
        of: impl FnOnce() -> String,
    ) -> Result<Self, AccessProblem> {
        if stride == 0 {
            return Err(AccessProblem::NoStride);
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

    /// The bytes of element `index`, which is below the count; none for others.
    pub(super) fn at(&self, index: usize) -> &'a [u8] {
        let start = index.saturating_mul(self.stride);
        let end = start.saturating_add(self.size);
        self.bytes.get(start..end).unwrap_or_default()
    }
}
