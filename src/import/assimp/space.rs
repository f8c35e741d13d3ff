//! Axes and units.

use russimp::sys::aiScene;

use super::raw::Raw;
use crate::import::axes::{self, Axes};
use crate::import::notes::Notes;
use crate::rig::Format;
use crate::units::{SignedAxis, Space};

/// Metres per centimetre: FBX counts its unit in centimetres.
const METRES_PER_CENTIMETRE: f64 = 0.01;

/// The space of the data that assimp delivers.
///
/// FBX stays in the file's axes and unit. COLLADA arrives with its up axis and unit applied at the root. Models of
/// Quake, Doom and Half-Life face +X with +Z up; assimp rotates +Z to +Y in all of them but SMD (`MDLLoader.cpp`,
/// `MD5Loader.cpp`, `InternReadFile`). The other formats have +Y up, or are mirrored to it.
pub(super) fn of(scene: Raw<'_, aiScene>, format: Format, notes: &mut Notes) -> Space {
    match format {
        Format::Gltf | Format::Collada => Space::Y_UP_METRES,
        Format::Fbx { .. } => fbx(scene, notes),
        Format::Mdl | Format::Md5 => Space {
            front: SignedAxis::PlusX,
            ..Space::Y_UP
        },
        Format::Smd => Space {
            up: SignedAxis::PlusZ,
            front: SignedAxis::PlusX,
            metres_per_unit: None,
        },
        Format::Iqm
        | Format::Bvh
        | Format::MilkShape
        | Format::Model3d
        | Format::DirectX
        | Format::Wavefront
        | Format::Blitz
        | Format::Ogre
        | Format::Other
        | Format::Memory => Space::Y_UP,
    }
}

/// The `GlobalSettings` of an FBX file.
fn fbx(scene: Raw<'_, aiScene>, notes: &mut Notes) -> Space {
    let entry = |name: &str| scene.metadata()?.entry(name);
    let integer = |name: &str| entry(name)?.integer();
    let axis = |name: &str| {
        let sign = integer(&format!("{name}Sign")).unwrap_or(1);
        SignedAxis::from_index(integer(name)?, sign)
    };
    let axes = Axes {
        up: axis("UpAxis"),
        front: axis("FrontAxis"),
        side: axis("CoordAxis"),
    };
    let centimetres = entry("UnitScaleFactor").and_then(Raw::number);
    let metres = centimetres.map(|unit| unit * METRES_PER_CENTIMETRE);
    axes::stated(axes, metres, notes)
}
