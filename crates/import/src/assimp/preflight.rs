//! Checks of a file before assimp reads it: well-formed XML, the size of OBJ, and the numbers of DirectX text.

use std::collections::HashSet;
use std::path::Path;

use roxmltree::{Document, Error, ParsingOptions};

use super::ImporterError;
use super::{read_large, read_of};
use crate::text::{has_too_many_attributes, may_declare};

/// Why the XML in the file at `path` cannot be parsed; `None` for well-formed XML and any other text.
pub(super) fn malformed(path: &Path) -> Option<Error> {
    let text = String::from_utf8(read_large(path).ok()?).ok()?;
    let is_xml = text
        .trim_start_matches('\u{feff}')
        .trim_start()
        .starts_with('<');
    if !is_xml || may_declare(&text) || has_too_many_attributes(&text) {
        return None;
    }
    let options = ParsingOptions {
        allow_dtd: true,
        ..ParsingOptions::default()
    };
    Document::parse_with_options(&text, options).err()
}

/// The most names of a kind: some seconds.
const MOST_NAMES: usize = 30_000;

/// The most corners of a polygon: some seconds.
const MOST_CORNERS: usize = 30_000;

/// Refuses an OBJ file that would take assimp minutes. Other formats pass.
///
/// # Errors
///
/// [`ImporterError::Unsupported`].
pub(super) fn check_obj(path: &Path) -> Result<(), ImporterError> {
    // A file that cannot be read is assimp's to report.
    let Some(file) = read_of(path, "obj") else {
        return Ok(());
    };
    let (mut objects, mut materials) = (HashSet::new(), HashSet::new());
    for line in file.split(|byte| *byte == b'\n') {
        let line = line.trim_ascii();
        match line.split(u8::is_ascii_whitespace).next() {
            Some(b"o") => {
                objects.insert(line);
            }
            Some(b"usemtl") => {
                materials.insert(line);
            }
            Some(b"f") => {
                let words = line.split(u8::is_ascii_whitespace);
                let corners = words.skip(1).filter(|word| !word.is_empty()).count();
                within(corners, MOST_CORNERS, "corners in a polygon")?;
            }
            _ => {}
        }
    }
    within(objects.len(), MOST_NAMES, "objects")?;
    within(materials.len(), MOST_NAMES, "materials")
}

fn within(count: usize, most: usize, what: &str) -> Result<(), ImporterError> {
    if count <= most {
        return Ok(());
    }
    Err(ImporterError::Unsupported {
        what: format!("an OBJ file with {count} {what} (at most {most} are read)"),
    })
}

/// How a text file begins, except for its version: `xof 0303txt `.
const START: &[u8; 4] = b"xof ";
const TEXT: (usize, &[u8; 4]) = (8, b"txt ");

/// The file at `path` with a space behind every comma that a digit follows; `None` if nothing changes, or it is not
/// DirectX text.
pub(super) fn spaced(path: &Path) -> Option<Vec<u8>> {
    let file = read_of(path, "x")?;
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
    use std::fmt::Write;
    use std::fs;

    use super::*;

    #[test]
    fn only_malformed_xml_has_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.mesh.xml");
        for (text, position) in [
            ("<mesh>\n  <a></b>\n</mesh>", Some((2, 6))),
            ("\u{feff}<mesh/>", None),
            ("v 0 0 0\nf 1 <2", None),
        ] {
            std::fs::write(&path, text).unwrap();
            let found = malformed(&path).map(|error| (error.pos().row, error.pos().col));
            assert_eq!(found, position, "{text}");
        }
    }

    #[test]
    fn what_takes_quadratic_time_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let refused = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            check_obj(&path).err().map(|error| error.to_string())
        };
        let many = |keyword: &str, count: usize| {
            (0..count).fold(String::new(), |mut text, index| {
                let _ = writeln!(text, "{keyword} {index}\nf 1 2 3");
                text
            })
        };
        let polygon = |corners: usize| format!("f{}\n", " 1".repeat(corners));
        for (fine, too_many, what) in [
            (many("o", 30_000), many("o", 30_001), "objects"),
            (many("usemtl", 30_000), many("usemtl", 30_001), "materials"),
            (polygon(30_000), polygon(30_001), "corners"),
        ] {
            assert_eq!(refused("a.obj", &fine), None, "{what}");
            let error = refused("b.OBJ", &too_many).unwrap();
            assert!(error.contains("30001") && error.contains(what), "{error}");
            assert_eq!(refused("c.x", &too_many), None);
        }
        // The same object many times is one.
        assert_eq!(refused("d.obj", &"o a\n".repeat(40_000)), None);
    }

    #[test]
    fn lists_get_spaces_and_names_do_not() {
        let spaced = with_spaces(b"4;1,0,-0.5,2;;,29;\"map,1.png\";,3");
        assert_eq!(spaced, b"4;1, 0,-0.5, 2;;, 29;\"map,1.png\";, 3");
    }
}
