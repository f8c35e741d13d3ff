//! The list of importers.

#[cfg(feature = "assimp")]
use super::assimp::Assimp;
use super::fbx::Fbx;
use super::importer::Importer;

/// Every importer of this build, the preferred first.
pub static IMPORTERS: &[&dyn Importer] = &[
    &Fbx,
    #[cfg(feature = "assimp")]
    &Assimp,
];
