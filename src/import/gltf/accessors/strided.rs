//! Elements of a buffer view (glTF 2.0, §3.6.2.4).

use std::io;

use super::Elements;
use crate::import::gltf::container::Bytes;
use crate::import::gltf::error::AccessProblem;

/// How many bytes of a file are read at once: few enough to stay in the processor's cache until they are used.
const PIECE: u64 = 256 << 10;

/// Elements at equal distances, all of them inside their bytes.
pub(super) struct Strided<'a> {
    /// The bytes from the first element on.
    bytes: Bytes<'a>,
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
        bytes: Bytes<'a>,
        [offset, count]: [u64; 2],
        stride: u64,
        size: usize,
        of: impl FnOnce() -> String,
    ) -> Result<Self, AccessProblem> {
        if stride < size as u64 {
            return Err(AccessProblem::Overlap { stride, size });
        }
        let len = span(count, stride, size);
        let bytes = bytes
            .part(offset, len)
            .ok_or_else(|| AccessProblem::OutOfRange {
                needed: offset.saturating_add(len),
                of: of(),
                available: bytes.len(),
            })?;
        Ok(Self {
            bytes,
            stride,
            size,
            count,
        })
    }

    /// Calls `each` with the bytes of the requested elements, some at a time, without gaps between them.
    ///
    /// * `piece` – a buffer for the bytes read at once; its contents are ignored.
    pub(super) fn for_each_piece(
        &self,
        elements: Elements<'_>,
        piece: &mut Vec<u8>,
        mut each: impl FnMut(&[u8]),
    ) -> io::Result<()> {
        let at_once = (PIECE / self.stride).max(1);
        match elements {
            Elements::All => {
                self.for_each_piece(Elements::Range(0, self.count), piece, each)?;
            }
            Elements::Range(start, end) => {
                let packed = self.some(start, end).in_memory();
                if let Some(bytes) = packed.filter(|_| self.stride == self.size as u64) {
                    each(bytes);
                    return Ok(());
                }
                let mut first = start;
                while first < end {
                    let next = end.min(first.saturating_add(at_once));
                    self.some(first, next).read_into(piece)?;
                    if self.stride != self.size as u64 {
                        self.pack(piece, (0..next - first).map(Some));
                    }
                    each(piece);
                    first = next;
                }
            }
            Elements::Only(list) => {
                let mut left = list;
                while let Some(&first) = left.first() {
                    let first = u64::from(first);
                    let near = left.partition_point(|&index| u64::from(index) - first < at_once);
                    let (now, later) = left.split_at(near);
                    let last = now.last().map_or(first, |&last| u64::from(last));
                    self.some(first, last + 1).read_into(piece)?;
                    let numbers = now.iter().map(|&index| u64::from(index).checked_sub(first));
                    self.pack(piece, numbers);
                    each(piece);
                    left = later;
                }
            }
        }
        Ok(())
    }

    /// The bytes of the elements from `start` up to `end`, exclusively; none if they are past the last one.
    fn some(&self, start: u64, end: u64) -> Bytes<'a> {
        let len = span(end.saturating_sub(start), self.stride, self.size);
        let bytes = self.bytes.part(start.saturating_mul(self.stride), len);
        bytes.unwrap_or(self.bytes.first(0))
    }

    /// Moves the elements with these indices, which ascend, to the start of `piece`, and drops the rest. A destination is never
    /// after its source, so this works in place.
    fn pack(&self, piece: &mut Vec<u8>, numbers: impl Iterator<Item = Option<u64>>) {
        let mut packed = 0;
        for number in numbers {
            let start = number
                .and_then(|number| usize::try_from(number * self.stride).ok())
                .unwrap_or(usize::MAX);
            let end = start.saturating_add(self.size);
            if end > piece.len() {
                break;
            }
            if start != packed {
                piece.copy_within(start..end, packed);
            }
            packed += self.size;
        }
        piece.truncate(packed);
    }
}

/// The number of bytes from the start of the first of `count` elements to the end of the last.
fn span(count: u64, stride: u64, size: usize) -> u64 {
    match count {
        0 => 0,
        _ => (count - 1)
            .saturating_mul(stride)
            .saturating_add(size as u64),
    }
}
