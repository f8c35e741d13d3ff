//! The `skincheck` command.

use std::process::ExitCode;

use skincheck::cli;

#[global_allocator]
static ALLOCATOR: cli::Allocator = cli::Allocator;

fn main() -> ExitCode {
    cli::main()
}
