//! WebAssembly with WASI: one thread, one process.

use std::fs::File;
use std::io;

/// Whether threads can be started.
pub const HAS_THREADS: bool = false;

/// Whether child processes can be started.
pub const HAS_PROCESSES: bool = false;

/// Only a child process asks for it.
pub fn take_stdout() -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}
