//! The commands, from their arguments to their output.

mod bad_input;
mod bake;
mod check;
#[cfg(feature = "gl")]
pub(crate) mod crosscheck;
mod doctor;
mod engines;
mod film;
mod fix;
mod forms;
mod help;
mod hosted;
mod images;
#[cfg(feature = "assimp")]
mod importers;
mod init;
mod inspect;
mod laws;
mod manual;
mod names;
mod posing;
mod render;
mod rules;
#[cfg(unix)]
mod terminal;
mod view;
mod visibility;
mod vrm;
mod written_over;
