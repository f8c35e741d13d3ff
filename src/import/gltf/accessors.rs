//! Numbers out of buffers (glTF 2.0, §3.6.2).

mod strided;
mod types;

use std::borrow::Cow;
use std::cell::Cell;

use gltf::json::accessor::ComponentType;
use gltf::json::accessor::sparse::Sparse;
use gltf::json::validation::Checked;
use gltf::json::{Accessor, Index, buffer};

use super::buffers::Buffers;
use super::document::{Document, Part};
use super::error::{AccessProblem, GltfError};
use strided::Strided;
use types::{component, component_name, expect_width};

/// Numbers that any file may ask for, however small it is.
const FREE_NUMBERS: u64 = 1 << 22;

/// Numbers that each byte of the files justifies. One byte is at most one number, but accessors may be used by many
/// primitives, and sparse ones hold zeros that are nowhere in the file.
const NUMBERS_PER_BYTE: u64 = 256;

/// Numbers that no file justifies: 1 GiB of them.
const MOST_NUMBERS: u64 = 1 << 28;

/// The accessors of a document.
pub(super) struct Accessors<'a> {
    document: &'a Document,
    buffers: &'a Buffers<'a>,
    /// How many numbers have been asked for.
    spent: Cell<u64>,
}

/// Which elements of an accessor are wanted.
#[derive(Debug, Clone, Copy)]
pub(super) enum Elements<'a> {
    /// Every one.
    All,
    /// Those with these numbers, which ascend and are below the count.
    Only(&'a [u32]),
}

/// Whether what an accessor holds is stored as integers of any size.
pub(super) fn is_of_integers(accessor: &Accessor) -> bool {
    component(accessor.component_type).is_ok_and(|component| component != ComponentType::F32)
}

impl<'a> Accessors<'a> {
    /// None has been read yet.
    pub(super) fn new(document: &'a Document, buffers: &'a Buffers<'a>) -> Self {
        Self {
            document,
            buffers,
            spent: Cell::new(0),
        }
    }

    /// The accessor number `index`.
    ///
    /// * `place` – the part that refers to it.
    pub(super) fn get(
        &self,
        index: Index<Accessor>,
        place: impl FnOnce() -> String,
    ) -> Result<&'a Accessor, GltfError> {
        self.document.part(index, place)
    }

    /// Vectors of `N` numbers; normalized integers as fractions of 1.
    ///
    /// * `place` – the part that refers to it.
    pub(super) fn floats<const N: usize>(
        &self,
        index: Index<Accessor>,
        elements: Elements<'_>,
        place: impl FnOnce() -> String,
    ) -> Result<Vec<[f32; N]>, GltfError> {
        let accessor = self.get(index, place)?;
        let numbers = self.source(accessor, elements).floats(N);
        let numbers = numbers.map_err(|problem| in_accessor(index, problem))?;
        Ok(vectors(&numbers))
    }

    /// Vectors of `N` unsigned integers: indices of vertices and joints.
    ///
    /// * `place` – the part that refers to it.
    pub(super) fn integers<const N: usize>(
        &self,
        index: Index<Accessor>,
        elements: Elements<'_>,
        place: impl FnOnce() -> String,
    ) -> Result<Vec<[u32; N]>, GltfError> {
        let accessor = self.get(index, place)?;
        let numbers = self.source(accessor, elements).integers(N);
        let numbers = numbers.map_err(|problem| in_accessor(index, problem))?;
        Ok(vectors(&numbers))
    }

    /// The bytes of a buffer view.
    pub(super) fn bytes(&self, index: Index<buffer::View>) -> Result<Vec<u8>, AccessProblem> {
        let (bytes, _) = self.view(index)?;
        self.spend((bytes.len() / size_of::<f32>()) as u64)?;
        Ok(bytes.to_vec())
    }

    /// Allows for `numbers` more, if the size of the files justifies that: they may be used by many, or be nowhere.
    pub(super) fn spend(&self, numbers: u64) -> Result<(), AccessProblem> {
        let spent = self.spent.get().saturating_add(numbers);
        let justified = self.buffers.size().saturating_mul(NUMBERS_PER_BYTE);
        if spent > justified.saturating_add(FREE_NUMBERS).min(MOST_NUMBERS) {
            return Err(AccessProblem::TooLarge { numbers: spent });
        }
        self.spent.set(spent);
        Ok(())
    }

    fn source<'s>(&'s self, accessor: &'s Accessor, elements: Elements<'s>) -> Source<'s> {
        Source {
            accessors: self,
            accessor,
            elements,
        }
    }

    fn view(&self, index: Index<buffer::View>) -> Result<(&[u8], Option<usize>), AccessProblem> {
        let views = &self.document.root.buffer_views;
        let view = views
            .get(index.value())
            .ok_or_else(|| AccessProblem::Buffer {
                reason: format!(
                    "{} {} is missing, there are {}",
                    buffer::View::KIND,
                    index.value(),
                    views.len()
                ),
            })?;
        let stride = view.byte_stride.as_ref().map(|stride| stride.0);
        Ok((self.buffers.view(view)?, stride))
    }
}

/// What a message calls a buffer view.
fn of(view: Index<buffer::View>) -> String {
    format!("bufferViews[{}]", view.value())
}

/// One accessor, or some of it.
struct Source<'s> {
    accessors: &'s Accessors<'s>,
    accessor: &'s Accessor,
    elements: Elements<'s>,
}

impl<'s> Source<'s> {
    /// The numbers of the wanted elements, `width` each; normalized integers as fractions of 1.
    fn floats(&self, width: usize) -> Result<Vec<f32>, AccessProblem> {
        let fraction = |max: f32| {
            let normalized = self.accessor.normalized;
            // §3.6.2.2
            move |raw: f32| {
                if normalized {
                    (raw / max).max(-1.0)
                } else {
                    raw
                }
            }
        };
        let [of_byte, of_ubyte] = [fraction(127.0), fraction(255.0)];
        let [of_short, of_ushort] = [fraction(32767.0), fraction(65535.0)];
        match self.component(width)? {
            ComponentType::I8 => self.read(width, |[a]| of_byte(f32::from(i8::from_le_bytes([a])))),
            ComponentType::U8 => self.read(width, |[a]| of_ubyte(f32::from(a))),
            ComponentType::I16 => self.read(width, |b| of_short(f32::from(i16::from_le_bytes(b)))),
            ComponentType::U16 => self.read(width, |b| of_ushort(f32::from(u16::from_le_bytes(b)))),
            #[expect(clippy::cast_precision_loss, reason = "that is what f32 can say of it")]
            ComponentType::U32 => self.read(width, |bytes| u32::from_le_bytes(bytes) as f32),
            ComponentType::F32 => self.read(width, f32::from_le_bytes),
        }
    }

    /// The numbers of the wanted elements, `width` each.
    fn integers(&self, width: usize) -> Result<Vec<u32>, AccessProblem> {
        match self.component(width)? {
            ComponentType::U8 => self.read(width, |[a]| u32::from(a)),
            ComponentType::U16 => self.read(width, |b| u32::from(u16::from_le_bytes(b))),
            ComponentType::U32 => self.read(width, u32::from_le_bytes),
            other => Err(AccessProblem::Unfit {
                found: component_name(other),
                expected: "unsigned integers",
            }),
        }
    }

    /// What the numbers are stored as, `width` of which are an element.
    fn component(&self, width: usize) -> Result<ComponentType, AccessProblem> {
        expect_width(self.accessor, width)?;
        component(self.accessor.component_type)
    }

    /// Numbers of `S` bytes.
    fn read<T, const S: usize>(
        &self,
        width: usize,
        number: impl Fn([u8; S]) -> T,
    ) -> Result<Vec<T>, AccessProblem> {
        let bytes = self.packed([width, S])?;
        let (numbers, _) = bytes.as_chunks::<S>();
        Ok(numbers.iter().map(|bytes| number(*bytes)).collect())
    }

    /// The bytes of the wanted elements, without any between them.
    ///
    /// * `width`, `number` – of an element in numbers, and of a number in bytes.
    fn packed(&self, [width, number]: [usize; 2]) -> Result<Cow<'s, [u8]>, AccessProblem> {
        let mut bytes = self.base([width, number])?;
        if let Some(sparse) = &self.accessor.sparse {
            self.patch(sparse, width * number, bytes.to_mut())?;
        }
        Ok(bytes)
    }

    /// Without the exceptions of a sparse accessor; zeros where there is no buffer view.
    fn base(&self, [width, number]: [usize; 2]) -> Result<Cow<'s, [u8]>, AccessProblem> {
        let (count, size) = (self.accessor.count.0, width * number);
        let wanted = match self.elements {
            Elements::All => count,
            Elements::Only(list) => list.len() as u64,
        };
        let Some(view) = self.accessor.buffer_view else {
            self.accessors.spend(wanted.saturating_mul(width as u64))?;
            let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
            return Ok(vec![0; wanted.saturating_mul(size)].into());
        };
        let (bytes, stride) = self.accessors.view(view)?;
        let offset = self.accessor.byte_offset.unwrap_or_default().0;
        let stride = stride.unwrap_or(size);
        let strided = Strided::new(bytes, [offset, count], stride, size, || of(view))?;
        self.accessors.spend(wanted.saturating_mul(width as u64))?;
        Ok(match self.elements {
            Elements::All => strided.all(),
            Elements::Only(list) => {
                let mut packed = Vec::with_capacity(list.len() * size);
                for index in list {
                    packed.extend_from_slice(strided.at(*index as usize));
                }
                packed.into()
            }
        })
    }

    /// Puts the exceptions of a sparse accessor in their places (§3.6.2.3).
    ///
    /// * `size` – of an element, in bytes.
    fn patch(&self, sparse: &Sparse, size: usize, packed: &mut [u8]) -> Result<(), AccessProblem> {
        let (view, offset) = (sparse.values.buffer_view, sparse.values.byte_offset.0);
        let (bytes, _) = self.accessors.view(view)?;
        let values = Strided::new(bytes, [offset, sparse.count.0], size, size, || of(view))?;
        for (exception, index) in self.sparse_indices(sparse)?.into_iter().enumerate() {
            let count = self.accessor.count.0;
            if u64::from(index) >= count {
                return Err(AccessProblem::SparseOutOfRange { index, count });
            }
            let place = match self.elements {
                Elements::All => Some(index as usize),
                Elements::Only(list) => list.binary_search(&index).ok(),
            };
            let element = place.and_then(|place| packed.chunks_exact_mut(size).nth(place));
            if let Some(element) = element {
                element.copy_from_slice(values.at(exception));
            }
        }
        Ok(())
    }

    fn sparse_indices(&self, sparse: &Sparse) -> Result<Vec<u32>, AccessProblem> {
        let Checked::Valid(component) = sparse.indices.component_type else {
            return Err(AccessProblem::UnknownType);
        };
        let size = match component.0 {
            ComponentType::U8 => 1,
            ComponentType::U16 => 2,
            ComponentType::U32 => 4,
            _ => return Err(AccessProblem::UnknownType),
        };
        let view = sparse.indices.buffer_view;
        let (bytes, _) = self.accessors.view(view)?;
        let offset = sparse.indices.byte_offset.0;
        let indices = Strided::new(bytes, [offset, sparse.count.0], size, size, || of(view))?;
        self.accessors.spend(sparse.count.0)?;
        Ok((0..indices.count)
            .map(|index| little_endian(indices.at(index)))
            .collect())
    }
}

/// `N` numbers each.
fn vectors<T: Copy, const N: usize>(numbers: &[T]) -> Vec<[T; N]> {
    let (vectors, _) = numbers.as_chunks::<N>();
    vectors.to_vec()
}

fn little_endian(bytes: &[u8]) -> u32 {
    bytes
        .iter()
        .rev()
        .fold(0, |word, &byte| word << 8 | u32::from(byte))
}

fn in_accessor(index: Index<Accessor>, problem: AccessProblem) -> GltfError {
    GltfError::Access {
        place: format!("accessors[{}]", index.value()),
        problem,
    }
}

#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;
