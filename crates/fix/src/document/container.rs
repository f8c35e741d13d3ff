//! The container of a document: a text, or a GLB (glTF 2.0, §4).

const MAGIC: &[u8] = b"glTF";
const JSON: [u8; 4] = *b"JSON";
const BIN: [u8; 4] = *b"BIN\0";
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// The parts of a file around its document and its binary chunk.
#[derive(Debug, Clone)]
pub(crate) enum Container {
    /// A text, with what is before it, a byte order mark and white space, and behind it.
    Text { before: Vec<u8>, after: Vec<u8> },
    /// A GLB, with the chunks behind the two that are known.
    Binary { others: Vec<u8> },
}

/// The parts of a file: the container, the text and the contents of the binary chunk, if there is one.
pub(crate) type Parts = (Container, String, Option<Vec<u8>>);

/// Takes a file apart; `None` if it is not whole.
pub(crate) fn open(file: &[u8]) -> Option<Parts> {
    if !file.starts_with(MAGIC) {
        let text = file.strip_prefix(MARK).unwrap_or(file).trim_ascii_start();
        let before = file[..file.len() - text.len()].to_vec();
        let after = text[text.trim_ascii_end().len()..].to_vec();
        let text = String::from_utf8(text.trim_ascii_end().to_vec()).ok()?;
        return Some((Container::Text { before, after }, text, None));
    }
    let (json, rest) = chunk(file.get(12..)?, JSON)?;
    let end = json.iter().rposition(|&byte| byte != 0)?;
    let text = String::from_utf8(json[..=end].to_vec()).ok()?;
    let (binary, others) = match chunk(rest, BIN) {
        Some((binary, others)) => (Some(binary.to_vec()), others),
        None => (None, rest),
    };
    let others = others.to_vec();
    Some((Container::Binary { others }, text, binary))
}

/// The contents of the first chunk, if it is of this kind, and what follows it.
fn chunk(bytes: &[u8], kind: [u8; 4]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    let rest = rest.strip_prefix(&kind)?;
    rest.split_at_checked(u32::from_le_bytes(*length) as usize)
}

impl Container {
    /// The file of a text and the contents of its binary chunk; `None` if it would be too large for a GLB.
    pub(crate) fn close(&self, text: &str, binary: Option<&[u8]>) -> Option<Vec<u8>> {
        let others = match self {
            Self::Text { before, after } => {
                return Some([before, text.as_bytes(), after].concat());
            }
            Self::Binary { others } => others,
        };
        let mut file = [MAGIC, &2_u32.to_le_bytes(), &[0; 4]].concat();
        add_chunk(&mut file, JSON, text.trim_end().as_bytes(), b' ')?;
        if let Some(binary) = binary {
            add_chunk(&mut file, BIN, binary, 0)?;
        }
        file.extend(others);
        let length = u32::try_from(file.len()).ok()?;
        file[8..12].copy_from_slice(&length.to_le_bytes());
        Some(file)
    }
}

fn add_chunk(file: &mut Vec<u8>, kind: [u8; 4], contents: &[u8], padding: u8) -> Option<()> {
    let length = contents.len().next_multiple_of(4);
    file.extend(u32::try_from(length).ok()?.to_le_bytes());
    file.extend(kind);
    file.extend(contents);
    file.resize(file.len() + length - contents.len(), padding);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_put_together_as_it_was_taken_apart() {
        let binary = Container::Binary {
            others: b"\x04\0\0\0XTRAabcd".to_vec(),
        };
        let files = [
            binary.close("{\"a\": 1}", Some(&[1, 2, 3, 4])),
            Container::Binary { others: Vec::new() }.close("{}", None),
            Some(b"\xEF\xBB\xBF\n{}\r\n".to_vec()),
            Some(b"{ }".to_vec()),
        ];
        for file in files {
            let file = file.expect("it is small");
            let (container, text, binary) = open(&file).expect("it is whole");
            assert_eq!(container.close(&text, binary.as_deref()), Some(file));
        }
    }

    #[test]
    fn a_torn_file_is_refused() {
        let whole = Container::Binary { others: Vec::new() }.close("{\"a\": 1}", None);
        let whole = whole.expect("it is small");
        for length in 4..whole.len() {
            assert!(open(&whole[..length]).is_none(), "{length}");
        }
    }
}
