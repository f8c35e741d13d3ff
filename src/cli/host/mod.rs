//! What an operating system gives a program and WebAssembly does not: signals, a terminal, an allocator that keeps its pages. Both
//! files define the same items, so no other module of the command line asks where it runs.

#[cfg(not(target_family = "wasm"))]
mod native;
#[cfg(target_family = "wasm")]
mod wasm;

#[cfg(not(target_family = "wasm"))]
pub(super) use native::*;
#[cfg(target_family = "wasm")]
pub(super) use wasm::*;
