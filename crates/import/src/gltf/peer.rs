//! Finds glTF files for which assimp 6.0.2 would read wrong memory; they are never given to it.

use std::path::Path;

use serde::Deserialize;

use super::container::Container;
use super::json::{Accessor, Animation, Skin};
use super::lenient::List;
use crate::ImporterError;

/// Refuses the file at `path` if it is a glTF file that assimp reads from wrong memory: assimp follows a null pointer if a skin has
/// no inverse bind matrices, and reads past their end if there are too few (`glTF2Importer.cpp`, `ImportNode`). Channels of
/// `KHR_animation_pointer` have a path that `glTF2Asset.inl`, `Animation::Read`, does not know, and stay uninitialized.
///
/// A file that cannot be parsed is left to assimp.
///
/// # Errors
///
/// [`ImporterError::Unsupported`].
pub(crate) fn check_for_assimp(path: &Path) -> Result<(), ImporterError> {
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    if extension != "gltf" && extension != "glb" {
        return Ok(());
    }
    let file = std::fs::read(path).unwrap_or_default();
    why_refused(&file).map_or(Ok(()), |what| {
        Err(ImporterError::Unsupported {
            what: what.to_owned(),
        })
    })
}

/// The parts needed to decide that.
#[derive(Deserialize)]
struct Binding<'a> {
    #[serde(default, borrow)]
    skins: List<Skin<'a>>,
    #[serde(default)]
    accessors: List<Accessor>,
    #[serde(default)]
    animations: List<Animation>,
}

fn why_refused(file: &[u8]) -> Option<&'static str> {
    let container = Container::read(file).ok()?;
    let Binding {
        skins,
        accessors,
        animations,
    } = serde_json::from_slice(container.json).ok()?;
    let is_survived = skins.iter().all(|skin| {
        let matrices = skin.inverse_bind_matrices;
        let matrices = matrices.and_then(|matrices| accessors.get(matrices.index()));
        matrices.map_or(0, |matrices| matrices.count.0) >= skin.joints.len() as u64
    });
    if !is_survived {
        return Some(
            "a skin with fewer inverse bind matrices than joints, on which assimp crashes,",
        );
    }
    let mut channels = animations.iter().flat_map(|own| own.channels.iter());
    let has_pointer = channels.any(|channel| channel.target.pointer().is_some());
    has_pointer.then_some("KHR_animation_pointer, which assimp reads from wrong memory,")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::gltf::testing::Model;

    #[test]
    fn a_skin_needs_a_matrix_for_each_joint() {
        let mut model = Model::weighted([0; 12], &[1.0; 12]);
        assert!(why_refused(model.text().as_bytes()).is_some());
        assert!(why_refused(&model.glb()).is_some());
        for (count, survived) in [(1, false), (2, true)] {
            let matrices = model.floats("MAT4", &vec![1.0; 16 * count]);
            model.json["skins"][0]["inverseBindMatrices"] = matrices.into();
            let refused = why_refused(model.text().as_bytes()).is_some();
            assert_eq!(refused, !survived);
        }
    }

    #[test]
    fn a_channel_needs_a_path_that_assimp_knows() {
        for (path, refused) in [("pointer", true), ("translation", false)] {
            let target = match path {
                "pointer" => {
                    let pointer = json!({"pointer": "/nodes/0/translation"});
                    json!({"path": path, "extensions": {"KHR_animation_pointer": pointer}})
                }
                _ => json!({"path": path, "node": 0}),
            };
            let channel = json!({"sampler": 0, "target": target});
            let file =
                json!({"asset": {"version": "2.0"}, "animations": [{"channels": [channel]}]});
            assert_eq!(why_refused(file.to_string().as_bytes()).is_some(), refused);
        }
    }

    #[test]
    fn other_formats_are_left_to_assimp() {
        assert_eq!(why_refused(b"glTF"), None);
        assert_eq!(why_refused(b"{\"skins\": 3}"), None);
        assert!(check_for_assimp("nowhere.fbx".as_ref()).is_ok());
    }
}
