//! Animations.

use glam::{Quat, Vec3};
use serde_json::{Value, json};

use crate::import::gltf::testing::{I8, Model, defects, messages};
use crate::rig::{DefectKind, Span};

/// A triangle on a node, with one animation.
fn animated(channels: &Value, samplers: impl FnOnce(&mut Model) -> Value) -> Model {
    let mut model = Model::triangle(&json!([{"mesh": 0}]));
    let samplers = samplers(&mut model);
    model.json["animations"] = json!([{"channels": channels, "samplers": samplers}]);
    model
}

fn channel(path: &str) -> Value {
    json!({"sampler": 0, "target": {"node": 0, "path": path}})
}

#[test]
fn steps_and_splines_stay_what_they_are() {
    let channels = json!([
        {"sampler": 0, "target": {"node": 0, "path": "translation"}},
        {"sampler": 1, "target": {"node": 0, "path": "scale"}},
    ]);
    let model = animated(&channels, |model| {
        let times = model.floats("SCALAR", &[0.1, 0.7]);
        let steps = model.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
        let spline: Vec<f32> = (0_u8..18).map(f32::from).collect();
        let spline = model.floats("VEC3", &spline);
        json!([
            {"input": times, "output": steps, "interpolation": "STEP"},
            {"input": times, "output": spline, "interpolation": "CUBICSPLINE"},
        ])
    });
    let asset = model.import().unwrap();
    let clip = &asset.clips[0];
    assert_eq!(clip.name, "animation_0");
    assert_eq!(clip.end.0.to_bits(), f64::from(0.7_f32).to_bits());
    let channel = &clip.channels[0];
    assert_eq!(channel.rotation, None);
    assert_eq!(
        channel.translation.as_ref().unwrap().keys[0].span,
        Span::Step
    );
    let keys = &channel.scale.as_ref().unwrap().keys;
    let (leave, arrive) = (Vec3::new(6.0, 7.0, 8.0), Vec3::new(9.0, 10.0, 11.0));
    assert_eq!(keys[0].value, Vec3::new(3.0, 4.0, 5.0));
    assert_eq!(keys[0].span, Span::Cubic { leave, arrive });
    assert_eq!(
        (keys[1].value, &keys[1].span),
        (Vec3::new(12.0, 13.0, 14.0), &Span::Step)
    );
}

#[test]
fn rotations_may_be_normalized_bytes() {
    let model = animated(&json!([channel("rotation")]), |model| {
        let times = model.floats("SCALAR", &[0.0, 1.0]);
        let rotations = model.accessor(&[0, 0, 0, 127, 0, 0x81, 0, 0], I8, "VEC4", 2);
        model.json["accessors"][rotations]["normalized"] = true.into();
        json!([{"input": times, "output": rotations}])
    });
    let asset = model.import().unwrap();
    let keys = &asset.clips[0].channels[0].rotation.as_ref().unwrap().keys;
    let values: Vec<Quat> = keys.iter().map(|key| key.value).collect();
    assert_eq!(
        values,
        [Quat::IDENTITY, Quat::from_xyzw(0.0, -1.0, 0.0, 0.0)]
    );
    assert_eq!(keys[0].span, Span::Linear);
}

fn morphing(interpolation: &str, weights: &[f32], targets: &Value) -> Model {
    let mut model = animated(&json!([channel("weights")]), |model| {
        let times = model.floats("SCALAR", &[0.0, 1.0]);
        let weights = model.floats("SCALAR", weights);
        json!([{"input": times, "output": weights, "interpolation": interpolation}])
    });
    model.primitive()["targets"] = targets.clone();
    model
}

#[test]
fn negative_morph_weights_are_kept() {
    let model = morphing("LINEAR", &[-0.5, 0.0, 1.0, 2.0], &json!([{}, {}]));
    let asset = model.import().unwrap();
    let keys = &asset.clips[0].morph_channels[0].weights.keys;
    assert_eq!(
        (&keys[0].value, &keys[1].value),
        (&vec![-0.5, 0.0], &vec![1.0, 2.0])
    );
}

#[test]
fn cubic_morph_weights_have_all_their_tangents() {
    let numbers: Vec<f32> = (0_u8..12).map(f32::from).collect();
    let asset = morphing("CUBICSPLINE", &numbers, &json!([{}, {}]))
        .import()
        .unwrap();
    let key = &asset.clips[0].morph_channels[0].weights.keys[0];
    let (leave, arrive) = (vec![4.0, 5.0], vec![6.0, 7.0]);
    assert_eq!(
        (&key.value, &key.span),
        (&vec![2.0, 3.0], &Span::Cubic { leave, arrive })
    );
}

#[test]
fn weights_of_another_number_of_targets_are_skipped_with_a_note() {
    let asset = morphing("LINEAR", &[1.0; 4], &json!([{}]))
        .import()
        .unwrap();
    assert!(asset.clips[0].morph_channels.is_empty());
    let expected = "skipped channel 0: 2 weights per key do not fit the 1 targets of its mesh";
    assert_eq!(messages(&asset), [expected]);
}

#[test]
fn a_node_outside_of_the_scene_is_moved() {
    let mut model = animated(&json!([channel("translation")]), |model| {
        let times = model.floats("SCALAR", &[0.0]);
        let translations = model.floats("VEC3", &[1.0, 2.0, 3.0]);
        json!([{"input": times, "output": translations}])
    });
    model.json["scenes"] = json!([{}]);
    assert_eq!(model.import().unwrap().clips[0].channels.len(), 1);
}

#[test]
fn a_channel_that_makes_no_sense_is_skipped_with_a_reason() {
    let channels = json!([
        {"sampler": 0, "target": {"node": 0, "path": "rotation"}},
        {"sampler": 7, "target": {"node": 0, "path": "scale"}},
        {"sampler": 0, "target": {"node": 9, "path": "scale"}},
        {"sampler": 0, "target": {"node": 0, "path": "smell"}},
        {"sampler": 0, "target": {"path": "pointer"}},
        {"sampler": 1, "target": {"node": 0, "path": "scale"}},
        {"sampler": 2, "target": {"node": 0, "path": "scale"}},
        {"sampler": 3, "target": {"node": 0, "path": "scale"}},
        {"sampler": 4, "target": {"node": 0, "path": "scale"}},
        {"sampler": 4, "target": {"node": 0, "path": "scale"}},
    ]);
    let model = animated(&channels, |model| {
        let times = model.floats("SCALAR", &[0.0, 1.0]);
        let scales = model.floats("VEC3", &[1.0; 3]);
        let good = model.floats("VEC3", &[1.0; 6]);
        json!([
            {"input": times, "output": times},
            {"input": times, "output": scales},
            {"input": times, "output": good, "interpolation": "WAVY"},
            {"input": times, "output": 99},
            {"input": times, "output": good},
        ])
    });
    let asset = model.import().unwrap();
    assert_eq!(asset.clips[0].channels.len(), 1);
    let expected = [
        "skipped 1 channel without a target node",
        "skipped channel 0: accessors[1]: holds SCALAR where VEC4 is expected",
        "skipped channel 1: its sampler is missing",
        "skipped channel 2: its node is missing",
        "skipped channel 3: its target path is unknown",
        "skipped channel 5: 1 values do not fit 2 key times",
        "skipped channel 6: its interpolation is unknown",
        "skipped channel 7: its sampler: accessor 99 is missing; there are 4",
        "skipped the scale of joint \"\": another channel drives the same scale",
    ];
    assert_eq!(messages(&asset), expected);
    let location = "clip \"animation_0\", animations[0].channels";
    let unreadable = "accessors[1]: holds SCALAR where VEC4 is expected";
    let first = format!("joint (unnamed), {location}[0]: the channel is skipped: {unreadable}");
    let wavy = format!(
        "joint (unnamed), {location}[6]: the channel is skipped: its interpolation is unknown"
    );
    let taken = format!("joint (unnamed), {location}[9]: another channel drives the same scale");
    let expected = [
        // One a clip: channels 0, 1, 2, 3, 5 and 7.
        (DefectKind::TargetMissing, 6, first),
        (DefectKind::InterpolationLost, 1, wavy),
        (DefectKind::DuplicateChannel, 1, taken),
    ];
    assert_eq!(defects(&asset), expected);
}

/// The defects of a channel with these times and rotations, straight from key to key.
fn defects_of(times: &[f32], rotations: &[[f32; 4]]) -> Vec<(DefectKind, usize, String)> {
    let model = animated(&json!([channel("rotation")]), |model| {
        let times = model.floats("SCALAR", times);
        let rotations = model.floats("VEC4", rotations.as_flattened());
        json!([{"input": times, "output": rotations}])
    });
    defects(&model.import().unwrap())
}

#[test]
fn defects_of_keys_name_joint_clip_time_and_channel() {
    let location = "joint (unnamed), clip \"animation_0\" at 0.5 s, animations[0].channels[0]";
    let (unit, rotated) = ([0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0]);
    let cases = [
        ([1.0, 0.5], [unit, unit], DefectKind::UnorderedKeys),
        ([0.5, 0.5], [unit, rotated], DefectKind::ConflictingKeys),
        ([0.5, 1.0], [[f32::NAN; 4], unit], DefectKind::NonfiniteKey),
        (
            [0.5, 1.0],
            [rotated.map(|x| 1.5 * x), unit],
            DefectKind::NonunitKey,
        ),
        ([0.0, 0.5], [unit, [0.0; 4]], DefectKind::ZeroQuaternion),
    ];
    for (times, rotations, kind) in cases {
        let found = defects_of(&times, &rotations);
        let [(found, 1, reported)] = &found[..] else {
            panic!("{kind:?}: {found:?}")
        };
        assert_eq!(*found, kind);
        assert!(reported.starts_with(location), "{reported}");
    }
    assert_eq!(defects_of(&[0.0, 1.0], &[unit, rotated]), []);
    let before = defects_of(&[-0.5, 1.0], &[unit, rotated]);
    assert_eq!(before[0].0, DefectKind::NegativeTime);
    assert_eq!(defects_of(&[], &[])[0].0, DefectKind::EmptyChannel);
}

#[test]
fn a_matrix_that_is_animated_is_a_defect() {
    let mut model = animated(&json!([channel("translation")]), |model| {
        let times = model.floats("SCALAR", &[0.0]);
        let translations = model.floats("VEC3", &[1.0, 2.0, 3.0]);
        json!([{"input": times, "output": translations}])
    });
    model.json["nodes"][0]["matrix"] = json!(glam::Mat4::IDENTITY.to_cols_array());
    let found = defects(&model.import().unwrap());
    assert_eq!(found[0].0, DefectKind::ChannelOnMatrixNode);
    assert_eq!(found.len(), 1);
}

#[test]
fn a_channel_that_drives_nothing_is_a_defect_unless_an_extension_says_what() {
    let channels = json!([
        {"sampler": 0, "target": {"path": "pointer", "extensions": {"KHR_animation_pointer": {}}}},
        {"sampler": 0, "target": {"path": "translation"}},
    ]);
    let model = animated(&channels, |_| json!([]));
    let found = defects(&model.import().unwrap());
    let reported = "clip \"animation_0\", animations[0].channels[1]: the channel names no node";
    assert_eq!(
        found,
        [(DefectKind::AimlessChannel, 1, reported.to_owned())]
    );
}
