//! Pairs from exporters, converters and engines, with the verdicts and causes that an independent evaluator found. They lie
//! next to the corpus.

use std::path::Path;

use rayon::prelude::*;

use crate::program::skincheck_in;

/// A pair of files.
struct Case {
    before: &'static str,
    after: &'static str,
    options: &'static str,
    code: i32,
    /// Kinds that are among the differences or, if the files cannot be compared, words of the error.
    shows: &'static [&'static str],
    /// Kinds that are not.
    hides: &'static [&'static str],
}

const fn case(before: &'static str, after: &'static str, code: i32) -> Case {
    Case {
        before,
        after,
        options: "",
        code,
        shows: &[],
        hides: &[],
    }
}

impl Case {
    const fn with(self, options: &'static str) -> Self {
        Self { options, ..self }
    }

    const fn shows(self, shows: &'static [&'static str]) -> Self {
        Self { shows, ..self }
    }

    const fn hides(self, hides: &'static [&'static str]) -> Self {
        Self { hides, ..self }
    }

    /// What is wrong with the report, if anything.
    fn complaint(&self, folder: &Path) -> Option<String> {
        let pair = format!("{} {} {}", self.before, self.after, self.options);
        let run = skincheck_in(folder, &format!("diff {pair} --format json"));
        let shown: Vec<String> = if self.code == 2 {
            self.shows
                .iter()
                .filter(|words| run.stderr.contains(**words))
                .map(|words| (*words).to_owned())
                .collect()
        } else {
            let report = run.json();
            let findings = report["models"][0]["findings"].as_array().expect("a list");
            let differences = findings
                .iter()
                .filter(|finding| finding["level"] == "error");
            differences
                .filter_map(|finding| finding["code"].as_str())
                .map(str::to_owned)
                .collect()
        };
        let is_shown = |kind: &&str| shown.iter().any(|own| own == *kind);
        let is_right = run.code == Some(self.code)
            && self.shows.iter().all(&is_shown)
            && !self.hides.iter().any(is_shown);
        (!is_right).then(|| {
            let (code, shows, hides) = (self.code, self.shows, self.hides);
            format!(
                "{pair}: expected {code}, {shows:?}, not {hides:?}; found {:?}, {shown:?}",
                run.code
            )
        })
    }
}

const CASES: &[Case] = &[
    // Bendy bones, which FBX cannot hold; and a clip that ends earlier beside a motion that differs.
    case(
        "01_same_unexplained/C_bbone-4.5.skref",
        "01_same_unexplained/C_bbone-4.5.fbx.fbx",
        1,
    )
    .with("--align time --clip-map Scene=Arm|ArmAction")
    .shows(&["unexplained"]),
    case(
        "01_same_unexplained/max_transformed_skin_7500_binary.fbx",
        "01_same_unexplained/max_transformed_skin_7500_binary.glb",
        1,
    )
    .with("--align time")
    .shows(&["clip-range", "resampled"])
    .hides(&["unexplained"]),
    case(
        "01_same_unexplained/max_transformed_skin_7500_binary.fbx",
        "01_same_unexplained/max_transformed_skin_7500_binary.glb",
        1,
    )
    .shows(&["clip-range", "resampled"])
    .hides(&["unexplained"]),
    // A reference against a model that lacks nine tenths of its clips, and one with times in frames.
    case(
        "02_same_reference_range/baked.skref",
        "02_same_reference_range/cut0.1.glb",
        1,
    )
    .shows(&["clip-range"]),
    case(
        "02_same_reference_range/cut0.1.glb",
        "02_same_reference_range/baked.skref",
        1,
    )
    .shows(&["clip-range"]),
    case(
        "02_same_reference_range/baked.skref",
        "02_same_reference_range/Fox.glb",
        0,
    ),
    case(
        "02_same_reference_range/x30.skref",
        "02_same_reference_range/Fox.glb",
        1,
    )
    .shows(&["timing"])
    .hides(&["interpolation", "keys"]),
    case(
        "02_same_reference_range/Fox.glb",
        "02_same_reference_range/x30.skref",
        1,
    )
    .shows(&["timing"])
    .hides(&["interpolation", "keys"]),
    // Helper nodes of an importer.
    case(
        "03_mixamo_reparented/mixamo.fbx",
        "03_mixamo_reparented/mixamo_fbx.glb",
        1,
    )
    .with("--tolerance 1%")
    .shows(&["resampled"])
    .hides(&["joint-reparented"]),
    case(
        "03_mixamo_reparented/maya_human_ik_7400_binary.fbx",
        "03_mixamo_reparented/maya_human_ik_7400_binary.glb",
        0,
    ),
    // A shift in time, with roots in other units.
    case(
        "04_time_shift_missed/K_start10-4.5.skref",
        "04_time_shift_missed/K_start10-4.5.fbx.fbx",
        1,
    )
    .shows(&["timing"])
    .hides(&["keys", "unexplained"]),
    case(
        "04_time_shift_missed/K_start10-4.5.skref",
        "04_time_shift_missed/K_start10-4.5.fbx.fbx",
        0,
    )
    .with("--align time --clip-map Scene=Arm|ArmAction"),
    // Mesh and joints a hundred times as large.
    case(
        "05_scale_missed/maya_kenney_character_7700_binary.fbx",
        "05_scale_missed/maya_kenney_character_7700_binary.glb",
        1,
    )
    .shows(&["similarity", "clip-range", "resampled"])
    .hides(&["mesh-shape", "bind-pose", "root-motion", "unexplained"]),
    case(
        "05_scale_missed/maya_kenney_character_7700_binary.fbx",
        "05_scale_missed/maya_kenney_character_7700_binary.glb",
        1,
    )
    .with("--scale 0.01")
    .shows(&["clip-range", "resampled"])
    .hides(&[
        "similarity",
        "mesh-shape",
        "bind-pose",
        "root-motion",
        "unexplained",
    ]),
    // Nodes that undo quantization, and meshes below new nodes.
    case(
        "06_nodes_and_resample/RobotExpressive.glb",
        "06_nodes_and_resample/Rob.gt_quantize.glb",
        0,
    ),
    case(
        "06_nodes_and_resample/RobotExpressive.glb",
        "06_nodes_and_resample/Rob.kn_ke.glb",
        1,
    )
    .shows(&["resampled"])
    .hides(&[
        "mesh-missing",
        "mesh-added",
        "mesh-shape",
        "triangles",
        "weights",
        "unexplained",
    ]),
    // Fingers of a model with 8-bit positions are told apart.
    case(
        "06_nodes_and_resample/mannequiny.glb",
        "06_nodes_and_resample/Man.kn_vp8_at.glb",
        1,
    )
    .shows(&["mesh-shape", "resampled"])
    .hides(&["weights", "triangles"]),
    // A key of a joint without vertices of its own.
    case(
        "07_hip_unexplained/greenman.glb",
        "07_hip_unexplained/key2deg_Gre.glb",
        1,
    )
    .shows(&["keys"])
    .hides(&["unexplained"]),
    // Names without punctuation.
    case(
        "08_mesh_missing/Soldier.glb",
        "09_names/three.Soldier.glb",
        0,
    ),
    case(
        "09_names/three.Soldier.glb",
        "08_mesh_missing/Soldier.glb",
        0,
    ),
    // Dual quaternions that became linear.
    case(
        "10_dual_quaternion/maya_dq_weights_7500_binary.fbx",
        "10_dual_quaternion/maya_dq_weights_7500_binary.glb",
        1,
    )
    .shows(&["skinning-method", "clip-range"])
    .hides(&["weights", "unexplained"]),
    // A collection instance that a reference lacks. The scenes of integrations/blender/test_scenes.py have such instances, and
    // slots of one action as 11_blender5_all_actions/F_slots.blend has.
    case(
        "12_collection_instance/H_inst-4.5.skref",
        "12_collection_instance/H_inst-4.5.glbscene.glb",
        1,
    )
    .shows(&["mesh-added"])
    .hides(&["unexplained"]),
    case(
        "12_collection_instance/H_inst-4.5.glbscene.glb",
        "12_collection_instance/H_inst-4.5.skref",
        1,
    )
    .shows(&["mesh-missing", "joint-missing"])
    .hides(&["unexplained"]),
    // References that contradict themselves.
    case(
        "13_reference_checks/index_oob.skref",
        "02_same_reference_range/Fox.glb",
        2,
    )
    .shows(&["an influence of vertex 0 refers to node 99"]),
    case(
        "13_reference_checks/tri_oob.skref",
        "02_same_reference_range/Fox.glb",
        2,
    )
    .shows(&["triangle 574 refers to vertex 1728"]),
    case(
        "13_reference_checks/nan_pos.skref",
        "02_same_reference_range/Fox.glb",
        2,
    )
    .shows(&["the position of vertex 7 is not finite"]),
    case(
        "13_reference_checks/key_order.skref",
        "02_same_reference_range/Fox.glb",
        0,
    ),
    // Exchanged names of clips, a track that starts later, and the action of an object on the armature.
    case(
        "02_same_reference_range/Fox.glb",
        "14_other/clips_names_permuted.glb",
        1,
    )
    .shows(&["clips-swapped"])
    .hides(&["keys"]),
    case(
        "02_same_reference_range/Fox.glb",
        "14_other/track_offset_Fox.glb",
        1,
    )
    .shows(&["keys"])
    .hides(&["unexplained"]),
    case(
        "14_other/I_shearobj-4.5.fbx.fbx",
        "14_other/I_shearobj-5.0.fbx.fbx",
        1,
    )
    .shows(&["keys"])
    .hides(&["unexplained"]),
];

#[test]
fn real_pairs_have_the_right_verdicts_and_causes() {
    let Some(corpus) = std::env::var_os("SKINCHECK_CORPUS") else {
        return;
    };
    let folder = Path::new(&corpus).with_file_name("cases").join("diff");
    if !folder.is_dir() {
        return;
    }
    let wrong = CASES.par_iter().filter_map(|case| case.complaint(&folder));
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
