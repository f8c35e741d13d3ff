//! The commands, from their arguments to their output.

mod bad_input;
mod bake;
mod help;
mod inspect;
mod posing;
mod render;
