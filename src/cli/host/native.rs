//! An operating system.

pub(in crate::cli) use indicatif::{ProgressBar, ProgressStyle};

/// The program's allocator: large buffers keep their pages, whose first writes would cost as much as drawing.
pub(in crate::cli) const HEAP: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How the message about a lack of memory ends: with what helps.
pub(in crate::cli) const SAVE_MEMORY: &str =
    "; check fewer files at once (--jobs), or lower --memory";

/// Rust aborts the program when an allocation has failed.
pub(in crate::cli) fn end_without_memory() {}

/// Calls `handler` at Ctrl-C and SIGTERM. If it cannot be installed, an interruption ends the program at once.
pub(in crate::cli) fn on_interrupt(handler: impl FnMut() + Send + 'static) {
    let _ = ctrlc::set_handler(handler);
}

/// A process starts in its working folder.
pub(in crate::cli) fn enter_working_folder() {}
