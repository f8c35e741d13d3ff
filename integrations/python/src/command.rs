//! The command `skincheck`, and the worker that reads models.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use pyo3::prelude::*;
use skincheck::{cli, import};

/// Runs the command `skincheck` and returns its exit code.
///
/// * `arguments` – the command line, beginning with the program's name.
#[pyfunction]
pub(crate) fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| {
        let code = cli::main_with(arguments);
        // The interpreter does not flush this one when it ends.
        let _ = io::stdout().flush();
        // The standard library does not give the number away.
        let is_it = |number: &u8| ExitCode::from(*number) == code;
        (0..=u8::MAX).find(is_it).unwrap_or(1)
    })
}

/// Reads a model for another process, and ends this one. Call it before anything else.
///
/// * `arguments` – those after the name of the command.
#[pyfunction]
pub(crate) fn run_worker(arguments: Vec<OsString>) {
    let code = import::worker_main(arguments.into_iter());
    std::process::exit(code.into());
}

/// Sets how the processes that read models are started.
#[pyfunction]
pub(crate) fn host_workers(program: PathBuf, arguments: Vec<OsString>) {
    import::host_workers(program, arguments);
}
