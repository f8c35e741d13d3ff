//! Exceptions: one for each kind of failure, with the message of the library.

use std::error::Error as StdError;

use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use skincheck::causes;

create_exception!(
    skincheck,
    Error,
    PyException,
    "A failure of skincheck: the base of all its exceptions."
);
create_exception!(
    skincheck,
    LoadError,
    Error,
    "A model cannot be read: no file, a damaged one, or one that exceeds the limits."
);
create_exception!(
    skincheck,
    UnknownNameError,
    Error,
    "A model has no clip, joint or mesh of this name. The message lists the names that exist."
);
create_exception!(
    skincheck,
    PoseError,
    Error,
    "A time is not in a clip, or a model cannot be skinned."
);
create_exception!(
    skincheck,
    ConfigError,
    Error,
    "A configuration or a setting is wrong."
);
create_exception!(
    skincheck,
    DiffError,
    Error,
    "Two models cannot be compared, for example as they have nothing in common."
);
create_exception!(
    skincheck,
    FixError,
    Error,
    "A model cannot be read, is no glTF, or its copy cannot be written."
);
create_exception!(
    skincheck,
    ReferenceFileError,
    Error,
    "A reference contradicts itself, or its file cannot be read or written."
);
create_exception!(
    skincheck,
    EngineError,
    Error,
    "An engine under test answers wrongly, or no law could be tested on it."
);
create_exception!(
    skincheck,
    RenderError,
    Error,
    "An image cannot be drawn or written."
);

/// Turns an error of the library into an exception.
pub(crate) trait Raise<T> {
    /// * `exception` – the constructor of the exception, such as `PoseError::new_err`.
    fn raise(self, exception: fn(String) -> PyErr) -> PyResult<T>;
}

impl<T, E: StdError + 'static> Raise<T> for Result<T, E> {
    fn raise(self, exception: fn(String) -> PyErr) -> PyResult<T> {
        self.map_err(|error| exception(causes(&error)))
    }
}
