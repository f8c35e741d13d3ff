//! What an operating system gives a library and WebAssembly does not: threads and child processes. Both files define the same items,
//! so no other module asks where it runs.

#[cfg(not(target_family = "wasm"))]
mod native;
#[cfg(target_family = "wasm")]
mod wasm;

#[cfg(not(target_family = "wasm"))]
pub use native::*;
#[cfg(target_family = "wasm")]
pub use wasm::*;
