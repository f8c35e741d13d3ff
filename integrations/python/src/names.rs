//! Lists of names that arguments hold.

use std::ops::Deref;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// A list of names, such as codes of rules.
#[derive(Default)]
pub(crate) struct Names(pub(crate) Vec<String>);

impl Deref for Names {
    type Target = [String];

    fn deref(&self) -> &[String] {
        &self.0
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for Names {
    type Error = PyErr;

    fn extract(list: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let names = list.extract::<Vec<String>>();
        names.map(Self).map_err(|_| {
            let given = list.get_type().name().map(|name| name.to_string());
            PyTypeError::new_err(format!(
                "expected a list of str, not {}",
                given.unwrap_or_default()
            ))
        })
    }
}
