//! Faults are planted in a sound model, in every kind of storage, and repaired.

use std::collections::BTreeSet;

use glam::{Quat, Vec3};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::lint::{MAX_INFLUENCES, Settings};
use crate::testing::{
    LAYOUTS, Layout, Model, STORAGES, Storage, fixed, loaded, try_to_fix, try_with,
};
use crate::{Fixed, Options};

/// Sound models in all kinds of storage.
fn models() -> impl Iterator<Item = Model> {
    let pairs = STORAGES
        .into_iter()
        .flat_map(|storage| LAYOUTS.map(|layout| (storage, layout)));
    pairs.flat_map(|(storage, layout)| {
        let kinds = [(true, false), (true, true), (false, false)].into_iter();
        // Text is another container, which matters where bytes are replaced in place and where they are appended.
        let kinds = kinds.take(if layout.is_plain() { 3 } else { 2 });
        kinds.map(move |(is_binary, has_two_sets)| Model {
            is_binary,
            has_two_sets,
            ..Model::sound(storage, layout)
        })
    })
}

/// The codes that were repaired, with the number of changes; each must have removed all that its rule found, and another repair of the
/// copy must find nothing to do.
fn repaired(file: &[u8], only: &[&'static str]) -> (Vec<(&'static str, usize)>, Fixed) {
    let copy = fixed(file, only);
    assert_eq!(copy.proof.undone, []);
    let all = copy.proof.repaired.iter();
    let codes = all
        .inspect(|own| assert_eq!(own.after, 0, "{own:?}"))
        .map(|own| (own.code.0, own.changed));
    let codes = codes.collect();
    if let Some(file) = &copy.file {
        let again = fixed(file, only);
        assert_eq!((again.file, again.proof.undone), (None, Vec::new()));
    }
    (codes, copy)
}

#[test]
fn a_vertex_of_which_no_weight_would_be_left_is_left() {
    let mut model = Model::sound(Storage::Float, Layout::Apart);
    model.weights[6] = [-0.5, 0.0, 0.0, 0.0];
    let copy = fixed(&model.bytes(), &["W102"]);
    assert_eq!(copy.file, None);
    assert_eq!(
        copy.proof.undone[0].reason,
        "a vertex would have no weight left"
    );
}

#[test]
fn a_sum_is_repaired_without_new_dust() {
    for storage in [Storage::Float, Storage::Unorm16] {
        let mut model = Model::sound(storage, Layout::Apart);
        model.joints[6] = [0, 1, 0, 0];
        // Scaled to a sum of 1, the second would be below 1/255.
        model.weights[6] = [1.0, 0.00395, 0.0, 0.0];
        let (codes, copy) = repaired(&model.bytes(), &[]);
        assert_eq!(codes, [("W103", 1)], "{storage:?}");
        assert_eq!(
            fixed(&copy.file.expect("it is repaired"), &["W112"]).file,
            None
        );
    }
}

#[test]
fn strips_and_fans_are_repaired_as_triangles_are() {
    for mode in [5, 6] {
        let mut model = Model::sound(Storage::Float, Layout::Apart);
        model.weights[3] = [0.8, 0.0, 0.0, 0.0];
        model.weights[9] = [0.0; 4];
        model.normals[15] = [0.0; 3];
        let file = model.edited(|document| {
            let primitive = document["meshes"][0]["primitives"][0].as_object_mut();
            let primitive = primitive.expect("it is an object");
            primitive.remove("indices");
            primitive.insert("mode".to_owned(), json!(mode));
        });
        assert_eq!(
            repaired(&file, &[]).0,
            [("W103", 1), ("W104", 1), ("G805", 1)],
            "{mode}"
        );
    }
}

#[test]
fn a_strip_that_draco_compressed_is_one_of_its_decoded_corners() {
    let [plain, packed] = [Layout::Apart, Layout::Draco].map(|layout| {
        let mut model = Model::sound(Storage::Float, layout);
        model.weights[3] = [0.8, 0.0, 0.0, 0.0];
        model.edited(|document| document["meshes"][0]["primitives"][0]["mode"] = json!(5))
    });
    let [(_, plain), (codes, copy)] = [&plain, &packed].map(|file| repaired(file, &[]));
    assert_eq!(codes, [("W103", 1)]);
    let triangles = |file: &[u8]| loaded(file).meshes[0].triangles.clone();
    let expected = triangles(&plain.file.expect("it is repaired"));
    assert_eq!(triangles(&packed), expected);
    assert_eq!(triangles(&copy.file.expect("it is repaired")), expected);
}

#[test]
fn only_the_rules_that_are_asked_for_are_repaired() {
    let mut model = Model::sound(Storage::Unorm8, Layout::Interleaved);
    model.weights[3] = [0.8, 0.0, 0.0, 0.0];
    model.weights[8] = [0.0; 4];
    assert_eq!(repaired(&model.bytes(), &["W104"]).0, [("W104", 1)]);
    let (codes, _) = repaired(&model.bytes(), &[]);
    assert_eq!(codes, [("W103", 1), ("W104", 1)]);
}

#[test]
fn weights_that_two_meshes_share_are_copied_before_a_change() {
    for storage in STORAGES {
        let mut model = Model::sound(storage, Layout::Apart);
        model.weights[3] = [0.8, 0.0, 0.0, 0.0];
        // The other mesh has no skin, so that no rule finds a fault in it, but it reads the same accessor.
        let file = model.edited(|document| {
            let mut mesh = document["meshes"][0].clone();
            let weights = mesh["primitives"][0]["attributes"]["WEIGHTS_0"].clone();
            mesh["primitives"][0]["attributes"] = json!({
                "POSITION": mesh["primitives"][0]["attributes"]["POSITION"], "_COPY": weights,
            });
            document["meshes"]
                .as_array_mut()
                .expect("it is a list")
                .push(mesh);
        });
        let (codes, copy) = repaired(&file, &[]);
        assert_eq!(codes, [("W103", 1)], "{storage:?}");
        let copy = copy.file.expect("it is repaired");
        // The old bytes are all there.
        let text = |file: &[u8]| {
            let length = u32::from_le_bytes([file[12], file[13], file[14], file[15]]) as usize;
            (
                String::from_utf8_lossy(&file[20..20 + length]).into_owned(),
                file[28 + length..].to_vec(),
            )
        };
        let [(_, before), (json, after)] = [&file, &copy].map(|file| text(file));
        assert!(after.starts_with(&before));
        let json: Value = serde_json::from_str(&json).expect("it is JSON");
        let [own, other] = [0, 1].map(|mesh| &json["meshes"][mesh]["primitives"][0]["attributes"]);
        assert_ne!(own["WEIGHTS_0"], other["_COPY"]);
    }
}

#[test]
fn all_that_is_not_repaired_stays_byte_for_byte() {
    for mut model in models() {
        if !model.layout.is_plain() {
            continue;
        }
        model.weights[3] = [0.8, 0.0, 0.0, 0.0];
        let before = model.bytes();
        let after = fixed(&before, &[]).file.expect("it is repaired");
        assert_eq!(before.len(), after.len());
        let differing = before
            .iter()
            .zip(&after)
            .filter(|(before, after)| before != after)
            .count();
        // The weight itself; in base64, and the neighbours of its bytes.
        assert!((1..=8).contains(&differing), "{differing} {model:?}");
    }
}

/// The document of a file.
fn document(file: &[u8]) -> Value {
    let text = if file.starts_with(b"glTF") {
        let length = u32::from_le_bytes([file[12], file[13], file[14], file[15]]) as usize;
        &file[20..20 + length]
    } else {
        file
    };
    serde_json::from_slice(text).expect("it is JSON")
}

/// The views that nothing refers to.
fn unused_views(document: &Value) -> Vec<usize> {
    let text = document.to_string();
    let views = document["bufferViews"].as_array().expect("a list").len();
    let is_unused = |view: &usize| {
        !["}", ","]
            .iter()
            .any(|end| text.contains(&format!("\"bufferView\":{view}{end}")))
    };
    (0..views).filter(is_unused).collect()
}

#[test]
fn compressed_and_sparse_data_are_plain_only_where_they_change() {
    for mut model in models().filter(|model| !model.layout.is_plain() && !model.has_two_sets) {
        model.rotations[1] = model.rotations[1].map(|number| number * 1.5);
        let (codes, copy) = repaired(&model.bytes(), &[]);
        assert_eq!(
            (codes, copy.proof.plain),
            (vec![("C511", 1)], Vec::new()),
            "{model:?}"
        );
        let before = document(&model.bytes());
        let after = document(&copy.file.expect("it is repaired"));
        let own = |document: &Value| document["bufferViews"].clone();
        assert_eq!(own(&before), own(&after), "{model:?}");

        model.weights[3] = [0.8, 0.0, 0.0, 0.0];
        // Within the rounding of the types that Draco may have compressed, which is not that of floats.
        let is_loose = model.layout == Layout::Draco && model.storage == Storage::Float;
        if is_loose {
            model.weights[5] = [0.998, 0.0, 0.0, 0.0];
        }
        let (codes, copy) = repaired(&model.bytes(), &[]);
        let changed = if is_loose { 2 } else { 1 };
        assert_eq!(codes, [("W103", changed), ("C511", 1)], "{model:?}");
        let plain = copy.proof.plain;
        let after = document(&copy.file.expect("it is repaired"));
        let [part, gone] = match model.layout {
            Layout::Draco => ["meshes/0/primitives/0", "KHR_draco_mesh_compression"],
            Layout::Meshopt => ["bufferViews/3", "bufferViews/3/extensions"],
            _ => ["accessors/3", "sparse"],
        };
        assert_eq!(plain, [part], "{model:?}");
        assert!(!after.to_string().contains(gone), "{after}");
        assert_eq!(
            after.get("extensionsUsed").is_some(),
            model.layout == Layout::Meshopt
        );
        assert_eq!(unused_views(&after), unused_views(&before), "{after}");
    }
}

#[test]
fn only_what_changes_in_a_stream_is_counted_and_only_what_was_found_is_left() {
    let mut model = Model::sound(Storage::Float, Layout::Draco);
    model.weights[3] = [0.8, 0.0, 0.0, 0.0];
    model.weights[9] = [0.0; 4];
    // As near to 1 as f32 is.
    model.joints[6] = [0, 1, 0, 0];
    model.weights[6] = [0.9, 0.1, 0.0, 0.0];
    let copy = fixed(&model.bytes(), &["W103"]);
    let own = &copy.proof.repaired[0];
    assert_eq!((own.changed, own.left.len()), (1, 0), "{own:?}");
}

#[test]
fn a_stream_that_its_accessors_do_not_describe_is_refused_or_stored_as_it_is() {
    let mut model = Model::sound(Storage::Float, Layout::Draco);
    model.is_binary = false;
    model.weights[3] = [0.8, 0.0, 0.0, 0.0];
    let mut own = document(&model.bytes());
    own["accessors"][3]["componentType"] = json!(5121);
    own["accessors"][3]["normalized"] = json!(true);
    let (codes, copy) = repaired(own.to_string().as_bytes(), &[]);
    assert_eq!(codes, [("W103", 1)]);
    let copy = document(&copy.file.expect("it is repaired"));
    assert_eq!(copy["accessors"][3]["componentType"], 5126);
    assert_eq!(copy["accessors"][3].get("normalized"), None);

    own["accessors"][3]["count"] = json!(15);
    let copy = fixed(own.to_string().as_bytes(), &[]);
    assert_eq!(copy.file, None);
    assert_eq!(
        copy.proof.undone[0].reason,
        "its data are stored in a way that is not repaired"
    );
}

/// A fault that is planted in a model and its document.
struct Plant {
    code: &'static str,
    /// How much its repair changes.
    changed: usize,
    /// How many vertices that moves.
    moved: usize,
    model: fn(&mut Model),
    edit: fn(&mut Value),
}

impl Plant {
    const fn of(code: &'static str, changed: usize, moved: usize, model: fn(&mut Model)) -> Self {
        Self {
            code,
            changed,
            moved,
            model,
            edit: |_| (),
        }
    }

    const fn in_document(code: &'static str, changed: usize, edit: fn(&mut Value)) -> Self {
        Self {
            code,
            changed,
            moved: 0,
            model: |_| (),
            edit,
        }
    }

    /// Whether such numbers can be stored.
    fn is_possible(&self, storage: Storage) -> bool {
        match self.code {
            "W102" => storage == Storage::Float,
            "W112" => storage != Storage::Unorm8,
            _ => true,
        }
    }
}

const PLANTS: [Plant; 16] = [
    Plant::of("W102", 1, 1, |model| {
        (model.joints[6], model.weights[6]) = ([0, 1, 0, 0], [1.25, -0.25, 0.0, 0.0]);
    }),
    Plant::of("W103", 2, 0, |model| {
        model.weights[3] = [0.8, 0.0, 0.0, 0.0];
        model.weights[15] = [0.25, 0.5, 0.0, 0.0];
    }),
    // The first vertex is where it was: no weight is the same as one for a joint at rest.
    Plant::of("W104", 2, 1, |model| {
        (model.weights[2], model.weights[15]) = ([0.0; 4], [0.0; 4]);
    }),
    Plant::of("W106", 1, 1, |model| {
        (model.joints[5], model.weights[5]) = ([1, 0, 0, 0], [0.4, 0.6, 0.0, 0.0]);
    }),
    Plant::of("W109", 2, 0, |model| {
        (model.joints[4], model.weights[4]) = ([0; 4], [0.4, 0.6, 0.0, 0.0]);
        (model.joints[5], model.weights[5]) = ([0; 4], [0.0, 0.2, 0.0, 0.8]);
    }),
    Plant::of("W112", 1, 1, |model| {
        (model.joints[6], model.weights[6]) = ([0, 1, 0, 0], [0.998, 0.002, 0.0, 0.0]);
    }),
    Plant::of("C505", 2, 0, |model| {
        model.times.swap(1, 2);
        model.rotations.swap(1, 2);
    }),
    Plant::of("C511", 1, 0, |model| {
        model.rotations[1] = model.rotations[1].map(|number| number * 1.5);
    }),
    Plant::of("C512", 1, 0, |model| model.rotations[1] = [0.0; 4]),
    Plant::of("C513", 1, 0, |model| {
        model.rotations[1] = model.rotations[1].map(|number| -number);
    }),
    Plant::of("G805", 2, 0, |model| {
        (model.normals[3], model.normals[4]) = ([0.0, 0.0, 1.5], [0.0; 3]);
    }),
    Plant::in_document("G804", 16, |document| {
        let attributes = &mut document["meshes"][0]["primitives"][0]["attributes"];
        attributes
            .as_object_mut()
            .expect("it is one")
            .remove("NORMAL");
    }),
    Plant::in_document("G817", 2, |document| {
        document["accessors"][0]["max"] = json!([9, 9, 9]);
        let input = document["animations"][0]["samplers"][0]["input"]
            .as_u64()
            .expect("a number");
        let input = &mut document["accessors"][usize::try_from(input).expect("it is small")];
        input.as_object_mut().expect("it is one").remove("min");
    }),
    Plant::in_document("G818", 1, |document| {
        let output = document["animations"][0]["samplers"][0]["output"]
            .as_u64()
            .expect("a number");
        let output = &document["accessors"][usize::try_from(output).expect("it is small")];
        let view = output["bufferView"].as_u64().expect("it has one");
        document["bufferViews"][usize::try_from(view).expect("it is small")]["byteStride"] =
            json!(16);
    }),
    Plant::in_document("H301", 1, |document| {
        document["nodes"][1]["name"] = json!("bone 0");
    }),
    Plant::in_document("T401", 1, |document| {
        document["nodes"][1]["rotation"] = json!([0, 0, 0, 2]);
    }),
];

/// Lets a second node use the mesh with a skin of its own, or a second mesh use the same accessors.
fn share(document: &mut Value, is_skin: bool) {
    let list = if is_skin { "skins" } else { "meshes" };
    let own = document[list].as_array_mut().expect("it is a list");
    own.push(own[0].clone());
    let node = if is_skin {
        json!({"name": "second", "mesh": 0, "skin": 1})
    } else {
        json!({"name": "second", "mesh": 1, "skin": 0})
    };
    document["nodes"]
        .as_array_mut()
        .expect("it is a list")
        .push(node);
    document["scenes"][0]["nodes"] = json!([0, 2, 3]);
}

#[test]
fn a_rotation_key_of_length_0_is_what_is_between_its_neighbours() {
    for key in [0, 1, 2] {
        let mut model = Model::sound(Storage::Float, Layout::Apart);
        model.rotations[key] = [0.0; 4];
        assert_eq!(repaired(&model.bytes(), &[]).0, [("C512", 1)], "{key}");
    }
}

#[test]
fn equal_keys_at_one_time_are_moved_apart() {
    let mut model = Model::sound(Storage::Float, Layout::Apart);
    model.times[2] = model.times[1];
    model.rotations[2] = model.rotations[1];
    assert_eq!(repaired(&model.bytes(), &[]).0, [("C505", 1)]);
}

#[test]
fn different_keys_at_one_time_are_left() {
    let mut model = Model::sound(Storage::Float, Layout::Apart);
    model.times[2] = model.times[1];
    assert_eq!(repaired(&model.bytes(), &[]).0, []);
}

/// A model with a channel before its own, which holds the translation 0 of node number `node` for as long as the clip, or longer.
fn with_still_channel(node: usize, is_longer: bool) -> Vec<u8> {
    let model = Model::sound(Storage::Float, Layout::Apart);
    model.edited(|document| {
        let accessors = document["accessors"].as_array_mut();
        let accessors = accessors.expect("it is a list");
        let still = accessors.len();
        let views = document["bufferViews"].as_array_mut();
        let views = views.expect("it is a list");
        views.push(json!({"buffer": 1, "byteLength": 48}));
        let view = views.len() - 1;
        let accessors = document["accessors"].as_array_mut();
        accessors
            .expect("it is a list")
            .push(json!({"bufferView": view, "componentType": 5126, "count": 4, "type": "VEC3"}));
        let uri = format!("data:application/octet-stream;base64,{}", "A".repeat(64));
        document["buffers"] = json!([{}, {"uri": uri, "byteLength": 48}]);
        let animation = &mut document["animations"][0];
        let mut samplers = animation["samplers"].as_array().expect("a list").clone();
        let mut channels = animation["channels"].as_array().expect("a list").clone();
        let input = samplers[0]["input"].clone();
        samplers.insert(0, json!({"input": input, "output": still}));
        channels[0]["sampler"] = json!(1);
        channels.insert(
            0,
            json!({"sampler": 0, "target": {"node": node, "path": "translation"}}),
        );
        if is_longer {
            channels.truncate(1);
        }
        animation["samplers"] = json!(samplers);
        animation["channels"] = json!(channels);
    })
}

#[test]
fn channels_at_rest_are_removed_on_request() {
    let file = with_still_channel(2, false);
    assert_eq!(repaired(&file, &[]).0, []);
    let (codes, copy) = repaired(&file, &["C521"]);
    assert_eq!(codes, [("C521", 1)]);
    // Of what it had alone, nothing is left: an accessor, a view and a buffer.
    let copy = copy.file.expect("it is repaired");
    let sound = Model::sound(Storage::Float, Layout::Apart).bytes();
    assert_eq!(document(&copy), document(&sound));
    assert_eq!(loaded(&copy).clips, loaded(&sound).clips);
}

#[test]
fn a_channel_that_gives_its_clip_its_length_is_left() {
    let copy = fixed(&with_still_channel(2, true), &["C521"]);
    assert_eq!(copy.file, None);
    let reason = "without one of its channels, a clip would be shorter";
    assert_eq!(copy.proof.undone[0].reason, reason);
}

/// A model whose two joints rotate in 24 keys, and are at rest in the first or the last.
fn with_rest_pose(at: usize) -> Model {
    let mut model = Model::sound(Storage::Float, Layout::Apart);
    model.times = (0_u8..24).map(|key| f32::from(key) / 24.0).collect();
    let bent = (0_u8..24).map(|key| {
        let half = (60.0 + f32::from(key)).to_radians() / 2.0;
        [0.0, 0.0, half.sin(), half.cos()]
    });
    model.rotations = bent.collect();
    model.rotations[at] = [0.0, 0.0, 0.0, 1.0];
    model
}

/// The file of a model, with a channel of the shoulder that rotates as the elbow does.
fn with_both_joints(model: &Model) -> Vec<u8> {
    model.edited(|document| {
        let channels = document["animations"][0]["channels"].as_array_mut();
        channels
            .expect("it is a list")
            .push(json!({"sampler": 0, "target": {"node": 0, "path": "rotation"}}));
    })
}

#[test]
fn a_rest_pose_at_an_end_of_a_clip_is_removed_on_request() {
    for at in [0, 23] {
        let model = with_rest_pose(at);
        let file = with_both_joints(&model);
        assert_eq!(repaired(&file, &[]).0, []);
        let (codes, copy) = repaired(&file, &["C528"]);
        assert_eq!(codes, [("C528", 1)], "{at}");
        assert_eq!(copy.proof.moved.map(|moved| moved.vertices), Some(0));
        let sentence = copy.proof.sentence().expect("it is repaired");
        assert!(
            sentence.ends_with(", without the removed keys"),
            "{sentence}"
        );
        let keys = loaded(&copy.file.expect("it is repaired")).clips[0].key_times();
        let mut times = model.times.clone();
        times.remove(at);
        let expected: Vec<f64> = times.into_iter().map(f64::from).collect();
        assert_eq!(keys.iter().map(|time| time.0).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn a_jump_that_is_no_rest_pose_is_left() {
    let mut model = with_rest_pose(0);
    let half = 5.0_f32.to_radians() / 2.0;
    model.rotations[0] = [0.0, 0.0, half.sin(), half.cos()];
    model.rotations[12] = [0.0, 0.0, 0.0, 1.0];
    assert_eq!(fixed(&with_both_joints(&model), &["C528"]).file, None);
}

#[test]
fn rotations_of_nodes_get_length_1() {
    for (stored, expected) in [
        (json!([0.0, 0.6, 0.0, 0.7]), "[0,0.65079"),
        (json!([0, 0, 0, 0]), "[0,0,0,1]"),
    ] {
        let model = Model::sound(Storage::Float, Layout::Apart);
        let file = model.edited(|document| document["nodes"][1]["rotation"] = stored);
        let (codes, copy) = repaired(&file, &[]);
        assert_eq!(codes, [("T401", 1)]);
        let text = String::from_utf8_lossy(&copy.file.expect("it is repaired")).into_owned();
        assert!(text.contains(expected), "{text:.900}");
    }
}

/// The copy of a model in which one influence per vertex is the limit.
fn limited(file: &[u8], only: &[&'static str]) -> Fixed {
    let settings = Settings {
        limits: [(MAX_INFLUENCES, 1.0)].into(),
        ..Settings::default()
    };
    try_with(
        file,
        only,
        Options {
            settings,
            ..Options::default()
        },
    )
    .expect("it can be read")
}

#[test]
fn every_planted_fault_is_repaired_in_every_storage() {
    for sound in models() {
        for plant in PLANTS
            .iter()
            .filter(|plant| plant.is_possible(sound.storage))
        {
            let mut model = sound.clone();
            (plant.model)(&mut model);
            let mut files = vec![model.edited(plant.edit)];
            // The stream of Draco is that of one mesh, and names that are doubled are more.
            if model.is_binary
                && !model.has_two_sets
                && model.layout != Layout::Draco
                && plant.code != "H301"
            {
                files.extend([true, false].map(|is_skin| {
                    model.edited(|document| {
                        (plant.edit)(document);
                        share(document, is_skin);
                    })
                }));
            }
            let fix = if plant.code == "W106" { limited } else { fixed };
            for (index, file) in files.iter().enumerate() {
                let copy = fix(file, &[plant.code]);
                assert_eq!(copy.proof.undone, [], "{model:?}");
                let [own] = &copy.proof.repaired[..] else {
                    panic!("{} {model:?}", plant.code)
                };
                assert_eq!((own.code.0, own.after), (plant.code, 0), "{model:?}");
                let moved = copy.proof.moved.map(|moved| moved.vertices);
                if index == 0 {
                    assert_eq!(
                        (own.changed, moved),
                        (plant.changed, Some(plant.moved)),
                        "{} {model:?}",
                        plant.code
                    );
                }
                let copy = copy.file.expect("it is repaired");
                for only in
                    [&[plant.code][..], &[]]
                        .into_iter()
                        .take(if index == 0 { 2 } else { 1 })
                {
                    let again = fix(&copy, only);
                    assert_eq!(
                        (again.file, again.proof.undone),
                        (None, Vec::new()),
                        "{} {model:?}",
                        plant.code
                    );
                }
                let [before, after] = [file, &copy].map(|file| unused_views(&document(file)).len());
                assert!(after <= before, "{} {model:?}", plant.code);
            }
        }
    }
}

#[test]
fn the_order_of_repairs_does_not_matter() {
    for mut model in models() {
        model.weights[3] = [0.8, 0.0, 0.0, 0.0];
        model.weights[9] = [0.0; 4];
        model.joints[5] = [0; 4];
        model.weights[5] = [0.4, 0.6, 0.0, 0.0];
        model.rotations[1] = model.rotations[1].map(|number| number * 1.5);
        model.normals[2] = [0.0, 0.0, 0.5];
        let mut files = vec![model.bytes()];
        if model.layout != Layout::Draco && !model.has_two_sets {
            files.extend(
                [true, false].map(|is_skin| model.edited(|document| share(document, is_skin))),
            );
        }
        for file in files {
            let at_once = fixed(&file, &[]);
            for codes in [
                ["G805", "C511", "W109", "W104", "W103"],
                ["W104", "G805", "W103", "W109", "C511"],
            ] {
                let mut plain = BTreeSet::new();
                let one_by_one = codes.iter().fold(file.clone(), |file, code| {
                    let copy = fixed(&file, &[code]);
                    plain.extend(copy.proof.plain);
                    copy.file.expect("each has a fault")
                });
                assert_eq!(
                    plain,
                    at_once.proof.plain.iter().cloned().collect(),
                    "{codes:?} {model:?}"
                );
                let at_once = at_once.file.as_ref().expect("it has faults");
                let [a, b] = [&one_by_one, at_once].map(|file| loaded(file));
                for (a, b) in a.meshes.iter().zip(&b.meshes) {
                    assert_eq!(a.influences, b.influences, "{codes:?} {model:?}");
                    assert_eq!(a.normals, b.normals, "{codes:?} {model:?}");
                }
                assert_eq!(a.clips, b.clips, "{codes:?} {model:?}");
                // Where bytes are appended, their order is that of the repairs.
                if model.layout.is_plain() {
                    assert_eq!(&one_by_one, at_once, "{codes:?} {model:?}");
                }
            }
        }
    }
}

#[test]
fn a_repair_that_fails_for_a_fault_of_another_is_tried_again() {
    let mut model = Model::sound(Storage::Float, Layout::Apart);
    // Without its negative weight, the first moves too far, until the weights of one joint are merged. The second stays.
    model.joints[1] = [0, 0, 1, 1];
    model.weights[1] = [0.129_589_96, 0.132_568_02, 0.527_375_04, -0.105_165_79];
    model.weights[5] = [-0.001, 0.0, 0.0, -0.02];
    let copy = fixed(&model.bytes(), &[]);
    assert_eq!(copy.proof.undone, []);
    assert_eq!(fixed(&copy.file.expect("it is repaired"), &[]).file, None);
}

#[test]
fn sums_that_are_loose_in_a_stream_are_corrected_with_any_other_weights() {
    let mut model = Model::sound(Storage::Float, Layout::Draco);
    // No fault, as long as the type of weights is unknown.
    model.weights[1] = [0.9965, 0.0, 0.0, 0.0];
    (model.joints[15], model.weights[15]) = ([0; 4], [0.0, 0.0, 0.06, 0.33]);
    assert_eq!(repaired(&model.bytes(), &["W109"]).0, [("W109", 2)]);
    let (codes, copy) = repaired(&model.bytes(), &[]);
    assert_eq!(codes, [("W109", 2), ("W103", 0)]);
    assert_eq!(fixed(&copy.file.expect("it is repaired"), &[]).file, None);
}

#[test]
fn a_patch_that_follows_another_joint_is_repaired_whole_or_not_at_all() {
    for storage in STORAGES {
        let mut model = Model::soft(storage);
        for vertex in (1..6).flat_map(|row| (1..6).map(move |column| row * 8 + column)) {
            (model.joints[vertex], model.weights[vertex]) = ([0, 1, 0, 0], [0.0, 1.0, 0.0, 0.0]);
        }
        let file = model.bytes();
        let reason = |most| {
            let copy = try_with(
                &file,
                &["D602"],
                Options {
                    most,
                    ..Options::default()
                },
            );
            copy.map(|copy| {
                (
                    copy.proof.undone.first().map(|own| own.reason.clone()),
                    copy,
                )
            })
        };
        let (reason_of_few, copy) = reason(Some(24)).expect("it can be read");
        assert!(
            copy.file.is_none()
                && reason_of_few.is_some_and(|reason| reason.contains("more than 24"))
        );
        let (reason_of_all, copy) = reason(Some(80)).expect("it can be read");
        assert_eq!(reason_of_all, None);
        let copy = loaded(&copy.file.expect("it is repaired"));
        let weights = &copy.meshes[0].influences;
        let strays = (1..48).filter(|vertex| {
            weights
                .of(*vertex)
                .iter()
                .any(|own| own.slot.0 == 1 && own.weight > 0.5)
        });
        assert_eq!(strays.count(), 0, "{storage:?}");
    }
}

/// Models without a fault: any grid, number of joints, influences and motion.
fn sound_models() -> impl Strategy<Value = Model> {
    let storage = (
        prop::sample::select(STORAGES.to_vec()),
        prop::sample::select(LAYOUTS.to_vec()),
    );
    let shape = (2_u8..6, 2_u8..8, 2_u8..8, any::<[bool; 2]>());
    (storage, shape).prop_flat_map(
        |((storage, layout), (columns, rows, bones, [is_binary, has_two_sets]))| {
            let influences = (
                prop::sample::subsequence(
                    (0..bones).collect::<Vec<_>>(),
                    1..=usize::from(bones.min(4)),
                ),
                any::<[u16; 4]>(),
            );
            let vertices = prop::collection::vec(influences, usize::from(columns * rows));
            let direction = prop::array::uniform3(-1.0_f32..1.0)
                .prop_filter("it has a length", |own| {
                    Vec3::from_array(*own).length() > 0.1
                });
            let key = (0.01_f32..1.0, direction, -3.0_f32..3.0);
            (vertices, prop::collection::vec(key, 1..6)).prop_map(move |(vertices, keys)| {
                let (joints, weights) = vertices
                    .iter()
                    .map(|(joints, parts)| sound_influences(joints, *parts))
                    .unzip();
                let times = keys.iter().scan(0.0, |time, (step, ..)| {
                    *time += step;
                    Some(*time)
                });
                let rotations = keys.iter().map(|(_, axis, angle)| {
                    Quat::from_axis_angle(Vec3::from_array(*axis).normalize(), *angle).to_array()
                });
                Model {
                    storage,
                    layout,
                    is_binary,
                    grid: [columns, rows],
                    bones,
                    has_two_sets,
                    joints,
                    weights,
                    normals: vec![[0.0, 0.0, 1.0]; usize::from(columns * rows)],
                    times: times.collect(),
                    rotations: rotations.collect(),
                }
            })
        },
    )
}

/// Weights for some joints that sum to 1, in multiples of 1/255, which every storage holds.
fn sound_influences(joints: &[u8], parts: [u16; 4]) -> ([u8; 4], [f32; 4]) {
    let (mut own, mut weights, mut left) = ([0; 4], [0.0; 4], 255);
    for (slot, joint) in joints.iter().enumerate() {
        let others = u16::try_from(joints.len() - 1 - slot).expect("there are few");
        // At least one for each that follows.
        let weight = if others == 0 {
            left
        } else {
            1 + parts[slot] % (left - others)
        };
        left -= weight;
        (own[slot], weights[slot]) = (*joint, f32::from(weight) / 255.0);
    }
    (own, weights)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_sound_model_is_left_as_it_is(model in sound_models()) {
        let copy = fixed(&model.bytes(), &[]);
        prop_assert_eq!((copy.file, copy.proof.undone), (None, Vec::new()));
    }

    /// Whatever is in a file: a copy is proved or not made, and a copy of the copy changes nothing.
    #[test]
    fn repairing_twice_changes_nothing_the_second_time(
        weights in prop::collection::vec(prop::array::uniform4(-0.3_f32..1.0), 16),
        joints in prop::collection::vec(prop::array::uniform4(0_u8..2), 16),
        storage in prop::sample::select(STORAGES.to_vec()),
        layout in prop::sample::select(LAYOUTS.to_vec()),
        faulty in prop::collection::btree_set(0_usize..16, 0..5),
    ) {
        let mut model = Model::sound(storage, layout);
        for vertex in faulty {
            model.weights[vertex] = weights[vertex];
            model.joints[vertex] = joints[vertex];
        }
        if let Some(file) = fixed(&model.bytes(), &[]).file {
            prop_assert_eq!(fixed(&file, &[]).file, None);
        }
    }

    /// A damaged file is refused, or repaired as any other.
    #[test]
    fn damage_is_no_danger(
        storage in prop::sample::select(STORAGES.to_vec()),
        layout in prop::sample::select(LAYOUTS.to_vec()),
        is_binary in any::<bool>(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut model = Model::sound(storage, layout);
        model.is_binary = is_binary;
        model.weights[3] = [0.5, 0.0, 0.0, 0.0];
        model.weights[5] = [0.0; 4];
        model.times.swap(1, 2);
        model.rotations[0] = [0.0; 4];
        model.normals[1] = [0.0; 3];
        let mut file = model.bytes();
        for (place, byte) in damage {
            *place.get_mut(&mut file) = byte;
        }
        if let Ok(Fixed { file: Some(file), .. }) = try_to_fix(&file, &[]) {
            prop_assert!(try_to_fix(&file, &[]).is_ok());
        }
    }
}
