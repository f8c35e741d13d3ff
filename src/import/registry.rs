//! The list of importers.

#[cfg(feature = "assimp")]
use super::assimp::Assimp;
use super::fbx::Fbx;
use super::gltf::Gltf;
use super::importer::Importer;

/// Every importer of this build, the preferred first.
pub static IMPORTERS: &[&dyn Importer] = &[
    &Fbx,
    &Gltf,
    #[cfg(feature = "assimp")]
    &Assimp,
];
