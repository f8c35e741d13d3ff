use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::files::Reach;
use crate::gltf::buffers;
use crate::gltf::testing::{F32, I8, I16, U8, U16};
use crate::units::law::holds;

/// The result of `read` for the accessors of a document whose buffer holds `bytes`.
fn with_accessors<T>(value: &Value, bytes: Vec<u8>, read: impl FnOnce(&Accessors<'_>) -> T) -> T {
    let mut value = value.clone();
    value["asset"] = json!({"version": "2.0"});
    value["buffers"] = json!([{"uri": buffers::data_uri(&bytes), "byteLength": bytes.len()}]);
    drop(bytes);
    let text = value.to_string();
    let root = document::read(text.as_bytes()).expect("it is a document");
    let reach = Reach::default();
    let buffers = Buffers::new(
        &root.buffers,
        None,
        ("".as_ref(), &reach),
        text.len() as u64,
        u64::MAX,
    );
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
fn half_floats_are_those_of_ieee_754() {
    let known = [
        (0x0000, 0.0),
        (0x8000, -0.0),
        (0x3C00, 1.0),
        (0xC000, -2.0),
        (0x3555, 0.333_251_95),
        (0x7BFF, 65504.0),
        // The least normal number, and the greatest and the least below it.
        (0x0400, 0.000_061_035_156),
        (0x03FF, 0.000_060_975_55),
        (0x8001, -5.960_464_5e-8),
        (0x7C00, f32::INFINITY),
        (0xFC00, f32::NEG_INFINITY),
    ];
    for (bits, expected) in known {
        assert_eq!(half(bits).to_bits(), f32::to_bits(expected), "{bits:#06X}");
    }
    assert!(half(0x7E00).is_nan());
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

/// An accessor of vectors of 3, with any legal layout of its numbers.
#[derive(Debug, Clone)]
struct Case {
    component: u32,
    normalized: bool,
    /// Bytes before the view, before the accessor in it, and after each element.
    gaps: [usize; 3],
    /// Random bits for each number; the component uses the lowest.
    elements: Vec<[u32; 3]>,
    /// The same for elements that are overwritten.
    exceptions: Vec<(u32, [u32; 3])>,
    /// How many elements at the start are not read.
    skipped: Option<usize>,
}

fn cases() -> impl Strategy<Value = Case> {
    let component = prop::sample::select(vec![I8, U8, I16, U16, F32]);
    let elements = vec(any::<[u32; 3]>(), 1..6);
    let gaps = (0_usize..3, 0_usize..3, 0_usize..3).prop_map(|(a, b, c)| [4 * a, 4 * b, 4 * c]);
    let exceptions = vec((any::<u32>(), any::<[u32; 3]>()), 0..3);
    let skipped = proptest::option::of(0_usize..3);
    let parts = (
        component,
        any::<bool>(),
        gaps,
        elements,
        exceptions,
        skipped,
    );
    parts.prop_map(
        |(component, normalized, gaps, elements, mut exceptions, skipped)| {
            let count = u32::try_from(elements.len()).expect("there are few");
            for (index, _) in &mut exceptions {
                *index %= count;
            }
            Case {
                component,
                normalized,
                gaps,
                elements,
                exceptions,
                skipped,
            }
        },
    )
}

impl Case {
    fn size(&self) -> usize {
        match self.component {
            I8 | U8 => 1,
            I16 | U16 => 2,
            _ => 4,
        }
    }

    fn bytes(&self, element: [u32; 3]) -> Vec<u8> {
        let bytes = element.map(|bits| bits.to_le_bytes()[..self.size()].to_vec());
        bytes.concat()
    }

    /// The document, and its buffer.
    fn write(&self) -> (Value, Vec<u8>) {
        let [before, inside, behind] = self.gaps;
        let stride = (3 * self.size()).next_multiple_of(4) + behind;
        let mut bytes = vec![0xEE; before + inside];
        for &element in &self.elements {
            let start = bytes.len();
            bytes.extend(self.bytes(element));
            bytes.resize(start + stride, 0xEE);
        }
        let mut accessor = json!({
            "bufferView": 0, "byteOffset": inside, "componentType": self.component, "normalized": self.normalized,
            "count": self.elements.len(), "type": "VEC3",
        });
        let mut views = vec![
            json!({"buffer": 0, "byteOffset": before, "byteLength": bytes.len() - before, "byteStride": stride}),
        ];
        if !self.exceptions.is_empty() {
            let start = bytes.len();
            bytes.extend([0xEE; 4]);
            let exceptions = self.exceptions.iter();
            bytes.extend(
                exceptions
                    .clone()
                    .flat_map(|(index, _)| index.to_le_bytes()),
            );
            let middle = bytes.len();
            bytes.extend(exceptions.flat_map(|(_, element)| self.bytes(*element)));
            let length = bytes.len() - start;
            views.push(json!({"buffer": 0, "byteOffset": start, "byteLength": length}));
            accessor["sparse"] = json!({
                "count": self.exceptions.len(),
                "indices": {"bufferView": 1, "byteOffset": 4, "componentType": 5125},
                "values": {"bufferView": 1, "byteOffset": middle - start},
            });
        }
        let document = json!({"accessors": [accessor], "bufferViews": views});
        (document, bytes)
    }

    /// The decoded numbers as bits: computed in f64 by §3.6.2.2, which rounds to the same f32.
    fn expected(&self) -> Vec<[u32; 3]> {
        let mut elements = self.elements.clone();
        for (index, element) in &self.exceptions {
            elements[*index as usize] = *element;
        }
        let kept = elements.into_iter().skip(self.skipped.unwrap_or(0));
        kept.map(|element| element.map(|bits| self.number(bits)))
            .collect()
    }

    #[expect(clippy::cast_possible_truncation, reason = "the lowest bits are meant")]
    fn number(&self, bits: u32) -> u32 {
        let (number, largest) = match self.component {
            I8 => (f64::from(bits as i8), 127.0),
            U8 => (f64::from(bits as u8), 255.0),
            I16 => (f64::from(bits as i16), 32767.0),
            U16 => (f64::from(bits as u16), 65535.0),
            _ => return bits,
        };
        let value = if self.normalized {
            (number / largest).max(-1.0)
        } else {
            number
        };
        (value as f32).to_bits()
    }

    fn read(&self, document: &Value, bytes: Vec<u8>) -> Vec<[u32; 3]> {
        let wanted = self.skipped.map(|skipped| {
            let count = u32::try_from(self.elements.len()).expect("there are few");
            (0..count).skip(skipped).collect::<Vec<u32>>()
        });
        let elements = wanted
            .as_ref()
            .map_or(Elements::All, |wanted| Elements::Only(wanted));
        let numbers = with_accessors(document, bytes, |accessors| {
            accessors.floats::<3>(Whole(0), elements, String::new)
        })
        .unwrap_or_default()
        .into_iter();
        numbers.map(|element| element.map(f32::to_bits)).collect()
    }
}

/// * `fault` – changes a document so that the correct reader reads from it what a faulty one would read from the original.
fn law(fault: impl Fn(&mut Value)) -> Result<(), String> {
    holds(&cases(), |case| {
        let (mut document, bytes) = case.write();
        fault(&mut document);
        prop_assert_eq!(case.read(&document, bytes), case.expected());
        Ok(())
    })
}

#[test]
fn numbers_are_those_of_the_file_wherever_they_lie() {
    law(|_| {}).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn a_reader_that_forgets_a_member_is_caught() {
    for (part, member) in [
        ("/bufferViews/0", "byteStride"),
        ("/bufferViews/0", "byteOffset"),
        ("/accessors/0", "byteOffset"),
        ("/accessors/0", "normalized"),
        ("/accessors/0", "sparse"),
        ("/accessors/0/sparse/values", "byteOffset"),
        ("/accessors/0/sparse/indices", "byteOffset"),
    ] {
        let verdict = law(|document| {
            let part = document.pointer_mut(part).and_then(Value::as_object_mut);
            part.and_then(|part| part.remove(member));
        });
        assert!(verdict.is_err(), "{part}/{member}");
    }
}

#[test]
fn a_reader_that_takes_integers_for_others_is_caught() {
    let all_are_fractions =
        |document: &mut Value| document["accessors"][0]["normalized"] = true.into();
    let none_has_a_sign = |document: &mut Value| {
        let component = &mut document["accessors"][0]["componentType"];
        for (signed, unsigned) in [(I8, U8), (I16, U16)] {
            if *component == signed {
                *component = unsigned.into();
            }
        }
    };
    assert!(law(all_are_fractions).is_err());
    assert!(law(none_has_a_sign).is_err());
}
