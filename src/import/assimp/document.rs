//! Checks that a document is well-formed XML, which assimp does not.

use std::path::Path;

use roxmltree::{Document, Error, ParsingOptions};

use crate::paths::read_large;

/// Why the XML in the file at `path` cannot be parsed; `None` for well-formed XML and any other text.
pub(super) fn malformed(path: &Path) -> Option<Error> {
    let text = String::from_utf8(read_large(path).ok()?).ok()?;
    let is_xml = text
        .trim_start_matches('\u{feff}')
        .trim_start()
        .starts_with('<');
    // Entities may expand to any length.
    if !is_xml || text.contains("<!ENTITY") {
        return None;
    }
    let options = ParsingOptions {
        allow_dtd: true,
        ..ParsingOptions::default()
    };
    Document::parse_with_options(&text, options).err()
}

#[cfg(test)]
mod tests {
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
}
