//! NumPy arrays: views of the library's memory without a copy, and reading of arrays that users pass.
#![expect(
    unsafe_code,
    reason = "NumPy keeps a pointer to memory that a Python object owns"
)]

use std::any::Any;
use std::sync::Arc;

use bytemuck::{Pod, cast_slice};
use numpy::ndarray::{ArrayView, ArrayView1, ArrayView2, ArrayView3, Dimension};
use numpy::{Element, PyArray, PyArray1, PyArrayMethods};
use pyo3::exceptions::{PyMemoryError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyTuple};
use skincheck::glam::{Mat4, Vec2, Vec3};

/// What keeps the memory of an array alive.
#[pyclass(frozen)]
struct Memory {
    _owner: Box<dyn Any + Send + Sync>,
}

/// A read-only array of memory that belongs to `owner`, which lives as long as the array.
///
/// * `memory` – chooses it.
pub(crate) fn view<'py, O, T, D>(
    py: Python<'py>,
    owner: &Arc<O>,
    memory: impl for<'a> FnOnce(&'a O) -> ArrayView<'a, T, D>,
) -> PyResult<Bound<'py, PyArray<T, D>>>
where
    O: Send + Sync + 'static,
    T: Element,
    D: Dimension,
{
    let keeper = Memory {
        _owner: Box::new(Arc::clone(owner)),
    };
    let keeper = Bound::new(py, keeper)?.into_any();
    // SAFETY: the view borrows from `owner`, of which the array's base, `keeper`, holds a share. Nothing changes what is shared.
    let array = unsafe { PyArray::borrow_from_array(&memory(owner), keeper) };
    array.call_method("setflags", (), Some(&[("write", false)].into_py_dict(py)?))?;
    Ok(array)
}

/// Vertices × 3.
pub(crate) fn vectors(list: &[Vec3]) -> ArrayView2<'_, f32> {
    rows(list.len(), 3, cast_slice(list))
}

/// Vertices × 2.
pub(crate) fn uvs(list: &[Vec2]) -> ArrayView2<'_, f32> {
    rows(list.len(), 2, cast_slice(list))
}

/// Triangles × 3.
pub(crate) fn triangles(list: &[[u32; 3]]) -> ArrayView2<'_, u32> {
    rows(list.len(), 3, cast_slice(list))
}

/// Matrices × row × column; the library stores columns.
pub(crate) fn matrices(list: &[Mat4]) -> ArrayView3<'_, f32> {
    let columns = ArrayView3::from_shape((list.len(), 4, 4), cast_slice(list));
    let columns = columns.expect("16 numbers each");
    columns.permuted_axes([0, 2, 1])
}

/// A matrix by rows.
pub(crate) fn matrix(matrix: &Mat4) -> ArrayView2<'_, f32> {
    rows(4, 4, cast_slice(std::slice::from_ref(matrix))).reversed_axes()
}

fn rows<T>(rows: usize, columns: usize, numbers: &[T]) -> ArrayView2<'_, T> {
    ArrayView2::from_shape((rows, columns), numbers).expect("as many numbers as rows have")
}

/// A list.
pub(crate) fn list<T>(list: &[T]) -> ArrayView1<'_, T> {
    ArrayView1::from(list)
}

/// A new array of frames. Other Python threads run meanwhile.
///
/// * `shape` – the number of frames, and the shape of each.
/// * `fill` – receives zeros.
pub(crate) fn filled<'py, D: Dimension>(
    py: Python<'py>,
    shape: &[usize],
    fill: impl FnOnce(&mut [f32]) -> PyResult<()> + Send,
) -> PyResult<Bound<'py, PyArray<f32, D>>> {
    let length = shape
        .iter()
        .copied()
        .try_fold(size_of::<f32>(), usize::checked_mul);
    if length.is_none_or(|bytes| isize::try_from(bytes).is_err()) {
        return Err(PyMemoryError::new_err(
            "times: so many frames do not fit into memory",
        ));
    }
    // NumPy's own memory: it asks the system for large pages.
    let zeros = py
        .import("numpy")?
        .call_method1("zeros", (PyTuple::new(py, shape)?, "float32"))?;
    let array = zeros.cast_into::<PyArray<f32, D>>()?;
    let mut writable = array.readwrite();
    let numbers = writable.as_slice_mut()?;
    py.detach(|| fill(numbers))?;
    drop(writable);
    Ok(array)
}

/// What an argument must hold.
#[derive(Clone, Copy)]
pub(crate) struct Expected<'a> {
    /// The name of the argument.
    pub(crate) name: &'a str,
    /// The length of each axis; `None` for any.
    pub(crate) shape: &'a [Option<usize>],
    /// The shape in words, such as `vertices × 3`.
    pub(crate) words: &'a str,
}

/// The numbers of an array-like argument, by rows, and the lengths of its axes.
pub(crate) fn numbers<T: Element + Pod>(
    argument: &Bound<'_, PyAny>,
    expected: Expected<'_>,
) -> PyResult<(Vec<T>, Vec<usize>)> {
    read(argument, expected, "number", "biuf")
}

/// The indices of an array-like argument, by rows, and the lengths of its axes.
pub(crate) fn indices(
    argument: &Bound<'_, PyAny>,
    expected: Expected<'_>,
) -> PyResult<(Vec<u32>, Vec<usize>)> {
    let (indices, lengths) = read::<i64>(argument, expected, "whole number", "iu")?;
    let index = |index: i64| {
        u32::try_from(index)
            .map_err(|_| PyValueError::new_err(format!("{}: {index} is no index", expected.name)))
    };
    let indices = indices.into_iter().map(index);
    Ok((indices.collect::<PyResult<_>>()?, lengths))
}

/// * `kinds` – the kinds of types, as NumPy names them, that `what` stands for.
fn read<T: Element + Pod>(
    argument: &Bound<'_, PyAny>,
    expected: Expected<'_>,
    what: &str,
    kinds: &str,
) -> PyResult<(Vec<T>, Vec<usize>)> {
    let py = argument.py();
    let Expected { name, shape, words } = expected;
    let array = py.import("numpy")?.call_method1("asarray", (argument,));
    let array = array.map_err(|error| {
        PyTypeError::new_err(format!("{name}: expected an array, {words}: {error}"))
    })?;
    let dtype = array.getattr("dtype")?;
    let kind: String = dtype.getattr("kind")?.extract()?;
    let lengths: Vec<usize> = array.getattr("shape")?.extract()?;
    // An empty list has no type of its own.
    if !kinds.contains(&kind) && !lengths.contains(&0) {
        return Err(PyTypeError::new_err(format!(
            "{name}: expected a {what} per entry, {words}, not {dtype}"
        )));
    }
    let fits = lengths.len() == shape.len()
        && lengths
            .iter()
            .zip(shape)
            .all(|(own, wanted)| wanted.is_none_or(|wanted| *own == wanted));
    if !fits {
        return Err(PyValueError::new_err(format!(
            "{name}: expected {words}, but the shape is {}",
            array.getattr("shape")?.repr()?
        )));
    }
    let flat = array.call_method1("astype", (numpy::dtype::<T>(py),))?;
    let flat = flat.call_method1("reshape", (-1,))?;
    let flat = flat.cast::<PyArray1<T>>()?;
    Ok((flat.to_vec()?, lengths))
}

/// The vectors of an argument with a row per vertex.
pub(crate) fn read_vectors(
    argument: &Bound<'_, PyAny>,
    name: &str,
    count: Option<usize>,
) -> PyResult<Vec<Vec3>> {
    let words = match count {
        Some(count) => format!("{count} vertices × 3"),
        None => "vertices × 3".to_owned(),
    };
    let (numbers, _) = numbers::<f32>(
        argument,
        Expected {
            name,
            shape: &[count, Some(3)],
            words: &words,
        },
    )?;
    Ok(numbers
        .chunks_exact(3)
        .map(|row| Vec3::new(row[0], row[1], row[2]))
        .collect())
}

/// The matrices of an argument, by rows.
pub(crate) fn read_matrices(
    argument: &Bound<'_, PyAny>,
    name: &str,
    count: usize,
) -> PyResult<Vec<Mat4>> {
    let (numbers, _) = numbers::<f32>(
        argument,
        Expected {
            name,
            shape: &[Some(count), Some(4), Some(4)],
            words: &format!("{count} nodes × 4 × 4"),
        },
    )?;
    let by_rows = numbers.chunks_exact(16).map(|matrix| {
        let matrix: [f32; 16] = matrix.try_into().expect("a chunk has 16");
        Mat4::from_cols_array(&matrix).transpose()
    });
    Ok(by_rows.collect())
}

/// One matrix by rows.
pub(crate) fn read_matrix(argument: &Bound<'_, PyAny>, name: &str) -> PyResult<Mat4> {
    let expected = Expected {
        name,
        shape: &[Some(4), Some(4)],
        words: "4 × 4",
    };
    let (numbers, _) = numbers::<f32>(argument, expected)?;
    let numbers: [f32; 16] = numbers.try_into().expect("a matrix has 16");
    Ok(Mat4::from_cols_array(&numbers).transpose())
}
