//! Numbers from buffers (glTF 2.0, §3.6.2).

mod strided;

use std::cell::Cell;

use super::buffers::Buffers;
use super::document::{self, Part};
use super::error::{AccessProblem, GltfError};
use super::json::{Accessor, Kind, Root, Sparse, View};
use super::lenient::Whole;
use strided::Strided;

/// The accessors of a document.
pub(super) struct Accessors<'a> {
    root: &'a Root<'a>,
    buffers: &'a Buffers<'a>,
    /// How many numbers fit in memory.
    room: u64,
    /// How many numbers have been asked for.
    spent: Cell<u64>,
}

/// The elements of an accessor to read.
#[derive(Debug, Clone, Copy)]
pub(super) enum Elements<'a> {
    /// Every one.
    All,
    /// From the first of these indices up to the other, which is not above the count.
    Range(u64, u64),
    /// The elements at these indices, which ascend and are below the count.
    Only(&'a [u32]),
}

impl<'a> Elements<'a> {
    /// The number of these elements.
    ///
    /// * `all` – the number of elements of the accessor.
    fn count(self, all: u64) -> u64 {
        match self {
            Self::All => all,
            Self::Range(start, end) => end - start,
            Self::Only(list) => list.len() as u64,
        }
    }

    /// The index of the element `index` among them.
    fn position(self, index: u32) -> Option<usize> {
        match self {
            Self::All => usize::try_from(index).ok(),
            Self::Range(start, end) => {
                let index = u64::from(index);
                let position = (start..end).contains(&index).then(|| index - start)?;
                usize::try_from(position).ok()
            }
            Self::Only(list) => list.binary_search(&index).ok(),
        }
    }

    /// Splits them into blocks of `size`, in order.
    ///
    /// * `all` – the number of elements of the accessor.
    pub(super) fn blocks(self, all: usize, size: usize) -> impl Iterator<Item = Elements<'a>> {
        let count = usize::try_from(self.count(all as u64)).unwrap_or(usize::MAX);
        (0..count).step_by(size).map(move |start| {
            let end = count.min(start.saturating_add(size));
            match self {
                Self::All => Elements::Range(start as u64, end as u64),
                Self::Range(first, _) => Elements::Range(first + start as u64, first + end as u64),
                Self::Only(list) => Elements::Only(&list[start..end]),
            }
        })
    }
}

/// How a number is stored (§3.6.2.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    /// Of `KHR_accessor_float16`.
    F16,
    F32,
    /// Of `KHR_accessor_float64`.
    F64,
}

impl Component {
    /// In bytes.
    pub(super) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 | Self::F16 => 2,
            Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// Its name in messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::I8 => "signed bytes",
            Self::U8 => "unsigned bytes",
            Self::I16 => "signed shorts",
            Self::U16 => "unsigned shorts",
            Self::U32 => "unsigned integers",
            Self::F16 => "half floats",
            Self::F32 => "floats",
            Self::F64 => "doubles",
        }
    }

    pub(super) fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::F32 | Self::F64)
    }
}

/// How an accessor stores its numbers; `None` for an unknown type.
pub(super) fn component(accessor: &Accessor) -> Option<Component> {
    component_of(accessor.component_type)
}

fn component_of(code: Whole) -> Option<Component> {
    Some(match code.0 {
        5120 => Component::I8,
        5121 => Component::U8,
        5122 => Component::I16,
        5123 => Component::U16,
        5125 => Component::U32,
        5126 => Component::F32,
        5130 => Component::F64,
        5131 => Component::F16,
        _ => return None,
    })
}

impl<'a> Accessors<'a> {
    /// Accessors of which none has been read yet.
    ///
    /// * `room` – how many bytes the numbers may take.
    pub(super) fn new(root: &'a Root<'a>, buffers: &'a Buffers<'a>, room: u64) -> Self {
        Self {
            root,
            buffers,
            room: room / size_of::<f32>() as u64,
            spent: Cell::new(0),
        }
    }

    /// The accessor number `index`.
    ///
    /// * `location` – the part that refers to it.
    pub(super) fn get(
        &self,
        index: Whole,
        location: impl FnOnce() -> String,
    ) -> Result<&'a Accessor, GltfError> {
        document::part(&self.root.accessors, index, location)
    }

    /// Vectors of `N` numbers; normalized integers as fractions of 1.
    ///
    /// * `location` – the part that refers to it.
    pub(super) fn floats<const N: usize>(
        &self,
        index: Whole,
        elements: Elements<'_>,
        location: impl FnOnce() -> String,
    ) -> Result<Vec<[f32; N]>, GltfError> {
        let accessor = self.get(index, location)?;
        let numbers = self.source(accessor, elements).floats();
        numbers.map_err(|problem| in_accessor(index, problem))
    }

    /// Vectors of `N` unsigned integers: indices of vertices and joints.
    ///
    /// * `location` – the part that refers to it.
    pub(super) fn integers<const N: usize>(
        &self,
        index: Whole,
        elements: Elements<'_>,
        location: impl FnOnce() -> String,
    ) -> Result<Vec<[u32; N]>, GltfError> {
        let accessor = self.get(index, location)?;
        let numbers = self.source(accessor, elements).integers();
        numbers.map_err(|problem| in_accessor(index, problem))
    }

    /// Unsigned integers, in threes; one or two at the end are skipped.
    ///
    /// * `location` – the part that refers to it.
    pub(super) fn triples(
        &self,
        index: Whole,
        location: impl Fn() -> String,
    ) -> Result<Vec<[u32; 3]>, GltfError> {
        let accessor = self.get(index, &location)?;
        let view = accessor.buffer_view;
        let view = view.and_then(|view| self.root.buffer_views.get(view.index()));
        let is_packed = view.is_some_and(|view| view.byte_stride.is_none());
        if is_packed && accessor.sparse.is_none() && accessor.kind == Kind::Scalar {
            let triples = Accessor {
                kind: Kind::Vec3,
                count: Whole(accessor.count.0 / 3),
                ..accessor.clone()
            };
            let numbers = self.source(&triples, Elements::All).integers();
            return numbers.map_err(|problem| in_accessor(index, problem));
        }
        let numbers = self.integers::<1>(index, Elements::All, location)?;
        let (triples, _) = numbers.as_flattened().as_chunks();
        Ok(triples.to_vec())
    }

    /// The bytes of a buffer view.
    pub(super) fn bytes(&self, index: Whole) -> Result<Vec<u8>, AccessProblem> {
        let bytes = self.buffers.view(self.view(index)?)?;
        self.charge((bytes.len() / size_of::<f32>()) as u64)?;
        Ok(bytes.to_vec())
    }

    /// Counts `numbers` more, if the size of the files justifies them: accessors may be shared, and zeros need no bytes.
    fn charge(&self, numbers: u64) -> Result<(), AccessProblem> {
        let spent = self.spent.get().saturating_add(numbers);
        if spent > self.buffers.justified_numbers() {
            return Err(AccessProblem::TooLarge { numbers: spent });
        }
        // Counted even if it exceeds the room, so that `lacked_room` reports it.
        self.spent.set(spent);
        if spent > self.room {
            return Err(AccessProblem::TooLarge { numbers: spent });
        }
        Ok(())
    }

    /// [`charge`](Self::charge) for the part of the document at `location`.
    pub(super) fn charge_at(
        &self,
        numbers: u64,
        location: impl FnOnce() -> String,
    ) -> Result<(), GltfError> {
        self.charge(numbers).map_err(|problem| GltfError::Access {
            location: location(),
            problem,
        })
    }

    /// The minimum and maximum of each component, as stored; `None` if the accessor cannot be read. These numbers do not
    /// count as asked for.
    pub(super) fn extremes(&self, accessor: &Accessor) -> Option<Vec<[f32; 2]>> {
        let stored = Accessor {
            normalized: false,
            ..accessor.clone()
        };
        let source = self.source(&stored, Elements::All);
        let spent = self.spent.get();
        let found = match accessor.kind {
            Kind::Scalar => source.floats::<1>().map(|list| extremes(&list)),
            Kind::Vec2 => source.floats::<2>().map(|list| extremes(&list)),
            Kind::Vec3 => source.floats::<3>().map(|list| extremes(&list)),
            Kind::Vec4 => source.floats::<4>().map(|list| extremes(&list)),
            Kind::Mat4 => source.floats::<16>().map(|list| extremes(&list)),
            Kind::Mat2 | Kind::Mat3 | Kind::Unknown => Ok(Vec::new()),
        };
        self.spent.set(spent);
        found.ok()
    }

    /// Whether the indices of a sparse accessor ascend, as far as they can be read.
    pub(super) fn exceptions_ascend(&self, accessor: &Accessor, sparse: &Sparse) -> bool {
        let indices = self.source(accessor, Elements::All).sparse_indices(sparse);
        indices.is_ok_and(|indices| indices.is_sorted_by(|a, b| a < b))
    }

    /// How many numbers were asked for.
    pub(super) fn spent(&self) -> u64 {
        self.spent.get()
    }

    /// Whether more numbers were asked for than there is room for.
    pub(super) fn lacked_room(&self) -> bool {
        self.spent.get() > self.room
    }

    fn source<'s>(&'s self, accessor: &'s Accessor, elements: Elements<'s>) -> Source<'s> {
        Source {
            accessors: self,
            accessor,
            elements,
        }
    }

    fn view(&self, index: Whole) -> Result<&View, AccessProblem> {
        let views = &self.root.buffer_views;
        let view = views.get(index.index());
        view.ok_or_else(|| AccessProblem::Buffer {
            reason: format!(
                "{} {} is missing; there are {}",
                View::KIND,
                index.0,
                views.len()
            ),
        })
    }

    /// The elements of a buffer view from `offset` on.
    ///
    /// * `stride` – the distance between them, if the view states one.
    /// * `size` – of each, in bytes.
    fn strided(
        &self,
        index: Whole,
        [offset, count]: [Option<Whole>; 2],
        has_stride: bool,
        size: usize,
    ) -> Result<Strided<'_>, AccessProblem> {
        let view = self.view(index)?;
        let bytes = self.buffers.view(view)?;
        let location = [offset, count].map(|number| number.unwrap_or_default().0);
        let stride = view.byte_stride.filter(|_| has_stride);
        let stride = stride.map_or(size as u64, |stride| stride.0);
        Strided::new(bytes, location, stride, size, || {
            format!("bufferViews[{}]", index.0)
        })
    }
}

/// An accessor, and the elements of it to read.
struct Source<'s> {
    accessors: &'s Accessors<'s>,
    accessor: &'s Accessor,
    elements: Elements<'s>,
}

impl Source<'_> {
    /// The numbers of the wanted elements; normalized integers as fractions of 1.
    fn floats<const N: usize>(&self) -> Result<Vec<[f32; N]>, AccessProblem> {
        let stored = self.stored(N, self.component(N)?)?;
        let mut list = vec![[0.0; N]; stored.wanted];
        let decode = |bytes: &[u8], numbers: &mut [f32]| {
            decode_floats(stored.component, self.accessor.normalized, bytes, numbers);
        };
        self.fill(&stored, list.as_flattened_mut(), &decode)?;
        Ok(list)
    }

    /// The numbers of the wanted elements.
    fn integers<const N: usize>(&self) -> Result<Vec<[u32; N]>, AccessProblem> {
        let component = self.component(N)?;
        let decode = integer_decoder(component).ok_or(AccessProblem::Unfit {
            found: component.name(),
            expected: "unsigned integers",
        })?;
        let stored = self.stored(N, component)?;
        let mut list = vec![[0; N]; stored.wanted];
        self.fill(&stored, list.as_flattened_mut(), &decode)?;
        Ok(list)
    }

    /// How numbers are stored.
    ///
    /// * `width` – of an element, in numbers.
    fn component(&self, width: usize) -> Result<Component, AccessProblem> {
        expect_width(self.accessor.kind, width)?;
        component(self.accessor).ok_or(AccessProblem::UnknownType)
    }

    /// Where the wanted elements are, once their numbers are [charged](Accessors::charge).
    ///
    /// * `width` – of an element, in numbers.
    fn stored(&self, width: usize, component: Component) -> Result<Stored<'_>, AccessProblem> {
        let location = [self.accessor.byte_offset, Some(self.accessor.count)];
        let size = width * component.size();
        let view = self.accessor.buffer_view;
        let elements = view.map(|view| self.accessors.strided(view, location, true, size));
        let elements = elements.transpose()?;
        let wanted = self.elements.count(self.accessor.count.0);
        self.accessors.charge(wanted.saturating_mul(width as u64))?;
        Ok(Stored {
            width,
            component,
            elements,
            wanted: usize::try_from(wanted).unwrap_or(usize::MAX),
        })
    }

    /// Decodes the wanted elements, and the exceptions of a sparse accessor (§3.6.2.3) among them.
    ///
    /// * `list` – receives their numbers; zeros, which they are without a buffer view.
    /// * `decode` – the numbers of elements that follow each other.
    fn fill<T: Copy + Default>(
        &self,
        stored: &Stored<'_>,
        list: &mut [T],
        decode: &dyn Fn(&[u8], &mut [T]),
    ) -> Result<(), AccessProblem> {
        let (width, size) = (stored.width, stored.component.size());
        if let Some(elements) = &stored.elements {
            decode_elements(elements, self.elements, size, list, decode);
        }
        let Some(sparse) = &self.accessor.sparse else {
            return Ok(());
        };
        let location = [sparse.values.byte_offset, Some(sparse.count)];
        let view = sparse.values.buffer_view;
        let strided = self
            .accessors
            .strided(view, location, false, width * size)?;
        self.accessors
            .charge(sparse.count.0.saturating_mul(width as u64 + 1))?;
        let indices = self.sparse_indices(sparse)?;
        let mut values = vec![T::default(); width * indices.len()];
        decode_elements(&strided, Elements::All, size, &mut values, decode);
        for (index, value) in indices.into_iter().zip(values.chunks_exact(width)) {
            let count = self.accessor.count.0;
            if u64::from(index) >= count {
                return Err(AccessProblem::SparseOutOfRange { index, count });
            }
            let position = self.elements.position(index);
            let element = position.and_then(|position| list.chunks_exact_mut(width).nth(position));
            if let Some(element) = element {
                element.copy_from_slice(value);
            }
        }
        Ok(())
    }

    fn sparse_indices(&self, sparse: &Sparse) -> Result<Vec<u32>, AccessProblem> {
        let component = component_of(sparse.indices.component_type);
        let decoder =
            component.and_then(|component| Some((component, integer_decoder(component)?)));
        let (component, decode) = decoder.ok_or(AccessProblem::UnknownType)?;
        let location = [sparse.indices.byte_offset, Some(sparse.count)];
        let (view, size) = (sparse.indices.buffer_view, component.size());
        let strided = self.accessors.strided(view, location, false, size)?;
        let mut indices = vec![0; usize::try_from(strided.count).unwrap_or(usize::MAX)];
        decode_elements(&strided, Elements::All, size, &mut indices, &decode);
        Ok(indices)
    }
}

/// Where the wanted elements of an accessor are.
struct Stored<'a> {
    /// Of an element, in numbers.
    width: usize,
    component: Component,
    /// `None` without a buffer view.
    elements: Option<Strided<'a>>,
    /// How many are wanted.
    wanted: usize,
}

/// Decodes some elements.
///
/// * `size` – of a number, in bytes.
/// * `list` – receives their numbers.
fn decode_elements<T>(
    strided: &Strided<'_>,
    elements: Elements<'_>,
    size: usize,
    list: &mut [T],
    decode: &dyn Fn(&[u8], &mut [T]),
) {
    let mut rest = list;
    strided.for_each(elements, &mut |bytes| {
        let (numbers, after) = std::mem::take(&mut rest).split_at_mut(bytes.len() / size);
        decode(bytes, numbers);
        rest = after;
    });
}

/// Decodes numbers; normalized integers are fractions of 1 (§3.6.2.2).
fn decode_floats(component: Component, normalized: bool, bytes: &[u8], numbers: &mut [f32]) {
    match component {
        Component::I8 => decode(bytes, numbers, |[a]| f32::from(i8::from_le_bytes([a]))),
        Component::U8 => decode(bytes, numbers, |[a]| f32::from(a)),
        Component::I16 => decode(bytes, numbers, |b| f32::from(i16::from_le_bytes(b))),
        Component::U16 => decode(bytes, numbers, |b| f32::from(u16::from_le_bytes(b))),
        #[expect(clippy::cast_precision_loss, reason = "that is what f32 can say of it")]
        Component::U32 => decode(bytes, numbers, |b| u32::from_le_bytes(b) as f32),
        Component::F16 => decode(bytes, numbers, |b| half(u16::from_le_bytes(b))),
        Component::F32 => decode(bytes, numbers, f32::from_le_bytes),
        #[expect(clippy::cast_possible_truncation, reason = "models are in f32")]
        Component::F64 => decode(bytes, numbers, |b| f64::from_le_bytes(b) as f32),
    }
    let greatest = match component {
        Component::I8 => 127.0,
        Component::U8 => 255.0,
        Component::I16 => 32767.0,
        Component::U16 => 65535.0,
        Component::U32 | Component::F16 | Component::F32 | Component::F64 => return,
    };
    if normalized {
        for number in numbers {
            *number = (*number / greatest).max(-1.0);
        }
    }
}

/// Decodes the numbers of elements that follow each other.
type Decoder<T> = fn(&[u8], &mut [T]);

/// `None` if these are no unsigned integers.
fn integer_decoder(component: Component) -> Option<Decoder<u32>> {
    match component {
        Component::U8 => Some(|bytes, numbers| decode(bytes, numbers, |[a]| u32::from(a))),
        Component::U16 => {
            Some(|bytes, numbers| decode(bytes, numbers, |b| u32::from(u16::from_le_bytes(b))))
        }
        Component::U32 => Some(|bytes, numbers| decode(bytes, numbers, u32::from_le_bytes)),
        Component::I8 | Component::I16 | Component::F16 | Component::F32 | Component::F64 => None,
    }
}

/// The number that a half float stands for (IEEE 754, binary16).
fn half(bits: u16) -> f32 {
    let [sign, exponent, fraction] = [bits >> 15, bits >> 10 & 0x1F, bits & 0x3FF].map(u32::from);
    let magnitude = match exponent {
        // Subnormal: multiples of 2⁻²⁴.
        0 => (f32::from(bits & 0x3FF) / 16_777_216.0).to_bits(),
        0x1F => 0xFF << 23 | fraction << 13,
        // Exponents are 15 more than they stand for, and 127 more in f32.
        _ => (exponent + 112) << 23 | fraction << 13,
    };
    f32::from_bits(sign << 31 | magnitude)
}

/// Decodes numbers of `S` bytes.
fn decode<T, const S: usize>(bytes: &[u8], numbers: &mut [T], number: impl Fn([u8; S]) -> T) {
    let (stored, _) = bytes.as_chunks::<S>();
    for (to, from) in numbers.iter_mut().zip(stored) {
        *to = number(*from);
    }
}

/// The minimum and maximum of each column, ignoring NaN.
fn extremes<const N: usize>(list: &[[f32; N]]) -> Vec<[f32; 2]> {
    let mut extremes = [[f32::INFINITY, f32::NEG_INFINITY]; N];
    for element in list {
        for ([least, greatest], number) in extremes.iter_mut().zip(element) {
            *least = least.min(*number);
            *greatest = greatest.max(*number);
        }
    }
    extremes.to_vec()
}

/// * `width` – of an element, in numbers.
fn expect_width(found: Kind, width: usize) -> Result<(), AccessProblem> {
    let expected = match width {
        1 => Kind::Scalar,
        2 => Kind::Vec2,
        3 => Kind::Vec3,
        4 => Kind::Vec4,
        _ => Kind::Mat4,
    };
    match kind_name(found) {
        None => Err(AccessProblem::UnknownType),
        Some(_) if found == expected => Ok(()),
        Some(found) => Err(AccessProblem::Unfit {
            found,
            expected: kind_name(expected).unwrap_or_default(),
        }),
    }
}

pub(super) fn kind_name(kind: Kind) -> Option<&'static str> {
    Some(match kind {
        Kind::Scalar => "SCALAR",
        Kind::Vec2 => "VEC2",
        Kind::Vec3 => "VEC3",
        Kind::Vec4 => "VEC4",
        Kind::Mat2 => "MAT2",
        Kind::Mat3 => "MAT3",
        Kind::Mat4 => "MAT4",
        Kind::Unknown => return None,
    })
}

fn in_accessor(index: Whole, problem: AccessProblem) -> GltfError {
    GltfError::Access {
        location: format!("accessors[{}]", index.0),
        problem,
    }
}

#[cfg(test)]
mod tests;
