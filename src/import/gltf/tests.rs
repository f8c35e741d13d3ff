//! Whole documents, one feature each.

mod clips;
mod materials;
mod meshes;
mod morphs;
mod skins;

use serde_json::json;

use super::testing::{self, Model, import};
use super::{Gltf, VERSION, bytes};
use crate::import::reach::Reach;
use crate::import::testing::messages;
use crate::import::{Clips, Importer, ImporterError, Wanted};
use crate::rig::{LocalTransform, SourceFile};
use crate::units::Space;

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
fn a_large_file_is_read_piece_by_piece_to_the_same_model() {
    let corners: Vec<f32> = (0..600_000_u32)
        .flat_map(|i| [i, i / 7, i % 5].map(to_f32))
        .collect();
    let mut model = Model::triangle(&json!([{"mesh": 0}]));
    let corners = model.floats("VEC3", &corners);
    model.attribute("POSITION", corners);
    let indices: Vec<u8> = (0..600_000_u32)
        .rev()
        .step_by(2)
        .flat_map(u32::to_le_bytes)
        .collect();
    let indices = model.accessor(&indices, testing::U32, "SCALAR", 300_000);
    model.primitive()["indices"] = indices.into();
    let file = model.glb();
    assert!(file.len() as u64 > bytes::SMALL);
    let path = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(path.path(), &file).unwrap();
    assert!(Gltf.import(path.path()) == import(&file));
}

fn to_f32(number: u32) -> f32 {
    f32::from(u16::try_from(number % 60_000).expect("it is below 2^16"))
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
        let asset = super::read(
            text.as_bytes().into(),
            "".as_ref(),
            &Reach::default(),
            &wanted,
        )
        .unwrap();
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
    for name in [
        "EXT_meshopt_compression",
        "KHR_draco_mesh_compression",
        "KHR_texture_basisu",
    ] {
        let mut model = Model::triangle(&json!([{"mesh": 0}]));
        model.json["extensionsRequired"] = json!(["KHR_mesh_quantization", name]);
        let error = model.import().unwrap_err();
        let is_unsupported = matches!(error, ImporterError::Unsupported { .. });
        assert!(
            is_unsupported && error.to_string().contains(name),
            "{error}"
        );
    }
}

#[test]
fn draco_that_is_not_declared_as_required_is_refused_where_nothing_else_is_there() {
    let mut model = Model::triangle(&json!([{"mesh": 0}]));
    model.primitive()["extensions"] =
        json!({"KHR_draco_mesh_compression": {"bufferView": 0, "attributes": {}}});
    assert!(model.import().is_ok(), "the uncompressed data is there too");
    let accessor = model.json["accessors"][0].as_object_mut();
    accessor.unwrap().remove("bufferView");
    assert!(model.refusal().contains("KHR_draco_mesh_compression"));
}

#[test]
fn an_optional_extension_leaves_a_note_only_if_it_changes_the_shape() {
    let mut model = Model::triangle(&json!([{"mesh": 0}]));
    model.json["extensionsUsed"] = json!([
        "ACME_smell",
        "KHR_lights_punctual",
        "EXT_mesh_gpu_instancing"
    ]);
    let asset = model.read();
    let expected = "the extension EXT_mesh_gpu_instancing is ignored: only one copy of each repeated mesh is read";
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
