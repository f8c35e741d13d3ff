//! Models with what VRM adds.

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::program::{fixture, skincheck};

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

/// Writes a fixture with two materials and changed extensions to `name`.
fn put_changed(folder: &Folder, file: &str, name: &str, change: impl Fn(&mut Value)) {
    let bytes = std::fs::read(fixture(file)).expect("it is a fixture");
    let mut json: Value = serde_json::from_slice(&bytes).expect("it is JSON");
    json["materials"] = json!([{"name": "Skin"}, {"name": "Hair"}]);
    change(&mut json["extensions"]);
    folder.write(name, json.to_string());
}

#[test]
fn what_expressions_do_to_materials_is_compared() {
    let folder = Folder::new();
    let happy = "/VRMC_vrm/expressions/preset/happy";
    let put = |name: &str, binds: Value| {
        put_changed(&folder, "vrm/face.gltf", name, |extensions| {
            let own = extensions.pointer_mut(happy).expect("it is happy");
            for (key, list) in binds.as_object().expect("binds have names") {
                own[key] = list.clone();
            }
        });
    };
    let colour = |material: u32, red: f32| {
        let bind = json!({"material": material, "type": "color", "targetValue": [red, 0, 0, 1]});
        json!({"materialColorBinds": [bind]})
    };
    let moved = |offset: f32| {
        let bind = json!({"material": 0, "scale": [1, 1], "offset": [offset, 0]});
        json!({"textureTransformBinds": [bind]})
    };
    put("red.gltf", colour(0, 1.0));
    put("moved.gltf", moved(0.5));
    for (name, binds) in [
        ("pale.gltf", colour(0, 0.5)),
        ("hair.gltf", colour(1, 1.0)),
        ("moved.gltf", moved(0.5)),
    ] {
        put(name, binds);
        folder
            .run(&format!("diff red.gltf {name}"))
            .exits(1)
            .prints("`color` of material \"Skin\"");
    }
    put("elsewhere.gltf", moved(0.25));
    folder
        .run("diff moved.gltf elsewhere.gltf")
        .exits(1)
        .prints("`textureTransform` of material \"Skin\"");
    put("same.gltf", colour(0, 1.001));
    folder.run("diff red.gltf same.gltf").exits(0);

    // VRM 0.x.
    let put = |name: &str, red: f32| {
        put_changed(&folder, "vrm/face_0.gltf", name, |extensions| {
            extensions["VRM"]["blendShapeMaster"]["blendShapeGroups"][0]["materialValues"] = json!([
                {"materialName": "Skin", "propertyName": "_Color", "targetValue": [red, 0, 0, 1]},
            ]);
        });
    };
    put("old_red.gltf", 1.0);
    put("old_pale.gltf", 0.5);
    folder
        .run("diff old_red.gltf old_pale.gltf")
        .exits(1)
        .prints("`_Color` of material \"Skin\"");
    folder.run("diff old_red.gltf old_red.gltf").exits(0);
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
