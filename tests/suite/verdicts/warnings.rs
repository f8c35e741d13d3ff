//! The warnings that the rules report on real models, each reviewed: computed again from the file, or seen in an image.

/// `(file, code, why it is true)`.
pub(super) const KNOWN: &[(&str, &str, &str)] = &[
    (
        "Knight.glb",
        "D610",
        "a knee that bends by 143° in the run to the side: a third of the width of the leg is left",
    ),
    (
        "maya_dq_weights_7500_binary.fbx",
        "D610",
        "a bar twisted by 168° whose file asks for linear blending at most of its vertices",
    ),
    (
        "skeleton.fbx",
        "G810",
        "its triangles enclose a volume above 0, and all of its normals point inwards",
    ),
    ("Animation_SkinType_00.gltf", "B205", BENT),
    ("Animation_SkinType_02.gltf", "B205", BENT),
    ("Animation_Skin_00.gltf", "B205", BENT),
    (
        "Animation_Skin_01.gltf",
        "B205",
        "joint1 rests 30° from where it was bound; its clip passes there only between two keys",
    ),
    ("Animation_Skin_03.gltf", "B205", BENT),
    (
        "Animation_Skin_03.gltf",
        "H316",
        "its joints are in no scene, as its makers mean it; glTF-Validator says so too",
    ),
    (
        "Animation_Skin_04.gltf",
        "B205",
        "joint1 rests turned and moved: its inverse bind matrix is not there",
    ),
    (
        "Animation_Skin_05.gltf",
        "B205",
        "joint1 rests 30° from where it was bound; its clip passes there only between two keys",
    ),
    ("Animation_Skin_07.gltf", "B205", BENT),
    (
        "Animation_Skin_10.gltf",
        "H307",
        "joint3 hangs on transformNode, which is no joint, and that on joint2",
    ),
    (
        "BoxAnimated.glb",
        "C514",
        "from (0 0 0 -1) to (1 0 0 0) in one linear span: half a turn",
    ),
    (
        "CesiumMan.dae",
        "G806",
        "names CesiumMan.jpg, which is not beside it",
    ),
    (
        "CesiumMan.dae",
        "W107",
        "at the right shoulder: 0.84 % between all weights and the best four",
    ),
    (
        "Fox.glb",
        "D602",
        "the chest between the forelegs: an edge of 2.0 % of the diagonal is 12.3 % long in the run",
    ),
    (
        "RecursiveSkeletons.glb",
        "B209",
        "each skeleton is scaled by 0.3 below the one before",
    ),
    ("RecursiveSkeletons.glb", "H312", NAMELESS),
    (
        "RobotExpressive.glb",
        "B205",
        "fingers that rest up to 82° from where they were bound, and that none of the 14 clips drives",
    ),
    ("SimpleSkin.gltf", "H312", NAMELESS),
    (
        "Testwuson.X",
        "D606",
        "opens where W113 says: 0.43 % of the diagonal in the walk, 0 as bound",
    ),
    (
        "Testwuson.X",
        "W113",
        "seven pairs along a seam of the chest, with 0.05 on the one foreleg or on the other",
    ),
    (
        "WusonSMD.smd",
        "G806",
        "names default.bmp, which is not beside it",
    ),
    (
        "animation_with_skeleton.fbx",
        "W107",
        "1084 vertices move between all weights and the best four, by up to 0.87 %",
    ),
    (
        "blender_293_barbarian_7400_binary.fbx",
        "B205",
        "the left weapon is turned by 14.7° in its hand at rest and in every frame, and not as bound; the right one is as bound",
    ),
    (
        "blender_293_barbarian_7400_binary.fbx",
        "W107",
        "8 of those move between all weights and the best four, by up to 0.29 % of the character",
    ),
    ("gltf_simple_skin_step.gltf", "H312", NAMELESS),
    ("max_transformed_skin_6100_ascii.fbx", "D602", SHARP_ELBOW),
    ("max_transformed_skin_6100_ascii.fbx", "D604", FOLDED_ELBOW),
    ("max_transformed_skin_7500_binary.fbx", "D602", SHARP_ELBOW),
    ("max_transformed_skin_7500_binary.fbx", "D604", FOLDED_ELBOW),
    (
        "maya_game_sausage_7500_binary_combined.fbx",
        "D604",
        "a bar of whole weights, bent by more than a right angle: the quad inside the bend is inside out",
    ),
    (
        "maya_kenney_character_7700_binary.fbx",
        "B205",
        "LeftHandIndex1 is 0.139 from LeftHand as bound, and 0.096 in each frame; other fingers too",
    ),
    (
        "maya_mixed_inherit_mode_7700_ascii.fbx",
        "T406",
        "made for it: joints turn below parents that are scaled unevenly; 0.35 between two axes",
    ),
    (
        "maya_skinned_pivot_7700_ascii.fbx",
        "C501",
        "its take drives lockInfluenceWeights alone",
    ),
    ("player.glb", "B209", "Skeleton is scaled by 0.3"),
    ("player.glb", "H312", "joints \"head\" and \"HEAD\""),
    ("simple_skin.gltf", "H312", NAMELESS),
    (
        "skeleton.fbx",
        "B205",
        "thumbs and more rest elsewhere than bound, in no frame of its take; its clips are other files",
    ),
    (
        "skeleton.fbx",
        "W106",
        "6 vertices with 5 or 6 weights, as assimp reads it too",
    ),
    (
        "testentities_cool_guy.x",
        "C503",
        "has no AnimTicksPerSecond",
    ),
    (
        "walk.fbx",
        "C508",
        "its take stops at 1.333 s (LocalStop), the camera's last key is at 1.9 s",
    ),
];

const BENT: &str = "made for it: joint1 rests 30° from where it was bound, or hangs elsewhere; no clip explains it";
const NAMELESS: &str = "its nodes have no names";
const SHARP_ELBOW: &str = "asks for a blend of dual quaternions in which their share is 0: an edge at the elbow of 2.9 % is 19.8 % long";
const FOLDED_ELBOW: &str = "asks for a blend of dual quaternions in which their share is 0: four triangles stick out of the elbow, inside out";
