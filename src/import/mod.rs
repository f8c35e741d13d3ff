//! From a file to an [`Asset`](crate::rig::Asset).

mod importer;

pub use importer::{IMPORTERS, Importer, ImporterError};
