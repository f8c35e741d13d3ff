//! WebAssembly with WASI: one thread, one process, and a host that ends it.

use std::fs::File;
use std::io;

#[cfg(feature = "cli")]
pub(crate) use cli::{
    HEAP, ProgressBar, ProgressStyle, SAVE_MEMORY, end_without_memory, enter_working_folder,
    on_interrupt,
};

/// Whether threads can be started.
pub(crate) const HAS_THREADS: bool = false;

/// Whether child processes can be started.
pub(crate) const HAS_PROCESSES: bool = false;

/// Only a child process asks for it.
pub(crate) fn take_stdout() -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

/// What only the command line uses.
#[cfg(feature = "cli")]
mod cli {
    use std::alloc::System;
    use std::borrow::Cow;
    use std::convert::Infallible;
    use std::env;
    use std::io::{self, Write};
    use std::process;
    use std::time::Duration;

    /// The program's allocator.
    pub(crate) const HEAP: System = System;

    /// The message ends here, as no option helps.
    pub(crate) const SAVE_MEMORY: &str = "";

    /// Ends the program with the exit code of what could not be done: an abort would be a trap, which looks like a fault.
    pub(crate) fn end_without_memory() {
        let words =
            b"error: this needs more memory than WebAssembly has here; use the skincheck command\n";
        // Nobody is left to hear of a failure.
        let _ = io::stderr().write_all(words);
        process::exit(2);
    }

    /// No signal arrives.
    pub(crate) fn on_interrupt(_: impl FnMut() + Send + 'static) {}

    /// WASI starts every program in `/`; the host names its working folder in `PWD`.
    pub(crate) fn enter_working_folder() {
        if let Some(folder) = env::var_os("PWD") {
            // Without it, paths are relative to `/`.
            let _ = env::set_current_dir(folder);
        }
    }

    /// No terminal shows it.
    #[derive(Debug, Clone)]
    pub(crate) struct ProgressBar;

    #[expect(clippy::unused_self, reason = "the methods of indicatif")]
    impl ProgressBar {
        pub(crate) fn hidden() -> Self {
            Self
        }

        pub(crate) fn new(_: u64) -> Self {
            Self
        }

        pub(crate) fn new_spinner() -> Self {
            Self
        }

        pub(crate) fn with_style(self, _: ProgressStyle) -> Self {
            self
        }

        pub(crate) fn with_message(self, _: impl Into<Cow<'static, str>>) -> Self {
            self
        }

        pub(crate) fn is_hidden(&self) -> bool {
            true
        }

        pub(crate) fn enable_steady_tick(&self, _: Duration) {}

        pub(crate) fn set_message(&self, _: impl Into<Cow<'static, str>>) {}

        pub(crate) fn set_length(&self, _: u64) {}

        pub(crate) fn set_position(&self, _: u64) {}

        pub(crate) fn inc(&self, _: u64) {}

        pub(crate) fn finish_and_clear(&self) {}
    }

    /// The looks of a [`ProgressBar`].
    pub(crate) struct ProgressStyle;

    impl ProgressStyle {
        pub(crate) fn with_template(_: &str) -> Result<Self, Infallible> {
            Ok(Self)
        }
    }
}
