//! The meaning of a document's URI (glTF 2.0, §2.8): data, or the path of a file.

use crate::import::percent;

/// Whether the bytes are in the URI itself.
pub(super) fn is_data(uri: &str) -> bool {
    uri.get(..5)
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"))
}

/// Schemes that are recognized without `//`; any other text with a colon is a file name.
const ELSEWHERE: [&str; 4] = ["file", "ftp", "http", "https"];

/// Whether a [decoded](percent::decoded) URI is a path relative to the folder of the document, possibly upwards. Readers
/// need not support others (a scheme, a drive, an authority, an absolute path); §2.8 calls them less portable.
pub(super) fn is_relative(uri: &str) -> bool {
    let first = uri.split(['/', '\\']).next().unwrap_or_default();
    let scheme = first.split_once(':').map(|(scheme, _)| scheme);
    let of_machine = scheme.is_some_and(|scheme| {
        let on_drive = scheme.len() == 1;
        on_drive
            || ELSEWHERE
                .iter()
                .any(|other| scheme.eq_ignore_ascii_case(other))
    });
    !first.is_empty() && !first.ends_with(':') && !of_machine
}

/// The bytes of a data URI; `None` if they are badly encoded.
pub(super) fn data(uri: &str) -> Option<Vec<u8>> {
    let (head, body) = uri.split_once(',')?;
    let coding = head.rsplit(';').next().unwrap_or_default();
    if coding.eq_ignore_ascii_case("base64") {
        base64_decoded(body)
    } else {
        Some(percent::bytes(body))
    }
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Marks a byte that is not a hexadecimal digit.
const NO_DIGIT: u8 = 0xFF;

/// The value of each byte as a digit.
const DIGITS: [u8; 256] = {
    let mut digits = [NO_DIGIT; 256];
    let mut value = 0_u8;
    while (value as usize) < ALPHABET.len() {
        digits[ALPHABET[value as usize] as usize] = value;
        value += 1;
    }
    digits
};

/// Decodes Base64 (RFC 4648, §4); padding may be missing.
fn base64_decoded(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=').as_bytes();
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3 + 3);
    for group in digits.chunks(4) {
        let (mut word, mut seen) = (0_u32, 0_u8);
        for &digit in group {
            let value = DIGITS[usize::from(digit)];
            seen |= value;
            word = word << 6 | u32::from(value);
        }
        if seen == NO_DIGIT {
            return None;
        }
        // A group of n digits holds n - 1 bytes, from the top of 24 bits.
        let [_, octets @ ..] = (word << (6 * (4 - group.len()))).to_be_bytes();
        bytes.extend_from_slice(&octets[..group.len() - 1]);
    }
    Some(bytes)
}

/// `bytes` as a data URI.
#[cfg(test)]
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
    fn a_data_uri_without_base64_holds_any_bytes() {
        let bytes = Some(vec![0, 128, 255, b'a']);
        assert_eq!(data("data:,%00%80%FFa"), bytes);
        assert_eq!(data("data:x;BASE64,AID/YQ=="), bytes);
    }

    #[test]
    fn base64_is_that_of_the_rfc() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
        ] {
            let uri = data_uri(bytes.as_bytes());
            assert_eq!(uri.split_once(',').map(|(_, body)| body), Some(text));
            assert_eq!(data(&uri), Some(bytes.as_bytes().to_vec()));
        }
        assert_eq!(data("data:x;base64,Z*=="), None);
        assert_eq!(data("data:,a%20b"), Some(b"a b".to_vec()));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_data_uri_holds_its_bytes(bytes: Vec<u8>) {
            prop_assert_eq!(data(&data_uri(&bytes)), Some(bytes));
        }

        #[test]
        fn no_text_is_too_odd_to_be_decoded_or_refused(text: String) {
            let _ = data(&format!("data:;base64,{text}"));
        }
    }
}
