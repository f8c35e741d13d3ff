//! Elements of a buffer view (glTF 2.0, §3.6.2.4).

use super::Elements;
use crate::gltf::container::part;
use crate::gltf::error::AccessProblem;

/// How many elements are decoded at once where there are gaps between them.
const AT_ONCE: usize = 256;

/// Elements at equal distances, all of them inside their bytes.
pub(super) struct Strided<'a> {
    /// The bytes from the first element on.
    bytes: &'a [u8],
    stride: u64,
    size: usize,
    /// The number of elements.
    pub(super) count: u64,
}

impl<'a> Strided<'a> {
    /// * `offset`, `count` – the start of the first element, and the number of elements.
    /// * `size` – of an element, in bytes.
    /// * `of` – the owner of `bytes`, for messages.
    pub(super) fn new(
        bytes: &'a [u8],
        [offset, count]: [u64; 2],
        stride: u64,
        size: usize,
        of: impl FnOnce() -> String,
    ) -> Result<Self, AccessProblem> {
        if stride < size as u64 {
            return Err(AccessProblem::Overlap { stride, size });
        }
        let len = match count {
            0 => 0,
            _ => (count - 1)
                .saturating_mul(stride)
                .saturating_add(size as u64),
        };
        let elements = part(bytes, offset, len).ok_or_else(|| AccessProblem::OutOfRange {
            needed: offset.saturating_add(len),
            of: of(),
            available: bytes.len() as u64,
        })?;
        Ok(Self {
            bytes: elements,
            stride,
            size,
            count,
        })
    }

    /// Calls `each` with the bytes of the requested elements, in order and without the gaps between them, many at a time.
    pub(super) fn for_each(&self, elements: Elements<'_>, each: &mut dyn FnMut(&[u8])) {
        match elements {
            Elements::All => self.for_each(Elements::Range(0, self.count), each),
            Elements::Range(start, end) if self.stride == self.size as u64 => {
                let len = end.saturating_sub(start).saturating_mul(self.stride);
                each(part(self.bytes, start.saturating_mul(self.stride), len).unwrap_or_default());
            }
            Elements::Range(start, end) => {
                self.gather((start..end).filter_map(|index| self.element(index)), each);
            }
            Elements::Only(list) => {
                let indices = list.iter().copied().map(u64::from);
                self.gather(indices.filter_map(|index| self.element(index)), each);
            }
        }
    }

    fn gather(&self, elements: impl Iterator<Item = &'a [u8]>, each: &mut dyn FnMut(&[u8])) {
        let most = AT_ONCE * self.size;
        let mut gathered = Vec::with_capacity(most);
        for element in elements {
            gathered.extend_from_slice(element);
            if gathered.len() >= most {
                each(&gathered);
                gathered.clear();
            }
        }
        each(&gathered);
    }

    /// `None` past the last one.
    fn element(&self, index: u64) -> Option<&'a [u8]> {
        part(
            self.bytes,
            index.checked_mul(self.stride)?,
            self.size as u64,
        )
    }
}
