//! What assimp 6.0.2 does not survive of a glTF file, so that it is not handed to it.

use std::path::Path;

use serde_json::Value;
use serde_json::value::RawValue;

use super::container::Container;
use super::parts::Parts;
use crate::import::ImporterError;

/// Refuses the file at `path` if it is a glTF file that assimp crashes on: it follows a null pointer where a skin has no
/// inverse bind matrices, and reads past the end of too few (`glTF2Importer.cpp`, `ImportNode`).
///
/// A file that is not understood is assimp's to judge.
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

fn is_survived(file: &[u8]) -> bool {
    let Ok(container) = Container::read(file) else {
        return true;
    };
    let Ok(parts) = Parts::read(container.json) else {
        return true;
    };
    let mut skins = parts.skins.iter().flatten().map(|skin| value(skin));
    skins.all(|skin| {
        let accessor = skin["inverseBindMatrices"]
            .as_u64()
            .and_then(|index| usize::try_from(index).ok());
        let accessors = parts.accessors.as_deref().unwrap_or_default();
        let accessor = accessor
            .and_then(|index| accessors.get(index))
            .map(|accessor| value(accessor));
        let matrices = accessor
            .and_then(|accessor| accessor["count"].as_u64())
            .unwrap_or(0);
        let joints = skin["joints"].as_array().map_or(0, Vec::len);
        matrices >= joints as u64
    })
}

fn value(part: &RawValue) -> Value {
    serde_json::from_str(part.get()).unwrap_or_default()
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
    fn what_is_no_gltf_is_left_to_assimp() {
        assert!(is_survived(b"glTF") && is_survived(b"{\"skins\": 3}"));
        assert!(check_for_assimp("nowhere.fbx".as_ref()).is_ok());
    }
}
