//! What is taken as it is would be the same mended.

use super::*;
use crate::import::gltf::hostile::{rich, strange};

/// The debug form of `text` as a `T`, by both ways; `None` where it cannot be taken as it is.
fn both<T: DeserializeOwned + std::fmt::Debug>(
    list: &str,
    text: &str,
    as_it_is: fn(&str) -> Option<T>,
) -> Option<(String, String)> {
    let plain = as_it_is(text)?;
    let mended = mended::<T>(list, "", text).map(|(part, _)| part);
    Some((format!("Ok({plain:?})"), format!("{mended:?}")))
}

/// Every part of a rich document with every value in it replaced by every strange one.
fn differences<T: DeserializeOwned + std::fmt::Debug>(
    list: &str,
    as_it_is: fn(&str) -> Option<T>,
) -> usize {
    let document = rich().json;
    let mut differences = 0;
    for part in document[list].as_array().expect("it has one of each") {
        for place in super::super::hostile::places_of(part) {
            for value in strange() {
                let mut changed = part.clone();
                *changed
                    .pointer_mut(&place)
                    .expect("it is one of its places") = value;
                let ways = both(list, &changed.to_string(), as_it_is);
                differences += usize::from(ways.is_some_and(|(plain, mended)| plain != mended));
            }
        }
    }
    differences
}

#[test]
fn what_is_taken_as_it_is_would_be_the_same_mended() {
    assert_eq!(differences::<Accessor>("accessors", as_it_is), 0);
    assert_eq!(differences::<Animation>("animations", as_it_is), 0);

    assert_eq!(differences::<buffer::View>("bufferViews", as_it_is), 0);
    assert_eq!(differences::<Image>("images", as_it_is), 0);
    assert_eq!(differences::<Mesh>("meshes", as_it_is), 0);
    assert_eq!(differences::<Node>("nodes", as_it_is), 0);
    assert_eq!(differences::<texture::Sampler>("samplers", as_it_is), 0);
    assert_eq!(differences::<Scene>("scenes", as_it_is), 0);
    assert_eq!(differences::<Skin>("skins", as_it_is), 0);
}

#[test]
fn taking_references_past_32_bits_as_they_are_is_caught() {
    assert!(differences::<Node>("nodes", |text| serde_json::from_str(text).ok()) > 0);
    assert!(differences::<Accessor>("accessors", |text| serde_json::from_str(text).ok()) > 0);
}

#[test]
fn long_numbers_are_those_of_ten_digits_before_the_point() {
    for (text, is_long) in [
        ("[4294967296]", true),
        ("12345678901.5", true),
        ("999999999", false),
        ("[0.12345678901234, 0.5]", false),
        ("[12345,678901]", false),
    ] {
        assert_eq!(has_long_number(text), is_long, "{text}");
    }
}
