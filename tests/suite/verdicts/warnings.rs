//! What the rules hold against real models at the level of a warning, each looked at: worked out a second time from the
//! file, or seen in a picture.

/// `(file, code, why it is true)`.
pub(super) const KNOWN: &[(&str, &str, &str)] = &[
    ("AnimatedMorphCube.glb", "G807", RIGID),
    ("Animation_NodeMisc_00.gltf", "G807", RIGID),
    ("Animation_NodeMisc_02.gltf", "G807", RIGID),
    ("Animation_NodeMisc_04.gltf", "G807", RIGID),
    ("Animation_Node_00.gltf", "G807", RIGID),
    ("Animation_Node_02.gltf", "G807", RIGID),
    ("Animation_Node_05.gltf", "G807", RIGID),
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
    ("BoxAnimated.dae", "G807", RIGID),
    (
        "BoxAnimated.glb",
        "C514",
        "from (0 0 0 -1) to (1 0 0 0) in one linear span: half a turn",
    ),
    ("BoxAnimated.glb", "G807", RIGID),
    (
        "CesiumMan.dae",
        "G806",
        "names CesiumMan.jpg, which is not beside it",
    ),
    (
        "CesiumMan.dae",
        "W106",
        "177 vertices with 5 to 8 weights by <vcount>, 210 once split at seams",
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
    ("InterpolationTest.glb", "G807", RIGID),
    (
        "RecursiveSkeletons.glb",
        "B209",
        "each skeleton is scaled by 0.3 below the one before",
    ),
    ("RecursiveSkeletons.glb", "H312", NAMELESS),
    (
        "RiggedSimple.glb",
        "B207",
        "its node stands a quarter turn from where its joints put the mesh",
    ),
    (
        "RobotExpressive.glb",
        "B205",
        "fingers that rest up to 82° from where they were bound, and that none of the 14 clips drives",
    ),
    (
        "RobotExpressive.glb",
        "B209",
        "RobotArmature is scaled by 100",
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
        "animation-multi-clip.fbx",
        "G807",
        "a box that moves as a whole; nothing for rules about skins",
    ),
    ("animation_with_skeleton.fbx", "B209", CENTIMETRES),
    (
        "animation_with_skeleton.fbx",
        "W106",
        "2879 vertices with 5 or 6 weights, as assimp reads it too",
    ),
    (
        "animation_with_skeleton.fbx",
        "W107",
        "1084 vertices move between all weights and the best four, by up to 0.87 %",
    ),
    ("anims_with_full_rotations_between_keys.DAE", "G807", RIGID),
    (
        "blender_293_barbarian_7400_binary.fbx",
        "B205",
        "rests near frame 27 of its clip, and not in it: 0.05 % away",
    ),
    (
        "blender_293_barbarian_7400_binary.fbx",
        "W106",
        "14 vertices with 5 weights, as assimp reads it too",
    ),
    (
        "blender_293_barbarian_7400_binary.fbx",
        "W107",
        "8 of those move between all weights and the best four, by up to 0.29 % of the character",
    ),
    (
        "blender_340_z_up_7400_binary.fbx",
        "G807",
        "two meshes that stand still; nothing for rules about skins",
    ),
    ("gltf_simple_skin_step.gltf", "H312", NAMELESS),
    ("huesitos.fbx", "B209", CENTIMETRES),
    (
        "manT.mdl",
        "G807",
        "the textures of man.mdl, and nothing else",
    ),
    ("max_transformed_skin_6100_ascii.fbx", "D602", SHARP_ELBOW),
    ("max_transformed_skin_6100_ascii.fbx", "D604", FOLDED_ELBOW),
    ("max_transformed_skin_7500_binary.fbx", "D602", SHARP_ELBOW),
    ("max_transformed_skin_7500_binary.fbx", "D604", FOLDED_ELBOW),
    ("maya_anim_interpolation_7700_binary.fbx", "G807", RIGID),
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
        "maya_kenney_character_7700_binary.fbx",
        "B209",
        "Root is scaled by 100, as assimp reads it too",
    ),
    (
        "maya_mixed_inherit_mode_7700_ascii.fbx",
        "T406",
        "made for it: joints turn below parents that are scaled unevenly; 0.35 between two axes",
    ),
    ("maya_pivot_offset_7700_binary.fbx", "G807", RIGID),
    (
        "maya_skinned_pivot_7700_ascii.fbx",
        "C501",
        "its take drives lockInfluenceWeights alone",
    ),
    (
        "maya_slime_7500_binary.fbx",
        "H312",
        "the namespace Slime_002: before each name",
    ),
    (
        "player.glb",
        "B207",
        "its node is scaled by 0.3, and the inverse bind matrices undo that",
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
        "skin.gltf",
        "B207",
        "Mesh_2 is moved by 1.5 along x, where its joints do not put it",
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

const RIGID: &str = "moves as rigid pieces, or by morph targets; nothing for rules about skins";
const BENT: &str = "made for it: joint1 rests 30° from where it was bound, or hangs elsewhere; no clip explains it";
const NAMELESS: &str = "its nodes have no names";
const CENTIMETRES: &str = "Blender's export in centimetres: Armature is scaled by 100";
const SHARP_ELBOW: &str =
    "asks for dual quaternions, is blended linearly: an edge at the elbow of 2.9 % is 19.8 % long";
const FOLDED_ELBOW: &str = "asks for dual quaternions, is blended linearly: four triangles stick out of the elbow, inside out";
