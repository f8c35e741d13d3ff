//! Everything that is tested from outside, a module per stage.

mod architecture;
mod commands;
mod conformance;
mod fbx;
mod fixtures;
mod hostile;
mod import;
mod program;
mod support;
mod view;
