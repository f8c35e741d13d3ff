//! Ctrl-C and SIGTERM.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the user has interrupted.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From now on, the first interruption sets the returned flag, and the second one ends the program.
pub(super) fn watch() -> &'static AtomicBool {
    // If no handler can be installed, an interruption ends the program at once.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            process::exit(130);
        }
    });
    &INTERRUPTED
}
