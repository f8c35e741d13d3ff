//! Models with what VRM adds.

use crate::folder::Folder;
use crate::program::skincheck;

/// The x coordinates of all posed vertices at the end of the first clip, or at rest.
fn posed(line: &str) -> Vec<f64> {
    let baked = skincheck(&format!("bake {line} -o -")).ok();
    let baked = baked.json();
    let points = baked["meshes"][0]["positions"]
        .as_array()
        .expect("positions are a list")
        .iter();
    points
        .map(|point| point[0].as_f64().expect("a coordinate is a number"))
        .collect()
}

#[test]
fn inspect_lists_bones_expressions_and_constraints() {
    let report = skincheck("inspect vrm/face.gltf").ok();
    for line in [
        "VRM 1.0, 16 bones",
        "expressions blink, happy, puff",
        "\"elbow\" follows \"driver\": roll, weight 0.8",
    ] {
        report.prints(line);
    }
    let report = skincheck("inspect vrm/wave.gltf").ok();
    report.prints("VRM animation 1.0");
}

#[test]
fn a_joint_is_named_by_its_bone() {
    let folder = Folder::of(&["vrm/avatar.gltf"]);
    let rendered = |joint: &str, name: &str| {
        let line = format!("render vrm/avatar.gltf --show weights:{joint} --size 32x32 -o {name}");
        folder.run(&line).ok();
        folder.bytes(name)
    };
    let named = rendered("humanoid.leftHand", "bone.png");
    assert!(named != rendered("shoulder", "shoulder.png"));
    let own = folder.run("inspect vrm/avatar.gltf --json");
    assert!(own.json()["humanoid"]["bones"][0]["bone"] == "hips");
    folder
        .run("render vrm/avatar.gltf --show weights:humanoid.leftHnad -o x.png")
        .refuses("did you mean \"humanoid.leftHand\"");
}

#[test]
fn an_expression_moves_its_targets_and_an_unknown_one_is_refused() {
    let plain = posed("vrm/face.gltf --pose rest");
    let happy = posed("vrm/face.gltf --pose rest --expression happy=1");
    let wider = plain
        .iter()
        .zip(&happy)
        .filter(|(plain, happy)| happy.abs() > plain.abs() + 1e-3);
    assert!(wider.count() > 0, "{plain:?} {happy:?}");
    assert_eq!(
        posed("vrm/face.gltf --pose rest --expression puff=0.5"),
        plain
    );
    skincheck("bake vrm/face.gltf --expression smile=1 -o -")
        .refuses("has no expression \"smile\"; there are \"blink\", \"happy\", \"puff\"");
    skincheck("bake vrm/face.gltf --expression happy=2 -o -").refuses("such as happy=0.7");
    skincheck("bake arm.gltf --expression happy=1 -o -").refuses("it has no expressions");
}

#[test]
fn a_requested_expression_holds_while_an_animation_plays() {
    let line = "vrm/face.gltf --animation vrm/smile.gltf --time";
    let at = |time: &str| posed(&format!("{line} {time}"));
    assert_ne!(at("0.2"), at("0.8"));
    let happy = |time: &str| posed(&format!("{line} {time} --expression happy=1"));
    assert_eq!(happy("0.2"), happy("0.8"));
    let [rest, still] = ["", "--expression happy=1"]
        .map(|face| posed(&format!("vrm/face.gltf --pose rest {face}")));
    assert_ne!(rest, still);
    assert_eq!(happy("0.2"), still);
}

#[test]
fn an_animation_plays_on_any_humanoid_and_on_nothing_else() {
    let still = posed("vrm/avatar.gltf --pose rest");
    let waves = posed("vrm/avatar.gltf --animation vrm/wave.gltf --time 1");
    assert!(
        still
            .iter()
            .zip(&waves)
            .any(|(still, waves)| (still - waves).abs() > 0.1)
    );
    let turned = posed("vrm/avatar_0.gltf --animation vrm/wave.gltf --time 1");
    assert!(
        turned
            .iter()
            .zip(&waves)
            .any(|(turned, waves)| (turned - waves).abs() > 0.1)
    );
    skincheck("bake arm.gltf --animation vrm/wave.gltf -o -")
        .refuses("the model states none; use a VRM model");
}
