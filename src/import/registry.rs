//! The list of importers.

#[cfg(feature = "assimp")]
use super::assimp::Assimp;
use super::importer::Importer;
use super::iqm::Iqm;

/// Every importer of this build, the preferred first.
pub static IMPORTERS: &[&dyn Importer] = &[
    &Iqm,
    #[cfg(feature = "assimp")]
    &Assimp,
];
