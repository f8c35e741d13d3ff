//! Extensions that a document requires or uses (glTF 2.0, §3.12).

use super::error::GltfError;
use super::json::Root;
use crate::import::notes::Notes;

/// Extensions that are supported, or change neither shape nor pose.
const FINE: &[&str] = &[
    "KHR_mesh_quantization",
    "KHR_texture_transform",
    "KHR_lights_punctual",
    "KHR_xmp_json_ld",
    "EXT_texture_webp",
];

/// Prefix of the extensions that only change the appearance of surfaces.
const MATERIALS: &str = "KHR_materials_";

/// Draco's name.
pub(super) const DRACO: &str = "KHR_draco_mesh_compression";

/// meshopt's name.
pub(super) const MESHOPT: &str = "EXT_meshopt_compression";

const EXPORT_UNCOMPRESSED: &str =
    "export it without compression, or remove that with a tool such as gltf-transform";

/// Advice on extensions that are known but not supported.
const ADVICE: &[(&str, &str)] = &[
    (DRACO, EXPORT_UNCOMPRESSED),
    (MESHOPT, EXPORT_UNCOMPRESSED),
    ("KHR_meshopt_compression", EXPORT_UNCOMPRESSED),
    ("KHR_texture_basisu", "export it with PNG or JPEG textures"),
    ("MSFT_texture_dds", "export it with PNG or JPEG textures"),
    ("EXT_texture_avif", "export it with PNG or JPEG textures"),
    ("EXT_mesh_gpu_instancing", "export each copy as a node"),
];

/// Extensions that change a shape or a pose even if they are not required.
const SHAPING: &[(&str, &str)] = &[
    (
        "EXT_mesh_gpu_instancing",
        "only one copy of each repeated mesh is read",
    ),
    ("KHR_animation_pointer", "its animation is not played"),
    ("KHR_node_visibility", "nodes that it hides are visible"),
    ("MSFT_lod", "only the finest level of detail is read"),
];

/// Refuses a document that requires an unsupported extension; the result would be another model.
///
/// # Errors
///
/// [`GltfError::Extension`] with the name of the first such extension.
pub(super) fn check<'a>(mut required: impl Iterator<Item = &'a str>) -> Result<(), GltfError> {
    let is_read = |name: &&str| FINE.contains(name) || name.starts_with(MATERIALS);
    match required.find(|name| !is_read(name)) {
        Some(name) => Err(refuse(name)),
        None => Ok(()),
    }
}

/// The error for a document that cannot be read without the extension `name`.
pub(super) fn refuse(name: &str) -> GltfError {
    let known = ADVICE.iter().find(|(known, _)| *known == name);
    GltfError::Extension {
        name: name.to_owned(),
        advice: known.map_or("export it without", |(_, advice)| advice),
    }
}

/// Notes the unsupported extensions that change the model.
pub(super) fn note(root: &Root<'_>, notes: &mut Notes) {
    for (name, consequence) in SHAPING {
        if root.extensions_used.iter().any(|used| **used == **name) {
            notes.add(
                "file",
                format!("the extension {name} is ignored: {consequence}"),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn required_extensions_of_surfaces_pass_and_others_are_named_with_advice() {
        let with = |names: &[&str]| check(names.iter().copied()).map_err(|error| error.to_string());
        assert_eq!(
            with(&[
                "KHR_materials_unlit",
                "KHR_texture_transform",
                "EXT_texture_webp"
            ]),
            Ok(())
        );
        let advice =
            "export it without compression, or remove that with a tool such as gltf-transform";
        for name in [DRACO, MESHOPT] {
            let error = with(&["KHR_mesh_quantization", name]).unwrap_err();
            assert_eq!(
                error,
                format!("the glTF extension {name}, which the file requires ({advice}),")
            );
        }
        assert!(
            with(&["KHR_texture_basisu"])
                .unwrap_err()
                .contains("PNG or JPEG")
        );
        assert!(
            with(&["ACME_physics"])
                .unwrap_err()
                .contains("ACME_physics")
        );
    }
}
