//! Names in files that promise no encoding.

/// `bytes` as UTF-8, or as Latin-1 if they are not UTF-8.
///
/// Exporters of the nineties write the code page of their machine. Latin-1 gives each byte a character of its own, so
/// names that differ in the file differ here, which replacement characters would not do.
pub(super) fn decode(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().copied().map(char::from).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_not_utf_8_stay_apart() {
        assert_eq!(decode("größe_右".as_bytes()), "größe_右");
        assert_eq!(decode(b"K\xF6pf"), "Köpf");
        assert_ne!(decode(b"K\xF6pf"), decode(b"K\xE4pf"));
    }
}
