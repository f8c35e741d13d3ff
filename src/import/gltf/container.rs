//! GLB, the binary container of glTF (2.0, §4).

/// The first bytes of a GLB.
const MAGIC: &[u8] = b"glTF";

const JSON: [u8; 4] = *b"JSON";
const BIN: [u8; 4] = *b"BIN\0";

/// Why a GLB cannot be opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum ContainerError {
    /// The bytes end in the middle of something.
    #[error("the binary file ends inside of its {part}; copy or export it again")]
    CutOff {
        /// Such as `header`.
        part: &'static str,
    },
    /// Version 1, or one that is not there yet.
    #[error("the binary file is of version {version}, and version 2 is read")]
    Version {
        /// What it states.
        version: u32,
    },
    /// Something else where the document has to be.
    #[error("the binary file does not begin with its JSON text")]
    NoJson,
}

/// The parts of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Container<'a> {
    /// The document.
    pub(super) json: &'a [u8],
    /// The buffer that has no URI.
    pub(super) binary: Option<&'a [u8]>,
}

impl<'a> Container<'a> {
    /// The parts of `file`; one that is no GLB is all document.
    ///
    /// # Errors
    ///
    /// [`ContainerError`] for a GLB that is cut off, or not of version 2.
    pub(super) fn read(file: &'a [u8]) -> Result<Self, ContainerError> {
        let Some(rest) = file.strip_prefix(MAGIC) else {
            let json = file.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(file);
            return Ok(Self { json, binary: None });
        };
        let header = ContainerError::CutOff { part: "header" };
        let (version, rest) = rest.split_first_chunk().ok_or(header.clone())?;
        let version = u32::from_le_bytes(*version);
        if version != 2 {
            return Err(ContainerError::Version { version });
        }
        // The length of the whole: what is there counts.
        let (_, rest) = rest.split_first_chunk::<4>().ok_or(header)?;
        let (kind, json, rest) = chunk(rest).ok_or(ContainerError::CutOff { part: "JSON text" })?;
        if kind != JSON {
            return Err(ContainerError::NoJson);
        }
        Ok(Self {
            json: without_padding(json),
            binary: binary(rest)?,
        })
    }
}

/// Spaces are for padding (§4.4.3.2), and some writers take zeros.
fn without_padding(json: &[u8]) -> &[u8] {
    let end = json.iter().rposition(|&byte| byte != 0);
    &json[..end.map_or(0, |last| last + 1)]
}

/// The first binary chunk of `rest`; chunks of other kinds are for others (§4.4.3).
fn binary(mut rest: &[u8]) -> Result<Option<&[u8]>, ContainerError> {
    while !rest.is_empty() {
        let part = "binary chunk";
        let (kind, contents, next) = chunk(rest).ok_or(ContainerError::CutOff { part })?;
        if kind == BIN {
            return Ok(Some(contents));
        }
        rest = next;
    }
    Ok(None)
}

/// Kind and contents of the chunk at the start of `bytes`, and what follows it.
fn chunk(bytes: &[u8]) -> Option<([u8; 4], &[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (kind, rest) = rest.split_first_chunk()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    let (contents, rest) = rest.split_at_checked(length)?;
    Some((*kind, contents, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::gltf::testing::glb;

    #[test]
    fn the_document_and_the_binary_part_come_apart() {
        let file = glb("{\"a\": 1}", Some(&[1, 2, 3, 4]));
        let read = Container::read(&file).expect("it was just made");
        assert_eq!(read.json, b"{\"a\": 1}");
        assert_eq!(read.binary, Some(&[1, 2, 3, 4][..]));
    }

    #[test]
    fn zeros_behind_the_document_are_padding() {
        let file = glb("{}\0\0", None);
        assert_eq!(Container::read(&file).unwrap().json, b"{}");
    }

    #[test]
    fn a_text_file_is_all_document() {
        let read = Container::read(b"\xEF\xBB\xBF{}").expect("it is no GLB");
        assert_eq!((read.json, read.binary), (&b"{}"[..], None));
    }

    #[test]
    fn a_torn_glb_says_where_it_ends() {
        let file = glb("{}  ", Some(&[1, 2, 3, 4]));
        let whole_without_binary = 12 + 8 + 4;
        for len in MAGIC.len()..file.len() {
            let read = Container::read(&file[..len]);
            assert_eq!(read.is_ok(), len == whole_without_binary, "{len}");
        }
        let part = |len: usize| Container::read(&file[..len]).unwrap_err();
        assert_eq!(part(11), ContainerError::CutOff { part: "header" });
        assert_eq!(part(21), ContainerError::CutOff { part: "JSON text" });
        assert_eq!(
            part(file.len() - 1),
            ContainerError::CutOff {
                part: "binary chunk"
            }
        );
    }

    #[test]
    fn version_1_is_refused_by_its_number() {
        let mut file = glb("{}", None);
        file[4] = 1;
        let error = Container::read(&file).unwrap_err();
        assert_eq!(error, ContainerError::Version { version: 1 });
    }
}
