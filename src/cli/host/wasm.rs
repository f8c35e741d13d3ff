//! WebAssembly with WASI: no signals, no terminal, and a host that ends the program.

use std::alloc::System;
use std::borrow::Cow;
use std::convert::Infallible;
use std::env;
use std::io::{self, Write};
use std::process;
use std::time::Duration;

/// The program's allocator.
pub(in crate::cli) const HEAP: System = System;

/// Other processes have memory of their own.
pub(in crate::cli) fn release_memory() {}

/// The message ends here, as no option helps.
pub(in crate::cli) const SAVE_MEMORY: &str = "";

/// Ends the program with the exit code of what could not be done: an abort would be a trap, which looks like a fault.
pub(in crate::cli) fn end_without_memory() {
    let words =
        b"error: this needs more memory than WebAssembly has here; use the skincheck command\n";
    // Nobody is left to hear of a failure.
    let _ = io::stderr().write_all(words);
    process::exit(2);
}

/// No signal arrives.
pub(in crate::cli) fn on_interrupt(_: impl FnMut() + Send + 'static) {}

/// WASI starts every program in `/`; the host names its working folder in `PWD`.
pub(in crate::cli) fn enter_working_folder() {
    if let Some(folder) = env::var_os("PWD") {
        // Without it, paths are relative to `/`.
        let _ = env::set_current_dir(folder);
    }
}

/// No terminal shows it.
#[derive(Debug, Clone)]
pub(in crate::cli) struct ProgressBar;

#[expect(clippy::unused_self, reason = "the methods of indicatif")]
impl ProgressBar {
    pub(in crate::cli) fn hidden() -> Self {
        Self
    }

    pub(in crate::cli) fn new(_: u64) -> Self {
        Self
    }

    pub(in crate::cli) fn new_spinner() -> Self {
        Self
    }

    pub(in crate::cli) fn with_style(self, _: ProgressStyle) -> Self {
        self
    }

    pub(in crate::cli) fn with_message(self, _: impl Into<Cow<'static, str>>) -> Self {
        self
    }

    pub(in crate::cli) fn is_hidden(&self) -> bool {
        true
    }

    pub(in crate::cli) fn enable_steady_tick(&self, _: Duration) {}

    pub(in crate::cli) fn set_message(&self, _: impl Into<Cow<'static, str>>) {}

    pub(in crate::cli) fn set_length(&self, _: u64) {}

    pub(in crate::cli) fn set_position(&self, _: u64) {}

    pub(in crate::cli) fn inc(&self, _: u64) {}

    pub(in crate::cli) fn finish_and_clear(&self) {}
}

/// The looks of a [`ProgressBar`].
pub(in crate::cli) struct ProgressStyle;

impl ProgressStyle {
    pub(in crate::cli) fn with_template(_: &str) -> Result<Self, Infallible> {
        Ok(Self)
    }
}
