//! From a file to an [`Asset`](crate::rig::Asset).

#[cfg(feature = "assimp")]
mod assimp;
mod importer;

pub use importer::{IMPORTERS, Importer, ImporterError};
