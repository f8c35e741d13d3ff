use serde_json::{Value, json};

use super::*;
use crate::import::gltf::testing::{F32, U8, U16};
use crate::import::gltf::uri;
use crate::import::reach::Reach;

/// The result of `read` for the accessors of a document whose buffer holds `bytes`.
pub(super) fn with_accessors<T>(
    value: &Value,
    bytes: Vec<u8>,
    read: impl FnOnce(&Accessors<'_>) -> T,
) -> T {
    let mut value = value.clone();
    value["asset"] = json!({"version": "2.0"});
    value["buffers"] = json!([{"uri": uri::data_uri(&bytes), "byteLength": bytes.len()}]);
    drop(bytes);
    let text = value.to_string();
    let root = document::read(text.as_bytes()).expect("it is a document");
    let reach = Reach::default();
    let buffers = Buffers::new(&root, None, ("".as_ref(), &reach), text.len() as u64);
    read(&Accessors::new(&root, &buffers, u64::MAX))
}

/// The numbers of an accessor over one view of `bytes`.
fn read<const N: usize>(accessor: &Value, bytes: Vec<u8>) -> Result<Vec<[f32; N]>, String> {
    let view = json!({"buffer": 0, "byteLength": bytes.len()});
    read_in(accessor, &view, bytes)
}

fn read_in<const N: usize>(
    accessor: &Value,
    view: &Value,
    bytes: Vec<u8>,
) -> Result<Vec<[f32; N]>, String> {
    let document = json!({"accessors": [accessor], "bufferViews": [view]});
    with_accessors(&document, bytes, |accessors| {
        let numbers = accessors.floats(Whole(0), Elements::All, String::new);
        numbers.map_err(|error| error.to_string())
    })
}

#[test]
fn fractions_are_those_of_the_standard() {
    let fractions = json!({"bufferView": 0, "componentType": U16, "normalized": true, "count": 2, "type": "SCALAR"});
    assert_eq!(
        read(&fractions, vec![0xFF, 0xFF, 0x00, 0x00]),
        Ok(vec![[1.0], [0.0]])
    );
    let signed = json!({"bufferView": 0, "componentType": 5120, "normalized": true, "count": 3, "type": "SCALAR"});
    assert_eq!(
        read(&signed, vec![0x80, 0x81, 0x7F]),
        Ok(vec![[-1.0], [-1.0], [1.0]])
    );
}

#[test]
fn an_accessor_without_data_is_zeros_with_sparse_exceptions() {
    let sparse = json!({
        "componentType": F32, "count": 3, "type": "SCALAR",
        "sparse": {
            "count": 1,
            "indices": {"bufferView": 0, "componentType": U8},
            "values": {"bufferView": 0, "byteOffset": 4},
        },
    });
    let mut bytes = vec![2, 0, 0, 0];
    bytes.extend(0.5_f32.to_le_bytes());
    assert_eq!(read(&sparse, bytes.clone()), Ok(vec![[0.0], [0.0], [0.5]]));
    bytes[0] = 3;
    let error = "accessors[0]: the sparse index 3 is past the end of its 3 elements";
    assert_eq!(read::<1>(&sparse, bytes), Err(error.to_owned()));
}

#[test]
fn lies_about_sizes_are_errors() {
    let past = json!({"bufferView": 0, "componentType": F32, "count": 3, "type": "VEC3"});
    let error = "accessors[0]: needs 36 bytes of bufferViews[0], which has 35";
    assert_eq!(read::<3>(&past, vec![0; 35]), Err(error.to_owned()));
    for count in [1_u64 << 23, 1 << 40, u64::MAX / 2, u64::MAX] {
        let huge = json!({"componentType": F32, "count": count, "type": "VEC4"});
        let error = read::<4>(&huge, vec![]).unwrap_err();
        assert!(error.ends_with("more than its size can justify"), "{error}");
        let huge = json!({"bufferView": 0, "componentType": F32, "count": count, "type": "VEC4"});
        let error = read::<4>(&huge, vec![0; 64]).unwrap_err();
        assert!(
            error.ends_with("bytes of bufferViews[0], which has 64"),
            "{error}"
        );
    }
}

#[test]
fn elements_on_top_of_each_other_are_an_error() {
    let view = json!({"buffer": 0, "byteLength": 4, "byteStride": 0});
    let accessor =
        json!({"bufferView": 0, "componentType": F32, "count": 1 << 30, "type": "SCALAR"});
    let error = "accessors[0]: byteStride is 0, less than the 4 bytes of an element";
    let read = read_in::<1>(&accessor, &view, vec![0; 4]);
    assert_eq!(read, Err(error.to_owned()));
}

#[test]
fn numbers_that_are_used_over_and_over_run_out() {
    let accessor = json!({"bufferView": 0, "componentType": U8, "count": 4096, "type": "SCALAR"});
    let view = json!({"buffer": 0, "byteLength": 4096});
    let document = json!({"accessors": [accessor], "bufferViews": [view]});
    let times = with_accessors(&document, vec![0; 4096], |accessors| {
        let read = || accessors.integers::<1>(Whole(0), Elements::All, String::new);
        (0..100_000).take_while(|_| read().is_ok()).count()
    });
    assert!((1000..10_000).contains(&times), "{times}");
}

#[test]
fn types_that_are_unknown_or_do_not_fit_are_errors() {
    for (component, kind, why) in [
        (1, "VEC3", "is of an unknown type"),
        (F32, "VEC5", "is of an unknown type"),
        (F32, "VEC2", "holds VEC2 where VEC3 is expected"),
    ] {
        let accessor =
            json!({"bufferView": 0, "componentType": component, "count": 1, "type": kind});
        let read = read::<3>(&accessor, vec![0; 64]);
        assert_eq!(read, Err(format!("accessors[0]: {why}")));
    }
}
