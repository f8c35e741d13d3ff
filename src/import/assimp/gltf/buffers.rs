//! The bytes of buffers: inside of a GLB, in a data URI, or in a file (glTF 2.0, §3.6.1).

use std::path::{Path, PathBuf};

use super::document::Document;
use super::parse;
use crate::import::ImporterError;

/// The bytes of every buffer.
///
/// * `binary` – the contents of the GLB, if it is one.
/// * `folder` – what paths are relative to.
pub(super) fn load(
    document: &Document,
    binary: Option<&[u8]>,
    folder: &Path,
) -> Result<Vec<Vec<u8>>, ImporterError> {
    let buffers = document.buffers.iter().enumerate();
    buffers
        .map(|(index, buffer)| match &buffer.uri {
            None => Ok(binary.unwrap_or_default().to_vec()),
            Some(uri) if is_data(uri) => data(uri)
                .ok_or_else(|| parse(format!("the data URI of buffer {index} is no base64"))),
            Some(uri) => read(&path(uri, folder)),
        })
        .collect()
}

/// Whether the bytes are in the URI itself.
pub(super) fn is_data(uri: &str) -> bool {
    uri.starts_with("data:")
}

/// The file that `uri` means.
pub(super) fn path(uri: &str, folder: &Path) -> PathBuf {
    folder.join(percent_decoded(uri))
}

/// A device or a pipe might never end.
fn read(path: &Path) -> Result<Vec<u8>, ImporterError> {
    let failed = |why: &dyn std::fmt::Display| parse(format!("{}: {why}", path.display()));
    let metadata = std::fs::metadata(path).map_err(|error| failed(&error))?;
    if !metadata.is_file() {
        return Err(failed(&"not a regular file"));
    }
    std::fs::read(path).map_err(|error| failed(&error))
}

/// `uri` with each `%20` and the like as the character that it stands for; as it is where that is no UTF-8.
pub(super) fn percent_decoded(uri: &str) -> String {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let code = tail
            .first_chunk::<2>()
            .filter(|_| first == b'%')
            .and_then(|digits| hex(*digits));
        bytes.push(code.unwrap_or(first));
        rest = if code.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| uri.to_owned())
}

fn hex(digits: [u8; 2]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(digits[0])? * 16 + digit(digits[1])?).ok()
}

fn data(uri: &str) -> Option<Vec<u8>> {
    let (head, body) = uri.split_once(',')?;
    if head.ends_with(";base64") {
        base64_decoded(body)
    } else {
        Some(percent_decoded(body).into_bytes())
    }
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// RFC 4648, §4; padding may be missing.
fn base64_decoded(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=').as_bytes();
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3 + 3);
    let (mut word, mut bits) = (0_u32, 0_u32);
    for &digit in digits {
        word = word << 6 | u32::from(digit_value(digit)?);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((word >> bits & 0xFF) as u8);
        }
    }
    Some(bytes)
}

fn digit_value(digit: u8) -> Option<u8> {
    Some(match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}

/// `bytes` as a data URI.
pub(super) fn data_uri(bytes: &[u8]) -> String {
    let mut uri = String::from("data:application/octet-stream;base64,");
    for chunk in bytes.chunks(3) {
        let byte = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let word = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4_usize {
            let value = (word >> (18 - 6 * digit) & 0x3F) as usize;
            let is_padding = digit > chunk.len();
            uri.push(if is_padding {
                '='
            } else {
                char::from(ALPHABET[value])
            });
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn base64_is_that_of_the_rfc() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foobar", "Zm9vYmFy"),
        ] {
            let uri = data_uri(bytes.as_bytes());
            assert_eq!(uri.split_once(',').map(|(_, body)| body), Some(text));
        }
        assert_eq!(data("data:x;base64,Z*=="), None);
        assert_eq!(data("data:,a%20b"), Some(b"a b".to_vec()));
    }

    #[test]
    fn percent_codes_are_decoded_and_stray_signs_kept() {
        assert_eq!(percent_decoded("my%20tex%C3%A4.bin"), "my texä.bin");
        assert_eq!(percent_decoded("100%.bin%2"), "100%.bin%2");
        assert_eq!(percent_decoded("%FF"), "%FF");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_data_uri_holds_its_bytes(bytes: Vec<u8>) {
            prop_assert_eq!(data(&data_uri(&bytes)), Some(bytes));
        }
    }
}
