//! Blanks before the first number of a list.
//!
//! assimp takes the blank behind `<vcount>` of a skin for the number 0 (`ColladaParser.cpp`, `ReadControllerWeights`), so
//! that each vertex gets the weights of the one before. It is given the file without it.

use std::ffi::CStr;
use std::ops::Range;
use std::path::Path;

use super::archive;

const LIST: &[u8] = b"<vcount>";

/// The COLLADA file at `path` without blanks behind `<vcount>`, with the extension by which assimp knows what it is;
/// `None` if there are none, or it is no such file.
pub(in crate::import::assimp) fn stripped(path: &Path) -> Option<(Vec<u8>, &'static CStr)> {
    let extension = path.extension()?;
    let is = |wanted: &str| extension.eq_ignore_ascii_case(wanted);
    let read = || std::fs::read(path).ok();
    if is("dae") {
        Some((without_padding(&read()?)?, c"dae"))
    } else if is("zae") {
        Some((archive::changed(&read()?, without_padding)?, c"zae"))
    } else {
        None
    }
}

fn without_padding(document: &[u8]) -> Option<Vec<u8>> {
    let padding = padding(document);
    (!padding.is_empty()).then(|| without(document, &padding))
}

/// Where blanks are, in order.
fn padding(file: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = find(&file[from..]) {
        let start = from + at + LIST.len();
        let blanks = file[start..]
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace());
        from = start + blanks.count();
        if from > start {
            found.push(start..from);
        }
    }
    found
}

/// Almost every place is told by its first byte.
fn find(bytes: &[u8]) -> Option<usize> {
    let mut starts = bytes
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == LIST[0]);
    let start = starts.find(|(start, _)| bytes[*start..].starts_with(LIST));
    start.map(|(start, _)| start)
}

fn without(file: &[u8], padding: &[Range<usize>]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(file.len());
    let mut from = 0;
    for blanks in padding {
        kept.extend_from_slice(&file[from..blanks.start]);
        from = blanks.end;
    }
    kept.extend_from_slice(&file[from..]);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::assimp::Assimp;
    use crate::import::importer::Importer;

    #[test]
    fn a_document_in_an_archive_is_stripped_too() {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
        let whole = std::fs::read(fixtures.join("arm.zae")).unwrap();
        let blank = |document: &[u8]| {
            let text = String::from_utf8(document.to_vec()).unwrap();
            Some(text.replace("<vcount>", "<vcount>\n ").into_bytes())
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("arm.zae");
        std::fs::write(&path, archive::changed(&whole, blank).unwrap()).unwrap();
        let padded = Assimp.import(&path).unwrap();
        assert!(stripped(&path).is_some());
        assert_eq!(stripped(&fixtures.join("arm.zae")), None);
        assert_eq!(padded, Assimp.import(&fixtures.join("arm.zae")).unwrap());
    }

    #[test]
    fn only_the_blanks_before_a_first_count_go() {
        let file = b"<vcount> \n1 2 </vcount><v> 0 1</v><vcount>3</vcount><vcount>\t4</vcount>";
        let expected = b"<vcount>1 2 </vcount><v> 0 1</v><vcount>3</vcount><vcount>4</vcount>";
        assert_eq!(without(file, &padding(file)), expected);
        assert!(padding(b"<vcount>1 1</vcount> <vcoun").is_empty());
    }
}
