//! Axes and units.

use russimp::sys::aiScene;

use super::format::Format;
use super::names;
use super::raw::Raw;
use crate::import::notes::Notes;
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
        Format::Fbx => fbx(&FbxSettings::read(scene), notes),
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
        | Format::Other => Space::Y_UP,
    }
}

/// The `GlobalSettings` of an FBX file.
#[derive(Debug, Clone, Copy)]
struct FbxSettings {
    up: Option<SignedAxis>,
    front: Option<SignedAxis>,
    side: Option<SignedAxis>,
    centimetres_per_unit: Option<f64>,
}

impl FbxSettings {
    fn read(scene: Raw<'_, aiScene>) -> Self {
        let axis = |name: &str| {
            let sign = integer(scene, &format!("{name}Sign")).unwrap_or(1);
            SignedAxis::from_index(integer(scene, name)?, sign)
        };
        Self {
            up: axis("UpAxis"),
            front: axis("FrontAxis"),
            side: axis("CoordAxis"),
            centimetres_per_unit: number(scene, "UnitScaleFactor"),
        }
    }
}

fn fbx(settings: &FbxSettings, notes: &mut Notes) -> Space {
    let axes = (settings.up, settings.front);
    let (up, front) = match axes {
        (Some(up), Some(front)) if is_perpendicular(up, front) => (up, front),
        _ => {
            notes.add(
                "space",
                "the file states no valid axes; assuming +Y up and +Z front",
            );
            (SignedAxis::PlusY, SignedAxis::PlusZ)
        }
    };
    let left = up.unit().cross(front.unit());
    if settings.side.is_some_and(|side| side.unit() == -left) {
        notes.add(
            "space",
            "the file states left-handed axes; read as right-handed",
        );
    }
    let unit = settings.centimetres_per_unit;
    Space {
        up,
        front,
        metres_per_unit: unit
            .filter(|unit| unit.is_finite() && *unit > 0.0)
            .map(|unit| unit * METRES_PER_CENTIMETRE),
    }
}

fn is_perpendicular(a: SignedAxis, b: SignedAxis) -> bool {
    a.unit().dot(b.unit()).abs() < 0.5
}

fn integer(scene: Raw<'_, aiScene>, name: &str) -> Option<i32> {
    let metadata = scene.metadata()?;
    let mut entries = metadata.keys().iter().zip(metadata.values());
    let (_, entry) = entries.find(|(key, _)| names::bytes(key) == name.as_bytes())?;
    entry.integer()
}

fn number(scene: Raw<'_, aiScene>, name: &str) -> Option<f64> {
    let metadata = scene.metadata()?;
    let mut entries = metadata.keys().iter().zip(metadata.values());
    let (_, entry) = entries.find(|(key, _)| names::bytes(key) == name.as_bytes())?;
    entry.number()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(settings: &FbxSettings) -> (Space, usize) {
        let mut notes = Notes::default();
        let space = fbx(settings, &mut notes);
        (space, notes.into_inner().len())
    }

    const MAX: FbxSettings = FbxSettings {
        up: Some(SignedAxis::PlusZ),
        front: Some(SignedAxis::MinusY),
        side: Some(SignedAxis::PlusX),
        centimetres_per_unit: Some(2.54),
    };

    #[test]
    fn a_z_up_file_in_inches_says_so() {
        let (space, notes) = read(&MAX);
        assert_eq!(
            (space.up, space.front),
            (SignedAxis::PlusZ, SignedAxis::MinusY)
        );
        assert!((space.metres_per_unit.expect("it is stated") - 0.0254).abs() < 1e-12);
        assert_eq!(notes, 0);
    }

    #[test]
    fn axes_that_are_none_are_replaced_with_a_note() {
        let (space, notes) = read(&FbxSettings {
            front: Some(SignedAxis::MinusZ),
            centimetres_per_unit: Some(f64::NAN),
            ..MAX
        });
        assert_eq!(space, Space::Y_UP);
        assert_eq!(notes, 1);
    }

    #[test]
    fn left_handed_axes_are_noted() {
        let (_, notes) = read(&FbxSettings {
            side: Some(SignedAxis::MinusX),
            ..MAX
        });
        assert_eq!(notes, 1);
    }
}
