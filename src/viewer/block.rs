//! Blocks of a page: lists of numbers, filtered so that deflate packs them well, and bytes.

use serde::Serialize;

/// How hard deflate tries.
const LEVEL: u8 = 7;

/// A list of 32-bit numbers in a block.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Words {
    block: usize,
    /// The first byte.
    at: usize,
    /// How many numbers.
    count: usize,
    /// Each number is stored as its difference from the number this many before it.
    stride: usize,
}

/// Bytes in a block.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Bytes {
    block: usize,
    at: usize,
    count: usize,
}

/// A part of a page's data that is inflated as a whole.
#[derive(Debug)]
pub(super) struct Block {
    index: usize,
    bytes: Vec<u8>,
}

impl Block {
    /// * `index` – among the blocks of the page.
    pub(super) fn new(index: usize) -> Self {
        Self {
            index,
            bytes: Vec::new(),
        }
    }

    /// Appends numbers.
    ///
    /// Differences of neighbours have small magnitudes, which zigzag moves to the low bits; then all highest bytes come first, so
    /// that they are runs of zeros.
    ///
    /// * `stride` – the distance between numbers that are alike: 3 for positions, the numbers of a frame for frames.
    pub(super) fn words(&mut self, values: &[u32], stride: usize) -> Words {
        let stride = stride.max(1);
        let (at, count) = (self.bytes.len(), values.len());
        self.bytes.resize(at + 4 * count, 0);
        let planes = &mut self.bytes[at..];
        for (index, value) in values.iter().enumerate() {
            let before = index.checked_sub(stride).map_or(0, |before| values[before]);
            let difference = value.wrapping_sub(before).cast_signed();
            let zigzag = (difference << 1) ^ (difference >> 31);
            for (plane, byte) in zigzag.to_be_bytes().into_iter().enumerate() {
                planes[plane * count + index] = byte;
            }
        }
        Words {
            block: self.index,
            at,
            count,
            stride,
        }
    }

    /// Appends numbers by their bits.
    pub(super) fn floats(&mut self, values: &[f32], stride: usize) -> Words {
        let bits: Vec<u32> = values.iter().map(|value| value.to_bits()).collect();
        self.words(&bits, stride)
    }

    /// Appends bytes.
    pub(super) fn bytes(&mut self, bytes: &[u8]) -> Bytes {
        let at = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        Bytes {
            block: self.index,
            at,
            count: bytes.len(),
        }
    }

    /// The block as a zlib stream.
    pub(super) fn packed(&self) -> Vec<u8> {
        miniz_oxide::deflate::compress_to_vec_zlib(&self.bytes, LEVEL)
    }
}

#[cfg(test)]
pub(super) mod reading {
    //! What the page does to read a block.

    use serde_json::Value;

    /// The numbers that `words` of the JSON document refers to.
    pub(in crate::viewer) fn words(blocks: &[Vec<u8>], words: &Value) -> Vec<u32> {
        let (bytes, at, count) = located(blocks, words);
        let stride = number(words, "stride");
        let mut values: Vec<u32> = Vec::with_capacity(count);
        for index in 0..count {
            let plane = |plane: usize| bytes[at + plane * count + index];
            let zigzag = u32::from_be_bytes([plane(0), plane(1), plane(2), plane(3)]);
            let difference = (zigzag >> 1) ^ (zigzag & 1).wrapping_neg();
            let before = index.checked_sub(stride).map_or(0, |before| values[before]);
            values.push(before.wrapping_add(difference));
        }
        values
    }

    pub(in crate::viewer) fn floats(blocks: &[Vec<u8>], own: &Value) -> Vec<f32> {
        words(blocks, own).into_iter().map(f32::from_bits).collect()
    }

    fn located(blocks: &[Vec<u8>], part: &Value) -> (Vec<u8>, usize, usize) {
        let packed = &blocks[number(part, "block")];
        let bytes = miniz_oxide::inflate::decompress_to_vec_zlib(packed).expect("it is a stream");
        (bytes, number(part, "at"), number(part, "count"))
    }

    fn number(value: &Value, key: &str) -> usize {
        usize::try_from(value[key].as_u64().expect("it is a number")).expect("it is small")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_were_written() {
        let values = [0, 1, u32::MAX, 7, 1 << 31, (1 << 31) - 1, 12, 12, 12];
        for stride in [0, 1, 3, 100] {
            let mut block = Block::new(0);
            block.bytes(&[9; 5]);
            let words = block.words(&values, stride);
            let json = serde_json::to_value(words).expect("it is plain");
            assert_eq!(reading::words(&[block.packed()], &json), values);
        }
    }
}
