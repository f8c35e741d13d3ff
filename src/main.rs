//! The `skincheck` command.

mod cli;

use std::env::args_os;
use std::process::ExitCode;
use std::thread;

#[global_allocator]
static ALLOCATOR: cli::Allocator = cli::Allocator;

/// The usual stack of a main thread; `ulimit -s` may leave less than the parser of the arguments needs.
const STACK_BYTES: usize = 8 << 20;

fn main() -> ExitCode {
    let run = || cli::run(args_os());
    let thread = thread::Builder::new().stack_size(STACK_BYTES).spawn(run);
    match thread.map(thread::JoinHandle::join) {
        Ok(Ok(code)) => code,
        // The panic has been reported.
        Ok(Err(_)) => ExitCode::from(101),
        // No thread can be started.
        Err(_) => run(),
    }
}
