//! The integration tests, one module per stage.

mod allocations;
mod architecture;
mod catalogue;
mod commands;
mod conformance;
mod diff;
mod engines;
mod faults;
mod fbx;
mod fixtures;
mod folder;
#[cfg(feature = "gl")]
mod gl;
mod golden;
mod hostile;
mod import;
#[cfg(feature = "testing")]
mod kernels;
mod laws;
mod pictures;
mod program;
mod reports;
#[cfg(feature = "testing")]
mod round_trip;
mod rules;
#[cfg(not(any(feature = "assimp", feature = "gl", feature = "meshopt")))]
mod slim;
mod support;
mod vectors;
mod verdicts;
mod view;
