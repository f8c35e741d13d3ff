//! Files that are put together piece by piece.

/// A GLB of these two chunks.
pub(super) fn glb(json: &str, binary: Option<&[u8]>) -> Vec<u8> {
    let mut text = json.as_bytes().to_vec();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut chunks = chunk(*b"JSON", &text);
    chunks.extend(
        binary
            .into_iter()
            .flat_map(|binary| chunk(*b"BIN\0", binary)),
    );
    let mut file = b"glTF".to_vec();
    file.extend(2_u32.to_le_bytes());
    file.extend(length(chunks.len() + 12));
    file.extend(chunks);
    file
}

fn chunk(kind: [u8; 4], contents: &[u8]) -> Vec<u8> {
    let mut chunk = length(contents.len()).to_vec();
    chunk.extend(kind);
    chunk.extend(contents);
    chunk
}

fn length(length: usize) -> [u8; 4] {
    u32::try_from(length)
        .expect("a test is small")
        .to_le_bytes()
}
