//! An operating system.

use std::fs;

pub(in crate::cli) use indicatif::{ProgressBar, ProgressStyle};

/// The program's allocator: large buffers keep their pages, whose first writes would cost as much as drawing.
pub(in crate::cli) const HEAP: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Less memory than this, in bytes, is kept: its pages would have to be written anew.
const KEPT: u64 = 128 << 20;

/// Returns memory to the system that has been freed, and that the allocator keeps.
pub(in crate::cli) fn release_memory() {
    // SAFETY: it has no pointers among its arguments, and any thread may call it at any time.
    #[expect(
        unsafe_code,
        reason = "the allocator's package declares it only with all of its options"
    )]
    unsafe extern "C" {
        safe fn mi_collect(force: bool);
    }
    if resident_bytes().is_none_or(|bytes| bytes > KEPT) {
        mi_collect(true);
    }
}

/// How much memory this process has written to, on Linux.
fn resident_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let own = status
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"))?;
    let kibibytes: u64 = own.trim().strip_suffix(" kB")?.parse().ok()?;
    kibibytes.checked_mul(1024)
}

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
