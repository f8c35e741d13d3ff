//! Numbers out of buffers (glTF 2.0, §3.6.2).

use super::document::{Accessor, Document, SparsePart};

const I8: u32 = 5120;
const U8: u32 = 5121;
const I16: u32 = 5122;
const U16: u32 = 5123;
const U32: u32 = 5125;
/// The component type that needs no conversion.
pub(super) const F32: u32 = 5126;

/// More numbers than this are no accessor but an attack: one without a buffer view costs its author nothing.
const MAX_NUMBERS: usize = 1 << 28;

/// Why an accessor cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum AccessError {
    /// It, its buffer view or its buffer.
    #[error("refers to something that is not there")]
    Missing,
    /// Of component or element.
    #[error("is of an unknown type")]
    UnknownType,
    /// Past the end of the buffer view or the buffer.
    #[error("reaches past the end of its data")]
    OutOfRange,
    /// See [`MAX_NUMBERS`].
    #[error("is absurdly large")]
    TooLarge,
}

/// The accessors of a document.
pub(super) struct Accessors<'a> {
    document: &'a Document,
    buffers: &'a [Vec<u8>],
}

impl<'a> Accessors<'a> {
    /// * `buffers` – the bytes of each of the document's buffers.
    pub(super) fn new(document: &'a Document, buffers: &'a [Vec<u8>]) -> Self {
        Self { document, buffers }
    }

    /// All numbers of accessor `index`, element by element; normalized ones in -1..1.
    pub(super) fn floats(&self, index: usize) -> Result<Vec<f32>, AccessError> {
        self.numbers(index, Layout::number)
    }

    /// All numbers of accessor `index`, which holds unsigned ones: indices.
    ///
    /// [`AccessError::UnknownType`] for others.
    pub(super) fn indices(&self, index: usize) -> Result<Vec<usize>, AccessError> {
        let accessor = self.document.accessors.get(index);
        match accessor.ok_or(AccessError::Missing)?.component_type {
            U8 | U16 | U32 => self.numbers(index, |_, bytes| little_endian(bytes)),
            _ => Err(AccessError::UnknownType),
        }
    }

    fn numbers<T: Copy + Default>(
        &self,
        index: usize,
        number: fn(Layout, &[u8]) -> T,
    ) -> Result<Vec<T>, AccessError> {
        let accessor = self
            .document
            .accessors
            .get(index)
            .ok_or(AccessError::Missing)?;
        let layout = Layout::of(accessor)?;
        let total = accessor.count.checked_mul(layout.components);
        let total = total
            .filter(|&total| total <= MAX_NUMBERS)
            .ok_or(AccessError::TooLarge)?;
        let mut numbers = match accessor.buffer_view {
            Some(view) => {
                let (offset, count) = (accessor.byte_offset, accessor.count);
                self.strided(view, offset, count, layout, number)?
            }
            None => vec![T::default(); total],
        };
        self.patch_sparse(accessor, layout, number, &mut numbers)?;
        Ok(numbers)
    }

    fn strided<T>(
        &self,
        view: usize,
        offset: usize,
        count: usize,
        layout: Layout,
        number: fn(Layout, &[u8]) -> T,
    ) -> Result<Vec<T>, AccessError> {
        let (bytes, stride) = self.view(view)?;
        let size = layout.components * layout.component_size;
        let stride = stride.unwrap_or(size);
        let mut numbers = Vec::with_capacity(
            (bytes.len() / layout.component_size).min(count * layout.components),
        );
        for element in 0..count {
            let start = element
                .checked_mul(stride)
                .and_then(|at| at.checked_add(offset));
            let start = start.ok_or(AccessError::OutOfRange)?;
            let end = start.checked_add(size).ok_or(AccessError::OutOfRange)?;
            let element = bytes.get(start..end).ok_or(AccessError::OutOfRange)?;
            let components = element.chunks_exact(layout.component_size);
            numbers.extend(components.map(|bytes| number(layout, bytes)));
        }
        Ok(numbers)
    }

    /// The bytes of a buffer view, and its stride.
    fn view(&self, index: usize) -> Result<(&'a [u8], Option<usize>), AccessError> {
        let view = self
            .document
            .buffer_views
            .get(index)
            .ok_or(AccessError::Missing)?;
        let buffer = self.buffers.get(view.buffer).ok_or(AccessError::Missing)?;
        let end = view.byte_offset.checked_add(view.byte_length);
        let bytes = end.and_then(|end| buffer.get(view.byte_offset..end));
        Ok((bytes.ok_or(AccessError::OutOfRange)?, view.byte_stride))
    }

    fn patch_sparse<T: Copy>(
        &self,
        accessor: &Accessor,
        layout: Layout,
        number: fn(Layout, &[u8]) -> T,
        numbers: &mut [T],
    ) -> Result<(), AccessError> {
        let Some(sparse) = &accessor.sparse else {
            return Ok(());
        };
        let indices = self.sparse_indices(&sparse.indices, sparse.count)?;
        let values = self.strided(
            sparse.values.buffer_view,
            sparse.values.byte_offset,
            sparse.count,
            layout,
            number,
        )?;
        for (index, value) in indices
            .into_iter()
            .zip(values.chunks_exact(layout.components))
        {
            let start = index
                .checked_mul(layout.components)
                .ok_or(AccessError::OutOfRange)?;
            let element = numbers
                .get_mut(start..)
                .and_then(|rest| rest.get_mut(..layout.components));
            element
                .ok_or(AccessError::OutOfRange)?
                .copy_from_slice(value);
        }
        Ok(())
    }

    fn sparse_indices(&self, part: &SparsePart, count: usize) -> Result<Vec<usize>, AccessError> {
        let size = component_size(part.component_type)?;
        let (bytes, _) = self.view(part.buffer_view)?;
        let bytes = bytes
            .get(part.byte_offset..)
            .ok_or(AccessError::OutOfRange)?;
        let chunks = bytes.chunks_exact(size).take(count);
        Ok(chunks.map(little_endian).collect())
    }
}

fn little_endian(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .rev()
        .fold(0, |word, &byte| word << 8 | usize::from(byte))
}

#[derive(Debug, Clone, Copy)]
struct Layout {
    components: usize,
    component_size: usize,
    component_type: u32,
    normalized: bool,
}

impl Layout {
    fn of(accessor: &Accessor) -> Result<Self, AccessError> {
        let components = match accessor.kind.as_str() {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            "MAT4" => 16,
            _ => return Err(AccessError::UnknownType),
        };
        Ok(Self {
            components,
            component_size: component_size(accessor.component_type)?,
            component_type: accessor.component_type,
            normalized: accessor.normalized,
        })
    }

    /// One component as a number; glTF 2.0 §3.11 for normalized ones.
    #[expect(
        clippy::cast_precision_loss,
        reason = "indices and counts are below 2^24"
    )]
    fn number(self, bytes: &[u8]) -> f32 {
        let (raw, max) = match (self.component_type, bytes) {
            (I8, &[a]) => (f32::from(i8::from_le_bytes([a])), 127.0),
            (U8, &[a]) => (f32::from(a), 255.0),
            (I16, &[a, b]) => (f32::from(i16::from_le_bytes([a, b])), 32767.0),
            (U16, &[a, b]) => (f32::from(u16::from_le_bytes([a, b])), 65535.0),
            (U32, &[a, b, c, d]) => (u32::from_le_bytes([a, b, c, d]) as f32, 1.0),
            (_, &[a, b, c, d]) => (f32::from_le_bytes([a, b, c, d]), 1.0),
            _ => (0.0, 1.0),
        };
        if !self.normalized || self.component_type == F32 {
            return raw;
        }
        (raw / max).max(-1.0)
    }
}

fn component_size(component_type: u32) -> Result<usize, AccessError> {
    match component_type {
        I8 | U8 => Ok(1),
        I16 | U16 => Ok(2),
        U32 | F32 => Ok(4),
        _ => Err(AccessError::UnknownType),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(accessor: &serde_json::Value, bytes: Vec<u8>) -> Result<Vec<f32>, AccessError> {
        let document = json!({
            "accessors": [accessor],
            "bufferViews": [{"buffer": 0, "byteLength": bytes.len()}],
        });
        let document: Document = serde_json::from_value(document).expect("a good document");
        Accessors::new(&document, &[bytes]).floats(0)
    }

    #[test]
    fn normalized_weights_are_fractions() {
        let weights = json!({"bufferView": 0, "componentType": U16, "normalized": true, "count": 2, "type": "SCALAR"});
        let numbers = read(&weights, vec![0xFF, 0xFF, 0x00, 0x00]);
        assert_eq!(numbers, Ok(vec![1.0, 0.0]));
    }

    #[test]
    fn an_accessor_without_data_is_zeros_with_sparse_exceptions() {
        let sparse = json!({
            "componentType": F32, "count": 3, "type": "SCALAR",
            "sparse": {
                "count": 1,
                "indices": {"bufferView": 0, "componentType": U8},
                "values": {"bufferView": 0, "byteOffset": 4},
            },
        });
        let mut bytes = vec![2, 0, 0, 0];
        bytes.extend(0.5_f32.to_le_bytes());
        assert_eq!(read(&sparse, bytes), Ok(vec![0.0, 0.0, 0.5]));
    }

    #[test]
    fn lies_about_sizes_are_errors() {
        let past = json!({"bufferView": 0, "componentType": F32, "count": 3, "type": "VEC3"});
        assert_eq!(read(&past, vec![0; 35]), Err(AccessError::OutOfRange));
        let huge = json!({"componentType": F32, "count": usize::MAX / 2, "type": "VEC4"});
        assert_eq!(read(&huge, vec![]), Err(AccessError::TooLarge));
        let odd = json!({"componentType": 1, "count": 1, "type": "SCALAR"});
        assert_eq!(read(&odd, vec![]), Err(AccessError::UnknownType));
    }
}
