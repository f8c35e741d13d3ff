//! Damaged documents: the result is an error or a valid asset.

mod rich;

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::testing::{Model, U8, import};
use crate::import::{ImporterError, Wanted};
use crate::rig::ImageData;
pub(super) use rich::rich;

/// The JSON pointers of all values below `value`.
fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
    let mut visit = |name: &dyn std::fmt::Display, member: &Value| {
        let mut location = at.to_owned();
        write!(location, "/{name}").expect("a string takes text");
        found.push(location.clone());
        pointers(member, &location, found);
    };
    match value {
        Value::Object(members) => members
            .iter()
            .for_each(|(name, member)| visit(name, member)),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(index, item)| visit(&index, item)),
        _ => {}
    }
}

pub(super) fn pointers_of(json: &Value) -> Vec<String> {
    let mut found = Vec::new();
    pointers(json, "", &mut found);
    found
}

/// Replacements for any value.
pub(super) fn strange() -> Vec<Value> {
    vec![
        json!(null),
        json!(true),
        json!(-1),
        json!(0),
        json!(1),
        json!(7),
        json!(255),
        json!(1 << 28),
        json!(u32::MAX),
        json!(1_u64 << 32),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(0.5),
        json!(-0.0),
        json!(1e300),
        json!(""),
        json!("STEP"),
        json!("data:;base64,AAAA"),
        json!([]),
        json!([0]),
        json!([0, 1, 2, 1]),
        json!([[]]),
        json!({}),
        json!({"a": 1}),
    ]
}

#[test]
fn the_victim_is_sound() {
    let asset = rich().import().unwrap();
    assert_eq!(asset.notes, []);
    assert_eq!(asset.evidence.defects, []);
    assert_eq!(
        (
            asset.clips[0].channels.len(),
            asset.clips[0].morph_channels.len()
        ),
        (2, 1)
    );
    assert_eq!(asset.meshes[0].morph_targets[0].positions.len(), 3);
}

#[test]
fn a_glb_cut_anywhere_is_refused() {
    let file = rich().glb();
    for length in 0..file.len() {
        assert!(
            import(&file[..length]).is_err(),
            "{length} of {}",
            file.len()
        );
    }
    import(&file).unwrap();
}

#[test]
fn a_text_cut_anywhere_says_that_it_is_cut_off() {
    let text = rich().text();
    for length in (1..text.len()).filter(|&length| text.is_char_boundary(length)) {
        let error = import(&text.as_bytes()[..length]).unwrap_err().to_string();
        assert!(
            error.starts_with("the JSON text is cut off at line 1, column"),
            "{length}: {error}"
        );
    }
}

#[test]
fn every_value_may_be_replaced_by_any_other() {
    let strange = strange();
    let model = rich();
    let pointers = pointers_of(&model.json);
    let (mut read, mut refused) = (0, 0);
    for location in &pointers {
        for value in &strange {
            let mut changed = Model {
                json: model.json.clone(),
                bytes: model.bytes.clone(),
            };
            *changed
                .json
                .pointer_mut(location)
                .expect("it is one of its values") = value.clone();
            match changed.import() {
                Ok(_) => read += 1,
                Err(_) => refused += 1,
            }
        }
    }
    assert!(
        read > 100 && refused > 100,
        "{read} read, {refused} refused"
    );
}

#[test]
fn a_reference_that_leads_nowhere_is_reported() {
    /// Members that refer to other parts.
    const REFERENCES: &[&str] = &[
        "buffer",
        "bufferView",
        "children",
        "index",
        "indices",
        "input",
        "inverseBindMatrices",
        "joints",
        "material",
        "mesh",
        "node",
        "nodes",
        "output",
        "sampler",
        "scene",
        "skin",
        "source",
        "POSITION",
        "NORMAL",
        "JOINTS_0",
        "WEIGHTS_0",
        "TEXCOORD_0",
    ];
    let model = rich();
    let mut tried = 0;
    for location in pointers_of(&model.json) {
        let name = location
            .rsplit('/')
            .find(|name| name.parse::<usize>().is_err());
        let is_number = model.json.pointer(&location).is_some_and(Value::is_number);
        if !is_number || !name.is_some_and(|name| REFERENCES.contains(&name)) {
            continue;
        }
        for value in [json!(99), json!(u64::MAX)] {
            let mut changed = Model {
                json: model.json.clone(),
                bytes: model.bytes.clone(),
            };
            *changed
                .json
                .pointer_mut(&location)
                .expect("it is one of its values") = value;
            let reported = match changed.import() {
                Err(_) => true,
                Ok(asset) => {
                    let missing =
                        |image: &crate::rig::Image| matches!(image.data, ImageData::Missing(_));
                    !asset.notes.is_empty() || asset.images.iter().any(missing)
                }
            };
            assert!(reported, "{location}");
            tried += 1;
        }
    }
    assert!(tried > 80, "{tried}");
}

#[test]
fn a_small_file_that_asks_for_much_is_refused() {
    let mut model = Model::triangle(&json!([{"mesh": 0}]));
    model.json["accessors"][0] =
        json!({"componentType": 5126, "count": 1_u64 << 31, "type": "VEC3"});
    assert!(model.refusal().ends_with("more than its size can justify"));
    let indices = model.accessor(&[0, 1, 2], U8, "SCALAR", 3);
    model.primitive()["indices"] = indices.into();
    let asset = model.import().unwrap();
    assert_eq!(
        asset.meshes[0].positions.len(),
        3,
        "only what is used is read"
    );
    let mut model = Model::triangle(&json!([{"mesh": 0}]));
    model.primitive()["targets"] = vec![json!({"POSITION": 1}); 1000].into();
    model.json["accessors"][0]["count"] = 3.into();
    let zeros = json!({"componentType": 5126, "count": 1 << 20, "type": "VEC3"});
    model.json["accessors"] = json!([zeros, zeros]);
    assert!(model.refusal().ends_with("more than its size can justify"));
}

#[test]
fn many_nodes_with_meshes_of_many_primitives_are_refused() {
    let mut model = Model::triangle(&json!(vec![json!({"mesh": 0}); 5000]));
    let primitive = model.primitive().clone();
    model.json["meshes"][0]["primitives"] = vec![primitive; 5000].into();
    assert!(model.refusal().ends_with("more than its size can justify"));
}

#[test]
fn a_model_that_there_is_no_room_for_is_refused_for_that() {
    let file = rich().glb();
    let read = |memory_bytes: usize| {
        let wanted = Wanted {
            memory_bytes: memory_bytes as u64,
            ..Wanted::default()
        };
        super::read(file.as_slice().into(), "".as_ref(), &wanted)
    };
    let enough = (0..).step_by(64).find(|&bytes| read(bytes).is_ok());
    let enough = enough.expect("it is a small model");
    assert_eq!(read(enough), read(usize::MAX));
    for bytes in (0..enough - 64).step_by(61) {
        assert_eq!(read(bytes), Err(ImporterError::OutOfMemory), "{bytes}");
    }
}
