//! Finds glTF files that crash assimp 6.0.2, so that it never reads them.

use std::path::Path;

use serde::Deserialize;

use super::container::Container;
use super::json::{Accessor, Skin};
use super::lenient::List;
use crate::import::ImporterError;

/// Refuses the file at `path` if it is a glTF file on which assimp crashes: assimp follows a null pointer if a skin has no
/// inverse bind matrices, and reads past their end if there are too few (`glTF2Importer.cpp`, `ImportNode`).
///
/// A file that cannot be parsed is left to assimp.
///
/// # Errors
///
/// [`ImporterError::Unsupported`].
pub(in crate::import) fn check_for_assimp(path: &Path) -> Result<(), ImporterError> {
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    if extension != "gltf" && extension != "glb" {
        return Ok(());
    }
    let file = std::fs::read(path).unwrap_or_default();
    if is_survived(&file) {
        return Ok(());
    }
    let what = "a skin with fewer inverse bind matrices than joints, on which assimp crashes,";
    Err(ImporterError::Unsupported {
        what: what.to_owned(),
    })
}

/// The parts needed to decide that.
#[derive(Deserialize)]
struct Binding<'a> {
    #[serde(default, borrow)]
    skins: List<Skin<'a>>,
    #[serde(default)]
    accessors: List<Accessor>,
}

fn is_survived(file: &[u8]) -> bool {
    let Ok(container) = Container::read(file.into()) else {
        return true;
    };
    let Ok(Binding { skins, accessors }) = serde_json::from_slice(&container.json) else {
        return true;
    };
    skins.iter().all(|skin| {
        let matrices = skin.inverse_bind_matrices;
        let matrices = matrices.and_then(|matrices| accessors.get(matrices.index()));
        matrices.map_or(0, |matrices| matrices.count.0) >= skin.joints.len() as u64
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::gltf::testing::Model;

    #[test]
    fn a_skin_needs_a_matrix_for_each_joint() {
        let mut model = Model::weighted([0; 12], &[1.0; 12]);
        assert!(!is_survived(model.text().as_bytes()));
        assert!(!is_survived(&model.glb()));
        for (count, survived) in [(1, false), (2, true)] {
            let matrices = model.floats("MAT4", &vec![1.0; 16 * count]);
            model.json["skins"][0]["inverseBindMatrices"] = matrices.into();
            assert_eq!(is_survived(model.text().as_bytes()), survived);
        }
    }

    #[test]
    fn other_formats_are_left_to_assimp() {
        assert!(is_survived(b"glTF") && is_survived(b"{\"skins\": 3}"));
        assert!(check_for_assimp("nowhere.fbx".as_ref()).is_ok());
    }
}
