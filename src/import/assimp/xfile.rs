//! DirectX text: numbers in lists without spaces.
//!
//! assimp reads the comma of `1,0` as a decimal comma (`fast_atof.h`, `check_comma`), which breaks files without a
//! space after it, so one is inserted.

use std::path::Path;

use crate::paths::read_large;

/// How a text file begins, except for its version: `xof 0303txt `.
const START: &[u8; 4] = b"xof ";
const TEXT: (usize, &[u8; 4]) = (8, b"txt ");

/// The file at `path` with a space behind every comma that a digit follows; `None` if nothing changes, or it is not
/// DirectX text.
pub(super) fn spaced(path: &Path) -> Option<Vec<u8>> {
    let extension = path.extension()?;
    if !extension.eq_ignore_ascii_case("x") {
        return None;
    }
    let file = read_large(path).ok()?;
    let is_text = file.starts_with(START) && file.get(TEXT.0..)?.starts_with(TEXT.1);
    (is_text && file.windows(2).any(is_tight)).then(|| with_spaces(&file))
}

fn is_tight(pair: &[u8]) -> bool {
    pair[0] == b',' && pair[1].is_ascii_digit()
}

/// Names in quotes are not changed.
fn with_spaces(file: &[u8]) -> Vec<u8> {
    let mut spaced = Vec::with_capacity(file.len() + file.len() / 4);
    let mut in_quotes = false;
    for (index, &byte) in file.iter().enumerate() {
        spaced.push(byte);
        in_quotes ^= byte == b'"';
        if !in_quotes && file.get(index..index + 2).is_some_and(is_tight) {
            spaced.push(b' ');
        }
    }
    spaced
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_get_spaces_and_names_do_not() {
        let spaced = with_spaces(b"4;1,0,-0.5,2;;,29;\"map,1.png\";,3");
        assert_eq!(spaced, b"4;1, 0,-0.5, 2;;, 29;\"map,1.png\";, 3");
    }
}
