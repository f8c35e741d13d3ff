//! Whole documents, one feature each.

mod meshes;
mod skins;

use glam::{Quat, Vec3};
use serde_json::{Value, json};

use super::testing::{F16, F64, I8, Model, U8, import};
use super::{Gltf, VERSION};
use crate::files::Reach;
use crate::rig::{DefectKind, LocalTransform, NodeId, SourceFile, Span};
use crate::testing::{messages, reported};
use crate::units::{Seconds, Space};
use crate::{Clips, Importer, ImporterError, Wanted};

#[test]
fn text_and_binary_say_the_same() {
    let model = Model::triangle(&json!([{"mesh": 0}]));
    assert_eq!(model.import(), import(&model.glb()));
}

#[test]
fn a_file_and_the_buffer_beside_it_are_found() {
    let model = Model::triangle(&json!([{"mesh": 0, "name": "größe"}]));
    let folder = tempfile::tempdir().unwrap();
    let mut json = model.json.clone();
    json["buffers"] = json!([{"uri": "the%20data.bin", "byteLength": model.bytes.len()}]);
    std::fs::write(folder.path().join("the data.bin"), &model.bytes).unwrap();
    let path = folder.path().join("model.gltf");
    std::fs::write(&path, json.to_string()).unwrap();
    let mut expected = model.read();
    expected.files = vec![SourceFile::below(folder.path(), "the data.bin".into())];
    assert_eq!(Gltf.import(&path), Ok(expected));
}

#[test]
fn only_the_names_of_excluded_clips_are_read() {
    let mut model = Model::triangle(&json!([{"mesh": 0}]));
    let times = model.floats("SCALAR", &[0.0, 1.0]);
    let values = model.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    let channel = json!({"sampler": 0, "target": {"node": 0, "path": "translation"}});
    let clip = |name| json!({"name": name, "channels": [channel], "samplers": [{"input": times, "output": values}]});
    model.json["animations"] = json!([clip("Idle"), clip("Run"), clip("2")]);
    let text = model.text();
    let read = |clips| {
        let wanted = Wanted {
            clips,
            ..Wanted::default()
        };
        let asset = super::read(text.as_bytes(), "".as_ref(), &Reach::default(), &wanted).unwrap();
        let clips = asset.clips.into_iter();
        let counts = clips.map(|clip| (clip.name, clip.channels.len()));
        counts.collect::<Vec<_>>()
    };
    let all = |counts: [usize; 3]| {
        let names = ["Idle", "Run", "2"].map(str::to_owned);
        names.into_iter().zip(counts).collect::<Vec<_>>()
    };
    let one = |name: &str| read(Clips::One(name.to_owned()));
    assert_eq!(read(Clips::All), all([1, 1, 1]));
    assert_eq!(read(Clips::None), all([0, 0, 0]));
    assert_eq!(one("Run"), all([0, 1, 0]));
    assert_eq!(one("run"), all([0, 1, 0]));
    assert_eq!(one("1"), all([0, 1, 0]));
    assert_eq!(one("2"), all([0, 0, 1]));
    assert_eq!(one("default"), all([1, 0, 0]));
    assert_eq!(one("Walk"), all([0, 0, 0]));
}

#[test]
fn a_file_that_is_not_there_is_an_error() {
    let error = Gltf.import("nowhere/model.gltf".as_ref()).unwrap_err();
    assert!(matches!(error, ImporterError::Parse { .. }), "{error}");
}

#[test]
fn the_space_is_that_of_the_standard() {
    let asset = Model::of_nodes(&json!([{}])).read();
    let spaces = (asset.space, asset.stated_space);
    assert_eq!(spaces, (Space::Y_UP_METRES, None));
    assert_eq!(asset.reader.to_string(), format!("gltf {VERSION}"));
}

#[test]
fn a_version_may_be_a_number_with_a_note() {
    let mut model = Model::of_nodes(&json!([{}]));
    model.json["asset"]["version"] = json!(2.0);
    let expected = "version is a number, and must be a text, such as \"2.0\"";
    assert_eq!(messages(&model.read()), [expected]);
    model.json["asset"]["version"] = json!(1);
    assert_eq!(model.refusal(), "glTF version 1.0 is not supported");
}

/// The offset of the header of the binary chunk.
fn binary_header(file: &[u8]) -> usize {
    let start = file.windows(4).position(|bytes| bytes == b"BIN\0");
    start.expect("it has a binary chunk") - 4
}

#[test]
fn a_glb_may_state_too_many_bytes_if_it_has_all_that_are_needed() {
    let model = Model::triangle(&json!([{"mesh": 0}]));
    let mut file = model.glb();
    let header = binary_header(&file);
    let stated = u32::from_le_bytes(*file[header..].first_chunk().unwrap()) + 64;
    file[header..header + 4].copy_from_slice(&stated.to_le_bytes());
    let asset = import(&file).unwrap();
    let expected =
        "states 64 bytes more than the file has; the buffer needs no more than are there";
    assert_eq!(messages(&asset), [expected]);
    assert_eq!(asset.meshes, model.read().meshes);
    file.truncate(file.len() - 4);
    let torn = "the binary file ends inside its binary chunk; copy or export it again";
    assert_eq!(import(&file).unwrap_err().to_string(), torn);
}

#[test]
fn a_glb_need_not_count_the_padding_of_its_document() {
    let model = Model::triangle(&json!([{"mesh": 0}]));
    let whole = model.glb();
    let expected = import(&whole).unwrap().meshes;
    let json = u32::from_le_bytes(*whole[12..].first_chunk().unwrap());
    for uncounted in 1..4 {
        let mut file = whole.clone();
        let header = binary_header(&file);
        file.splice(header..header, [b' '; 4]);
        let counted = json + 4 - uncounted;
        file[12..16].copy_from_slice(&counted.to_le_bytes());
        assert_eq!(import(&file).unwrap().meshes, expected, "{uncounted}");
    }
}

#[test]
fn nodes_keep_their_names_or_none() {
    let asset = Model::of_nodes(&json!([{"name": "a"}, {}, {"name": "a"}])).read();
    let joints = asset.skeleton.nodes().iter();
    let names: Vec<_> = joints.map(|joint| joint.name.as_str()).collect();
    assert_eq!(names, ["a", "", "a"]);
}

#[test]
fn a_matrix_stays_a_matrix() {
    let matrix = [
        1.0, 0.0, 0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 2.0, 3.0, 1.0,
    ];
    let asset = Model::of_nodes(&json!([{"matrix": matrix}])).read();
    let expected = LocalTransform::Matrix(glam::Mat4::from_cols_array(&matrix));
    assert_eq!(asset.skeleton.nodes()[0].rest, expected);
}

#[test]
fn a_required_extension_that_is_not_read_is_refused_by_name() {
    let mut model = Model::triangle(&json!([{"mesh": 0}]));
    model.json["extensionsRequired"] = json!(["KHR_mesh_quantization", "EXT_texture_avif"]);
    let error = model.import().unwrap_err();
    let is_unsupported = matches!(error, ImporterError::Extension { .. });
    assert!(
        is_unsupported && error.to_string().contains("EXT_texture_avif"),
        "{error}"
    );
}

#[test]
fn an_optional_extension_leaves_a_note_only_if_it_changes_the_shape() {
    let mut model = Model::triangle(&json!([{"mesh": 0}]));
    model.json["extensionsUsed"] = json!(["ACME_smell", "KHR_lights_punctual", "MSFT_lod"]);
    let asset = model.read();
    let expected = "the extension MSFT_lod is ignored: only the finest level of detail is read";
    assert_eq!(messages(&asset), [expected]);
}

#[test]
fn additions_of_any_kind_are_no_reason_to_refuse() {
    let mut model =
        Model::triangle(&json!([{"mesh": 0, "extras": [1, 2], "extensions": {"ACME_smell": 5}}]));
    model.json["extras"] = json!("a text");
    model.json["cameras"] = json!([{"type": "fisheye"}]);
    model.json["materials"] = json!([{"normalTexture": "none", "extras": null}]);
    assert_eq!(messages(&model.read()), Vec::<&str>::new());
}

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
    let asset = model.read();
    let clip = &asset.clips[0];
    assert_eq!(clip.name, "animation_0");
    assert_eq!(clip.end.0.to_bits(), f64::from(0.7_f32).to_bits());
    let channel = &clip.channels[0];
    assert_eq!(channel.rotation, None);
    let stepped = &channel.translation.as_ref().unwrap().keys;
    assert_eq!(stepped[0].span, Span::Step);
    let keys = &channel.scale.as_ref().unwrap().keys;
    let (leave, arrive) = (Vec3::new(6.0, 7.0, 8.0), Vec3::new(9.0, 10.0, 11.0));
    assert_eq!(keys[0].value, Vec3::new(3.0, 4.0, 5.0));
    assert_eq!(keys[0].span, Span::Cubic { leave, arrive });
    assert_eq!(keys[1].value, Vec3::new(12.0, 13.0, 14.0));
    assert_eq!(keys[1].span, Span::Step);
}

#[test]
fn rotations_may_be_normalized_bytes() {
    let model = animated(&json!([channel("rotation")]), |model| {
        let times = model.floats("SCALAR", &[0.0, 1.0]);
        let rotations = model.accessor(&[0, 0, 0, 127, 0, 0x81, 0, 0], I8, "VEC4", 2);
        model.normalize(rotations);
        json!([{"input": times, "output": rotations}])
    });
    let asset = model.read();
    let keys = &asset.clips[0].channels[0].rotation.as_ref().unwrap().keys;
    let values: Vec<Quat> = keys.iter().map(|key| key.value).collect();
    let half = Quat::from_xyzw(0.0, -1.0, 0.0, 0.0);
    assert_eq!(values, [Quat::IDENTITY, half]);
    assert_eq!(keys[0].span, Span::Linear);
}

/// Adds an accessor of doubles with these bounds, at a multiple of 8 bytes.
fn doubles(model: &mut Model, kind: &str, numbers: &[[f64; 3]], [min, max]: [Value; 2]) -> usize {
    model.bytes.resize(model.bytes.len().next_multiple_of(8), 0);
    let bytes: Vec<u8> = numbers
        .as_flattened()
        .iter()
        .flat_map(|own| own.to_le_bytes())
        .collect();
    let accessor = model.accessor(&bytes, F64, kind, 3);
    model.json["accessors"][accessor]["min"] = min;
    model.json["accessors"][accessor]["max"] = max;
    accessor
}

/// As gltf-transform 4.5 writes them.
#[test]
fn floats_may_have_16_or_64_bits_if_an_extension_says_so() {
    let mut model = animated(&json!([channel("translation")]), |model| {
        let times = doubles(
            model,
            "SCALAR",
            &[[0.0, 0.1, 1.0]],
            [json!([0.0]), json!([1.0])],
        );
        let values = [
            0x0000_u16, 0x3C00, 0x3800, 0x3C00, 0x0000, 0xC000, 0x0000, 0x0000, 0x3555,
        ];
        let values = values.map(u16::to_le_bytes);
        let values = model.accessor(values.as_flattened(), F16, "VEC3", 3);
        json!([{"input": times, "output": values}])
    });
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.1, 0.0]];
    let bounds = [json!([0.0, 0.0, 0.0]), json!([1.0, 0.1, 0.0])];
    let corners = doubles(&mut model, "VEC3", &corners, bounds);
    model.attribute("POSITION", corners);
    let faults = reported(&model.read().evidence);
    assert!(faults.iter().all(|own| own.starts_with("ForbiddenStorage")));
    assert_eq!(faults.len(), 2, "{faults:?}");
    let extensions = json!(["KHR_accessor_float16", "KHR_accessor_float64"]);
    model.json["extensionsUsed"] = extensions.clone();
    model.json["extensionsRequired"] = extensions;
    let asset = model.read();
    assert_eq!(reported(&asset.evidence), [""; 0]);
    assert_eq!(asset.meshes[0].positions[2], Vec3::Y * 0.1);
    assert!(!asset.meshes[0].quantized);
    let keys = &asset.clips[0].channels[0]
        .translation
        .as_ref()
        .unwrap()
        .keys;
    let keys: Vec<_> = keys.iter().map(|key| (key.time, key.value)).collect();
    let expected = [
        (Seconds(0.0), Vec3::new(0.0, 1.0, 0.5)),
        (Seconds(0.1_f32.into()), Vec3::new(1.0, 0.0, -2.0)),
        (Seconds(1.0), Vec3::new(0.0, 0.0, 0.333_251_95)),
    ];
    assert_eq!(keys, expected);
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
    let asset = model.read();
    let keys = &asset.clips[0].morph_channels[0].weights.keys;
    let values: Vec<&[f32]> = keys.iter().map(|key| &key.value[..]).collect();
    assert_eq!(values, [[-0.5, 0.0], [1.0, 2.0]]);
}

#[test]
fn cubic_morph_weights_have_all_their_tangents() {
    let numbers: Vec<f32> = (0_u8..12).map(f32::from).collect();
    let asset = morphing("CUBICSPLINE", &numbers, &json!([{}, {}])).read();
    let key = &asset.clips[0].morph_channels[0].weights.keys[0];
    let (leave, arrive) = (vec![4.0, 5.0], vec![6.0, 7.0]);
    assert_eq!(key.value, [2.0, 3.0]);
    assert_eq!(key.span, Span::Cubic { leave, arrive });
}

#[test]
fn weights_of_another_number_of_targets_are_skipped_with_a_note() {
    let asset = morphing("LINEAR", &[1.0; 4], &json!([{}])).read();
    assert!(asset.clips[0].morph_channels.is_empty());
    let expected = "skipped channel 0: 2 weights per key do not fit the 1 targets of its mesh";
    assert_eq!(messages(&asset), [expected]);
}

/// A triangle that is moved.
fn moved() -> Model {
    animated(&json!([channel("translation")]), |model| {
        let times = model.floats("SCALAR", &[0.0]);
        let translations = model.floats("VEC3", &[1.0, 2.0, 3.0]);
        json!([{"input": times, "output": translations}])
    })
}

#[test]
fn a_node_outside_of_the_scene_is_moved() {
    let mut model = moved();
    model.json["scenes"] = json!([{}]);
    assert_eq!(model.read().clips[0].channels.len(), 1);
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
    let asset = model.read();
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
    // One a clip: channels 0, 1, 2, 3, 5 and 7.
    insta::assert_snapshot!(reported(&asset.evidence).join("\n"), @r#"
    TargetMissing joint (unnamed), clip "animation_0", animations[0].channels[0]: the channel is skipped: accessors[1]: holds SCALAR where VEC4 is expected (x6)
    InterpolationLost joint (unnamed), clip "animation_0", animations[0].channels[6]: the channel is skipped: its interpolation is unknown (x1)
    DuplicateChannel joint #0 (unnamed), clip "animation_0", animations[0].channels[9]: another channel drives the same scale (x1)
    "#);
}

/// The defects of a channel with these times and rotations, straight from key to key.
fn defects_of(times: &[f32], rotations: &[[f32; 4]]) -> Vec<String> {
    let model = animated(&json!([channel("rotation")]), |model| {
        let times = model.floats("SCALAR", times);
        let rotations = model.floats("VEC4", rotations.as_flattened());
        json!([{"input": times, "output": rotations}])
    });
    reported(&model.read().evidence)
}

#[test]
fn defects_of_keys_name_joint_clip_time_and_channel() {
    let (unit, rotated) = ([0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0]);
    assert!(defects_of(&[0.0, 1.0], &[unit, rotated]).is_empty());
    let cases = [
        ([1.0, 0.5], [unit, unit]),
        ([0.5, 0.5], [unit, rotated]),
        ([0.5, 1.0], [[f32::NAN; 4], unit]),
        ([0.5, 1.0], [rotated.map(|x| 1.5 * x), unit]),
        ([0.0, 0.5], [unit, [0.0; 4]]),
        ([-0.5, 1.0], [unit, rotated]),
    ];
    let lines = cases.map(|(times, rotations)| defects_of(&times, &rotations).join(" AND "));
    insta::assert_snapshot!(lines.join("\n"), @r#"
    UnorderedKeys joint #0 (unnamed), clip "animation_0" at 0.5 s, animations[0].channels[0]: key 1 at 0.5 s comes after one at 1 s (x1)
    ConflictingKeys joint #0 (unnamed), clip "animation_0" at 0.5 s, animations[0].channels[0]: keys 0 and 1 are both at 0.5 s and differ (x1)
    NonfiniteKey joint #0 (unnamed), clip "animation_0" at 0.5 s, animations[0].channels[0]: key 0 is NaN or infinite (x1)
    NonunitKey joint #0 (unnamed), clip "animation_0" at 0.5 s, animations[0].channels[0]: rotation key 0 has length 1.5, not 1 (x1)
    ZeroQuaternion joint #0 (unnamed), clip "animation_0" at 0.5 s, animations[0].channels[0]: rotation key 1 has length 0, not 1 (x1)
    NegativeTime joint #0 (unnamed), clip "animation_0" at -0.5 s, animations[0].channels[0]: key 0 is at -0.5 s (x1)
    "#);
    let place = "joint #0 (unnamed), clip \"animation_0\", animations[0].channels[0]";
    let empty = format!("EmptyChannel {place}: there is no key for the rotation (x1)");
    assert_eq!(defects_of(&[], &[]), [empty]);
}

#[test]
fn a_matrix_that_is_animated_is_a_defect() {
    let mut model = moved();
    model.json["nodes"][0]["matrix"] = json!(glam::Mat4::IDENTITY.to_cols_array());
    let evidence = model.read().evidence;
    let kinds: Vec<_> = evidence.defects.iter().map(|defect| defect.kind).collect();
    assert_eq!(kinds, [DefectKind::ChannelOnMatrixNode]);
}

#[test]
fn a_channel_that_drives_nothing_is_a_defect_unless_an_extension_says_what() {
    let channels = json!([
        {"sampler": 0, "target": {"path": "pointer", "extensions": {"KHR_animation_pointer": {}}}},
        {"sampler": 0, "target": {"path": "translation"}},
    ]);
    let model = animated(&channels, |_| json!([]));
    let place = "clip \"animation_0\", animations[0].channels[1]";
    let expected = format!("AimlessChannel {place}: the channel names no node (x1)");
    assert_eq!(reported(&model.read().evidence), [expected]);
}

/// A channel of sampler 0 that `KHR_animation_pointer` aims.
fn pointing(to: &str) -> Value {
    let extensions = json!({"KHR_animation_pointer": {"pointer": to}});
    json!({"sampler": 0, "target": {"path": "pointer", "extensions": extensions}})
}

#[test]
fn a_pointer_to_a_node_is_a_channel_of_the_node() {
    let mut model = moved();
    let expected = model.read().clips;
    model.json["animations"][0]["channels"] = json!([pointing("/nodes/0/translation")]);
    model.json["extensionsRequired"] = json!(["KHR_animation_pointer"]);
    let asset = model.read();
    assert_eq!(asset.clips, expected);
    assert_eq!(messages(&asset), Vec::<&str>::new());
}

#[test]
fn pointers_to_what_is_not_supported_are_noted() {
    let mut model = moved();
    model.json["animations"][0]["channels"] = json!([
        pointing("/materials/0/pbrMetallicRoughness/baseColorFactor"),
        pointing("/nodes/0/extensions/KHR_node_visibility/invisible"),
        pointing("/nodes/-1/translation"),
        pointing("/cameras/0/perspective/yfov"),
    ]);
    let note = "skipped 4 channels of properties that are not supported, for example \
                /materials/0/pbrMetallicRoughness/baseColorFactor";
    assert_eq!(messages(&model.read()), [note]);
}

/// Three nodes with a mesh: a parent, its child, and another one, with these `KHR_node_visibility` objects; and a clip
/// whose sampler 0 has `values` at 0 and 1 s.
fn visible_nodes(objects: [Value; 3], values: [u8; 2]) -> Model {
    let [parent, child, other] = objects.map(|own| json!({"KHR_node_visibility": own}));
    let mut model = Model::triangle(&json!([
        {"name": "parent", "mesh": 0, "children": [1], "extensions": parent},
        {"name": "child", "mesh": 0, "extensions": child},
        {"name": "other", "mesh": 0, "extensions": other},
    ]));
    let input = model.floats("SCALAR", &[0.0, 1.0]);
    let output = model.accessor(&values, U8, "SCALAR", 2);
    model.json["animations"] = json!([{
        "channels": [],
        "samplers": [{"input": input, "output": output, "interpolation": "STEP"}],
    }]);
    model
}

const VISIBLE: &str = "/nodes/0/extensions/KHR_node_visibility/visible";

#[test]
fn a_pointer_to_visibility_shows_and_hides_a_node() {
    let mut model = visible_nodes([json!({}), json!({}), json!({})], [1, 0]);
    model.json["animations"][0]["channels"] = json!([pointing(VISIBLE)]);
    let asset = model.read();
    assert_eq!(messages(&asset), Vec::<&str>::new());
    let [channel] = &asset.clips[0].visibility_channels[..] else {
        panic!("{:?}", asset.clips[0].visibility_channels);
    };
    let values: Vec<bool> = channel.visible.keys.iter().map(|key| key.value).collect();
    assert_eq!((channel.node, &values[..]), (NodeId(0), &[true, false][..]));
    assert_eq!(asset.clips[0].end, Seconds(1.0));
    assert_eq!((asset.instances.len(), asset.hidden_nodes.len()), (3, 0));
}

#[test]
fn a_hidden_node_is_imported_if_a_clip_may_show_it() {
    let hidden = json!({"visible": false});
    let mut model = visible_nodes([hidden.clone(), json!({}), hidden], [0, 1]);
    assert_eq!(model.read().instances.len(), 0);
    model.json["animations"][0]["channels"] = json!([pointing(VISIBLE)]);
    let asset = model.read();
    assert_eq!(
        (asset.instances.len(), asset.hidden_nodes),
        (2, vec![NodeId(0)])
    );
}

#[test]
fn visibility_that_is_interpolated_or_not_defined_is_read_with_notes() {
    let mut model = visible_nodes([Value::Null, json!({}), json!({})], [1, 0]);
    model.json["animations"][0]["channels"] = json!([pointing(VISIBLE)]);
    model.json["animations"][0]["samplers"][0]["interpolation"] = json!("LINEAR");
    let asset = model.read();
    assert_eq!(
        asset.clips[0].visibility_channels[0].visible.keys[0].span,
        Span::Step
    );
    let notes = [
        "interpolates visibility, which can only step; it is read as steps",
        "drives the visibility of nodes[0], which does not define it",
    ];
    assert_eq!(messages(&asset), notes);
}

#[test]
fn two_channels_of_one_value_are_a_defect() {
    let mut model = visible_nodes([json!({}), json!({}), json!({})], [1, 0]);
    model.json["animations"][0]["channels"] = json!([pointing(VISIBLE), pointing(VISIBLE)]);
    let asset = model.read();
    assert_eq!(asset.clips[0].visibility_channels.len(), 1);
    let note =
        "skipped the visibility of node \"parent\": another channel drives the same visibility";
    assert_eq!(messages(&asset), [note]);
    assert_eq!(asset.evidence.defects[0].kind, DefectKind::DuplicateChannel);
}
