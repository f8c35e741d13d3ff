//! Everything that is tested from outside, a module per stage.

mod architecture;
mod commands;
mod conformance;
#[cfg(feature = "assimp")]
mod faults;
mod fixtures;
mod hostile;
mod import;
mod program;
mod support;
mod view;
