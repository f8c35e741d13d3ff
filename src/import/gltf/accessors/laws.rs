//! Every accessor is read as the specification says, and readers that violate a rule are caught.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::tests::with_accessors;
use super::*;
use crate::import::gltf::testing::{F32, I8, I16, U8, U16};
use crate::units::law::holds;

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
        });
        let numbers = numbers.unwrap_or_default().into_iter();
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
