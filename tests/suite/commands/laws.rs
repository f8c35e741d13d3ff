//! `skincheck laws`.

use std::path::Path;

use crate::program::{Run, arguments, fixture, skincheck, skincheck_in};

fn json(run: &Run) -> serde_json::Value {
    serde_json::from_str(run.text()).expect("it is JSON")
}

#[test]
fn every_law_holds_on_fixtures() {
    let models = "walker.glb arm.gltf arm.fbx arm.dae step_linear_cubic.gltf eight_influences.gltf mirrored_joint.gltf \
                  no_weight_vertices.gltf nonuniform_scale.gltf opposite_signs.gltf quantized.gltf two_skins.gltf \
                  unnormalized_weights.gltf";
    let run = skincheck(arguments(&format!("laws --cases 40 {models}")));
    assert_eq!(run.code, Some(0), "{}{}", run.text(), run.stderr);
    assert!(
        run.text().ends_with("every law holds on 13 models\n"),
        "{}",
        run.text()
    );
}

#[test]
fn every_law_holds_of_dual_quaternions() {
    let line = "laws --cases 40 --skinning dual-quaternion walker.glb arm.fbx nonuniform_scale.gltf mirrored_joint.gltf \
                eight_influences.gltf unnormalized_weights.gltf";
    let run = skincheck(arguments(line));
    assert_eq!(run.code, Some(0), "{}{}", run.text(), run.stderr);
}

#[test]
fn a_fault_of_dual_quaternions_is_found_and_its_smallest_rig_shows_it_again() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let model = fixture("walker.glb");
    let model = model.to_str().expect("it is UTF-8");
    let line = "--skinning dual-quaternion --plant linear --law reference-skin --format json";
    let line = [vec!["laws", model], line.split(' ').collect()].concat();
    let run = skincheck_in(folder.path(), line);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let command = json(&run)["models"][0]["laws"][0]["failure"]["rig"]["command"].clone();
    let command = command.as_str().expect("the rig shows it");
    assert!(command.contains(" --skinning dual-quaternion"), "{command}");
    let again = skincheck_in(folder.path(), command.split(' ').skip(1));
    assert_eq!(again.code, Some(1), "{command}: {}", again.stderr);
}

#[test]
fn a_planted_fault_is_found_and_its_smallest_rig_shows_it_again() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let model = fixture("walker.glb");
    let model = model.to_str().expect("it is UTF-8");
    let line = [
        "laws",
        model,
        "missing.glb",
        "--plant",
        "nlerp",
        "--format",
        "json",
    ];
    let run = skincheck_in(folder.path(), line);
    assert_eq!(run.code, Some(2), "one model is missing");
    let report = json(&run);
    crate::reports::fields::assert_listed("laws", std::slice::from_ref(&report));
    let laws = report["models"][0]["laws"]
        .as_array()
        .expect("laws are a list");
    let broken: Vec<_> = laws.iter().filter(|law| law["holds"] == false).collect();
    assert!(
        broken.iter().any(|law| law["law"] == "constant-speed"),
        "{broken:?}"
    );
    for law in broken {
        let command = law["failure"]["rig"]["command"]
            .as_str()
            .expect("the rig shows it");
        let arguments = command.split(' ').skip(1);
        let again = skincheck_in(folder.path(), arguments);
        assert_eq!(again.code, Some(1), "{command}: {}", again.stderr);
    }
}

#[test]
fn a_mistake_in_skinning_is_shown_again_by_its_smallest_rig() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let model = fixture("walker.glb");
    let model = model.to_str().expect("it is UTF-8");
    let line = "--plant no-inverse-bind --law bind-pose --format json";
    let line = [vec!["laws", model], line.split(' ').collect()].concat();
    let run = skincheck_in(folder.path(), line);
    let command = json(&run)["models"][0]["laws"][0]["failure"]["rig"]["command"].clone();
    let command = command.as_str().expect("the rig shows it");
    let again = skincheck_in(folder.path(), command.split(' ').skip(1));
    assert_eq!(again.code, Some(1), "{command}: {}", again.stderr);
}

#[test]
fn the_same_seed_gives_the_same_report() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let model = fixture("walker.glb");
    let run = |seed: &str| {
        let model = model.to_str().expect("it is UTF-8");
        let line = ["laws", model, "--plant", "half-floats", "--seed", seed];
        skincheck_in(folder.path(), line).text().to_owned()
    };
    assert_eq!(run("7"), run("7"));
    assert_ne!(run("7"), run("8"));
}

/// The error message of a run with a program as the engine.
#[cfg(unix)]
fn engine_error(command: &str) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let model = fixture("arm.gltf");
    let model = model.to_str().expect("it is UTF-8");
    let line = ["laws", model, "--exec", command, "--reply-timeout", "0.5"];
    let run = skincheck_in(folder.path(), line);
    assert_eq!(run.code, Some(2), "{command}: {}", run.stderr);
    run.stderr
}

#[cfg(unix)]
#[test]
fn an_engine_that_does_not_answer_is_an_error_that_says_how() {
    let dead = engine_error("exit 3");
    assert!(dead.contains("the program ended"), "{dead}");
    let missing = engine_error("skincheck-no-such-engine");
    assert!(missing.contains("the program ended"), "{missing}");
    let silent = engine_error("exec sleep 60");
    assert!(
        silent.contains("did not answer request 0 within 0.5 s"),
        "{silent}"
    );
    let garbage = engine_error("while read -r line; do echo hello; done");
    assert!(garbage.contains("it begins \"hello\""), "{garbage}");
    let other = engine_error("while read -r line; do echo '{\"id\": 9}'; done");
    assert!(other.contains("its id is 9"), "{other}");
    let refused =
        engine_error("while read -r line; do echo '{\"id\": 0, \"error\": \"no skins\"}'; done");
    assert!(refused.contains("the error \"no skins\""), "{refused}");
}

#[cfg(unix)]
#[test]
fn an_engine_that_answers_nonsense_breaks_laws() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let model = fixture("arm.gltf");
    let model = model.to_str().expect("it is UTF-8");
    // Numbers its answers like the requests.
    let command = "id=0; while read -r line; do echo \"{\\\"id\\\": $id, \\\"nodes\\\": []}\"; id=$((id+1)); done";
    let line = [
        "laws", model, "--exec", command, "--cases", "2", "--law", "key-time",
    ];
    let run = skincheck_in(folder.path(), line);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(Path::new(&folder.path().join("skincheck-laws")).is_dir());
}
