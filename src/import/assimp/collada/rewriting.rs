//! The file as assimp should have it.

use std::ffi::CStr;
use std::path::Path;

use super::mending::{Mended, Names, mended};
use super::{archive, padding};
use crate::rig::Note;

/// A file that assimp would misread, written otherwise.
#[derive(Debug)]
pub(in crate::import::assimp) struct Rewritten {
    pub(in crate::import::assimp) bytes: Vec<u8>,
    /// By which assimp knows what it is.
    pub(in crate::import::assimp) extension: &'static CStr,
    /// To be put back into what assimp makes of it.
    pub(in crate::import::assimp) names: Names,
    /// What is misread all the same.
    pub(in crate::import::assimp) notes: Vec<Note>,
}

/// The COLLADA file at `path`; `None` if assimp can have it as it is, or it is no such file.
pub(in crate::import::assimp) fn rewritten(path: &Path) -> Option<Rewritten> {
    let extension = path.extension()?;
    let is = |wanted: &str| extension.eq_ignore_ascii_case(wanted);
    let read = || std::fs::read(path).ok();
    let mut kept = Mended::default();
    let (bytes, extension) = if is("dae") {
        (document(&read()?, &mut kept)?, c"dae")
    } else if is("zae") {
        let change = |bytes: &[u8]| document(bytes, &mut kept);
        (archive::changed(&read()?, change)?, c"zae")
    } else {
        return None;
    };
    Some(Rewritten {
        bytes,
        extension,
        names: kept.names,
        notes: kept.notes,
    })
}

/// * `kept` – becomes what is to be known of the new document, beside its text.
fn document(bytes: &[u8], kept: &mut Mended) -> Option<Vec<u8>> {
    let Some(mended) = mended(undeclared(&archive::decode(bytes), bytes)) else {
        return padding::without(bytes);
    };
    let text = mended.text.as_bytes();
    let bytes = padding::without(text).unwrap_or_else(|| text.to_vec());
    *kept = mended;
    Some(bytes)
}

/// `text` without its declaration if that may name another encoding than UTF-8, which it is in now.
fn undeclared<'a>(text: &'a str, bytes: &[u8]) -> &'a str {
    let rest = text
        .strip_prefix("<?xml")
        .and_then(|rest| rest.split_once("?>"));
    match rest {
        Some((_, rest)) if !bytes.is_ascii() => rest,
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::assimp::Assimp;
    use crate::import::importer::Importer;

    #[test]
    fn a_document_in_an_archive_is_rewritten_too() {
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
        assert!(rewritten(&path).is_some());
        assert!(rewritten(&fixtures.join("arm.zae")).is_none());
        assert_eq!(padded, Assimp.import(&fixtures.join("arm.zae")).unwrap());
    }

    #[test]
    fn what_comes_to_assimp_is_utf_8_whatever_it_was() {
        let text = "<?xml version='1.0' encoding='ISO-8859-1'?><n name='ö'/>";
        let latin: Vec<u8> = text
            .chars()
            .map(|c| u8::try_from(u32::from(c)).unwrap())
            .collect();
        let decoded = archive::decode(&latin);
        assert_eq!(undeclared(&decoded, &latin), "<n name='ö'/>");
        let plain = "<?xml version='1.0'?><n/>";
        assert_eq!(undeclared(plain, plain.as_bytes()), plain);
    }
}
