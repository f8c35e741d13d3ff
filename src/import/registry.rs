//! The list of importers.

#[cfg(feature = "assimp")]
use super::assimp::Assimp;
use super::collada::Collada;
use super::fbx::Fbx;
use super::gltf::Gltf;
use super::importer::Importer;
use super::iqm::Iqm;
use super::md5::Md5;

/// Every importer of this build, the preferred first.
pub static IMPORTERS: &[&dyn Importer] = &[
    &Collada,
    &Fbx,
    &Gltf,
    &Iqm,
    &Md5,
    #[cfg(feature = "assimp")]
    &Assimp,
];
