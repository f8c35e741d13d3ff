//! assimp's strings, which promise no encoding.

use std::ffi::c_char;

use russimp::sys::aiString;

pub(super) use crate::import::text::decode;

/// The bytes of `name`, cut at the end of its buffer and without trailing zeros.
pub(super) fn bytes(name: &aiString) -> Vec<u8> {
    let len = (name.length as usize).min(name.data.len());
    let mut bytes = unsigned(&name.data[..len]);
    while bytes.last() == Some(&0) {
        bytes.pop();
    }
    bytes
}

/// `name` as text, see [`decode`].
pub(super) fn text(name: &aiString) -> String {
    decode(&bytes(name))
}

/// C's `char` is signed on some machines and unsigned on others.
fn unsigned(chars: &[c_char]) -> Vec<u8> {
    chars.iter().map(|char| char.to_ne_bytes()[0]).collect()
}

#[cfg(test)]
pub(super) fn name_of(bytes: &[u8]) -> aiString {
    let mut name = aiString {
        length: u32::try_from(bytes.len()).expect("names of tests are short"),
        data: [0; 1024],
    };
    for (to, &from) in name.data.iter_mut().zip(bytes) {
        *to = c_char::from_ne_bytes([from]);
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_above_127_are_those_of_the_name() {
        assert_eq!(text(&name_of(b"K\xF6pf")), "Köpf");
        assert_eq!(text(&name_of("größe_右".as_bytes())), "größe_右");
    }

    #[test]
    fn a_length_past_the_buffer_is_cut() {
        let mut name = name_of(&[b'x'; 1024]);
        name.length = u32::MAX;
        assert_eq!(text(&name).len(), 1024);
    }

    #[test]
    fn zeros_at_the_end_are_dropped_and_others_kept() {
        assert_eq!(text(&name_of(b"a\0b\0\0")), "a\0b");
    }
}
