//! What engines and formats can hold.

/// The limits of an engine, a format or a platform, each with its source in the table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Profile {
    /// In the configuration, such as `unity`.
    pub name: &'static str,
    /// What it is, for people.
    pub title: &'static str,
    /// Influences a vertex, if limited.
    pub max_influences: Option<u32>,
    /// Joints a skin, if limited.
    pub max_joints: Option<u32>,
    /// Where the numbers are from.
    pub source: &'static str,
}

/// Every profile, in the order of the documentation.
///
/// The limits are those that hold unless a project sets others. No number is given where none is published: engines that
/// cut a mesh into sections of fewer joints have no limit of joints a skin.
pub static PROFILES: &[Profile] = &[
    Profile {
        name: "gltf",
        title: "glTF 2.0",
        max_influences: Some(4),
        max_joints: None,
        source: "glTF 2.0 §3.7.3.3: clients must support one set of four influences",
    },
    Profile {
        name: "unity",
        title: "Unity, default import settings",
        max_influences: Some(4),
        max_joints: None,
        source: "Unity scripting reference, ModelImporterSkinWeights.Standard: currently 4 bones a vertex",
    },
    Profile {
        name: "unreal",
        title: "Unreal Engine, without unlimited bone influences",
        max_influences: Some(8),
        max_joints: None,
        source: "Unreal Engine, GPUSkinPublicDefs.h, EXTRA_BONE_INFLUENCES: 8",
    },
    Profile {
        name: "godot",
        title: "Godot 4",
        max_influences: Some(8),
        max_joints: None,
        source: "Godot class reference, Mesh.ARRAY_FLAG_USE_8_BONE_WEIGHTS: 8 bones a vertex",
    },
    Profile {
        name: "bevy",
        title: "Bevy",
        max_influences: Some(4),
        max_joints: Some(256),
        source: "Bevy API, Mesh::ATTRIBUTE_JOINT_WEIGHT: Float32x4; bevy_pbr::MAX_JOINTS: 256",
    },
    Profile {
        name: "vrm",
        title: "VRM 1.0",
        max_influences: Some(4),
        max_joints: None,
        source: "VRMC_vrm 1.0 sets none of its own and depends on glTF 2.0; §3.7.3.3 there: four influences",
    },
    Profile {
        name: "roblox",
        title: "Roblox",
        max_influences: Some(4),
        max_joints: None,
        source: "Roblox Creator Hub, general specifications of meshes, max influences: 4",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_profile_limits_something_and_says_where_that_is_from() {
        for profile in PROFILES {
            let limits = [profile.max_influences, profile.max_joints];
            assert!(limits.iter().any(Option::is_some), "{}", profile.name);
            assert!(!profile.source.is_empty(), "{}", profile.name);
        }
    }
}
