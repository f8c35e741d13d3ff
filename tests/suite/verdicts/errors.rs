//! The errors that the rules report on real models, each reviewed.

/// `(file, code, why it is true)`.
pub(super) const KNOWN: &[(&str, &str, &str)] = &[
    (
        "Animation_Skin_07.gltf",
        "H303",
        "the skin's two joints are roots of the scene, as its makers mean it; glTF-Validator says so too",
    ),
    (
        "RobotExpressive.glb",
        "W103",
        "sums from 1.04 to 1.76 in the file's accessors; glTF-Validator says so too",
    ),
    (
        "anim_test.x",
        "H302",
        "SkinWeights name joint3 and joint4, and the file has no such frame",
    ),
    (
        "anim_test.x",
        "W103",
        "what is left of the weights without joint3 and joint4",
    ),
    (
        "anim_test.x",
        "W104",
        "vertices that follow joint3 and joint4 alone",
    ),
    (
        "blender_293_barbarian_7400_binary.fbx",
        "W104",
        "vertices of the head that no cluster lists",
    ),
    (
        "library_animation_clips.dae",
        "W103",
        "vertices 4 and 21 with the one weight of 0.971, in <vertex_weights>",
    ),
    (
        "synthetic_broken_cluster_7500_ascii.fbx",
        "H302",
        "made to be broken: a cluster that is connected to no node",
    ),
    (
        "synthetic_broken_cluster_7500_ascii.fbx",
        "W104",
        "vertices of the cluster without a node",
    ),
];
