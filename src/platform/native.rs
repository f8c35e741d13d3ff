//! An operating system.

use std::fs::File;
use std::io;

#[cfg(feature = "cli")]
pub(crate) use indicatif::{ProgressBar, ProgressStyle};

/// Whether threads can be started.
pub(crate) const HAS_THREADS: bool = true;

/// Whether child processes can be started.
pub(crate) const HAS_PROCESSES: bool = true;

/// The program's allocator: large buffers keep their pages, whose first writes would cost as much as drawing.
#[cfg(feature = "cli")]
pub(crate) const HEAP: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How the message about a lack of memory ends: with what helps.
#[cfg(feature = "cli")]
pub(crate) const SAVE_MEMORY: &str =
    "; check fewer files at once (--jobs), or lower --import-memory";

/// Rust aborts the program when an allocation has failed.
#[cfg(feature = "cli")]
pub(crate) fn end_without_memory() {}

/// Reserves stdout for the caller: what others print goes to stderr from here on.
#[cfg(unix)]
pub(crate) fn take_stdout() -> io::Result<File> {
    use std::os::fd::AsFd;
    let stream = io::stdout().as_fd().try_clone_to_owned()?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    Ok(File::from(stream))
}

/// Here stdout is shared with what others print.
#[cfg(windows)]
pub(crate) fn take_stdout() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(File::from(io::stdout().as_handle().try_clone_to_owned()?))
}

/// Calls `handler` at Ctrl-C and SIGTERM. If it cannot be installed, an interruption ends the program at once.
#[cfg(feature = "cli")]
pub(crate) fn on_interrupt(handler: impl FnMut() + Send + 'static) {
    let _ = ctrlc::set_handler(handler);
}

/// A process starts in its working folder.
#[cfg(feature = "cli")]
pub(crate) fn enter_working_folder() {}
