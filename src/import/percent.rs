//! Percent-encoding of paths and URIs (RFC 3986, §2.1).

/// The bytes of `text`, with `%20` and the like decoded. Other percent signs stay.
pub(super) fn bytes(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let digits = tail.first_chunk().filter(|_| first == b'%');
        let code = digits.and_then(|digits| hex(*digits));
        bytes.push(code.unwrap_or(first));
        rest = if code.is_some() { &tail[2..] } else { tail };
    }
    bytes
}

/// `text`, decoded; unchanged if the result is not UTF-8.
pub(super) fn decoded(text: &str) -> String {
    String::from_utf8(bytes(text)).unwrap_or_else(|_| text.to_owned())
}

fn hex(digits: [u8; 2]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(digits[0])? * 16 + digit(digits[1])?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_codes_are_decoded_and_stray_signs_kept() {
        assert_eq!(decoded("my%20tex%C3%A4.bin"), "my texä.bin");
        assert_eq!(decoded("a%20b%2Fc%"), "a b/c%");
        assert_eq!(decoded("100%.bin%2"), "100%.bin%2");
        assert_eq!(decoded("%FF"), "%FF");
    }
}
