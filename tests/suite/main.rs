//! Everything that is tested from outside, a module per stage.

mod architecture;
mod fixtures;
mod import;
mod support;
mod view;
