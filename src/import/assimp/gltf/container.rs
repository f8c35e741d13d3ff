//! GLB, the binary container of glTF (2.0, §4).

/// The first bytes of a GLB.
pub(super) const MAGIC: &[u8] = b"glTF";

const JSON: [u8; 4] = *b"JSON";
const BIN: [u8; 4] = *b"BIN\0";

/// The parts of a file.
pub(super) struct Container<'a> {
    /// The document.
    pub(super) json: &'a [u8],
    /// The buffer that has no URI.
    pub(super) binary: Option<&'a [u8]>,
    is_glb: bool,
}

impl<'a> Container<'a> {
    /// `None` for a GLB that is broken, or not of version 2.
    pub(super) fn read(file: &'a [u8]) -> Option<Self> {
        let Some(rest) = file.strip_prefix(MAGIC) else {
            let json = file.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(file);
            return Some(Self {
                json,
                binary: None,
                is_glb: false,
            });
        };
        let (version, rest) = rest.split_first_chunk()?;
        let (_length, rest) = rest.split_first_chunk::<4>()?;
        let (json, rest) = chunk(rest, JSON)?;
        (u32::from_le_bytes(*version) == 2).then_some(Self {
            json,
            binary: chunk(rest, BIN).map(|(binary, _)| binary),
            is_glb: true,
        })
    }

    /// The same file with another document.
    pub(super) fn with_json(&self, json: &serde_json::Value) -> Vec<u8> {
        let mut json = json.to_string().into_bytes();
        if !self.is_glb {
            return json;
        }
        json.resize(json.len().next_multiple_of(4), b' ');
        let mut chunks = Vec::new();
        push_chunk(&mut chunks, JSON, &json);
        if let Some(binary) = self.binary {
            let mut padded = binary.to_vec();
            padded.resize(padded.len().next_multiple_of(4), 0);
            push_chunk(&mut chunks, BIN, &padded);
        }
        let mut file = MAGIC.to_vec();
        file.extend(2_u32.to_le_bytes());
        file.extend(length(chunks.len() + 12));
        file.append(&mut chunks);
        file
    }
}

/// The chunk at the start of `bytes`, and what follows it.
fn chunk(bytes: &[u8], kind: [u8; 4]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    rest.strip_prefix(&kind)?.split_at_checked(length)
}

fn push_chunk(to: &mut Vec<u8>, kind: [u8; 4], contents: &[u8]) {
    to.extend(length(contents.len()));
    to.extend(kind);
    to.extend(contents);
}

/// A length that a GLB cannot state is cut, and assimp refuses the file.
fn length(length: usize) -> [u8; 4] {
    u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_glb_with_another_document_keeps_its_binary_part() {
        let made = Container {
            json: b"",
            binary: Some(&[1, 2, 3]),
            is_glb: true,
        };
        let file = made.with_json(&json!({"a": "longer than before"}));
        assert_eq!(file.len() % 4, 0);
        let read = Container::read(&file).expect("it was just made");
        assert_eq!(read.binary, Some(&[1, 2, 3, 0][..]));
        let document: serde_json::Value = serde_json::from_slice(read.json).expect("it is JSON");
        assert_eq!(document["a"], "longer than before");
    }

    #[test]
    fn a_torn_glb_is_left_to_assimp() {
        let whole = Container {
            json: b"",
            binary: None,
            is_glb: true,
        };
        let file = whole.with_json(&json!({}));
        for len in MAGIC.len()..file.len() {
            assert!(Container::read(&file[..len]).is_none(), "{len}");
        }
    }
}
