//! Damages files: bytes, words of text formats, and values of JSON documents.

use serde_json::Value;

use crate::random::Random;

/// Numbers that readers do not expect.
const NUMBERS: &[&str] = &[
    "0",
    "-0",
    "-1",
    "1",
    "2",
    "255",
    "256",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "-9223372036854775808",
    "1e-45",
    "1e-38",
    "1e38",
    "3.4e38",
    "-3.4e38",
    "1e39",
    "1e308",
    "1e999",
    "NaN",
    "inf",
    "-inf",
    "0.5",
    "1e6",
    "1e9",
    "99999999999999999999999999",
];

/// The same as integers of four bytes.
const WORDS: &[u32] = &[
    0,
    1,
    0xff,
    0x100,
    0xffff,
    0x1_0000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_fffe,
    0xffff_ffff,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0000,
    0x7fc0_0000,
    0x0000_0001,
    0x7e96_7699,
];

/// Texts that are not valid names.
const NAMES: &[&str] = &[
    "",
    ".",
    "..",
    "../../x",
    "..\\..\\x",
    "/etc/passwd",
    "C:\\x.png",
    "\u{202e}x",
    "a\nb",
    "\"",
    "*0",
    "::error::x",
    "nul\0",
    "%s%n",
    "file:///x",
];

/// `bytes` with one to four kinds of damage that suit the content.
pub(crate) fn damaged(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let most = 1 + random.below(4);
    for _ in 0..=random.below(most) {
        if bytes.is_empty() {
            break;
        }
        let is_json = bytes.first() == Some(&b'{');
        let is_text = !bytes.contains(&0) && std::str::from_utf8(&bytes).is_ok();
        bytes = match random.below(6) {
            0 => scratched(bytes, random),
            _ if bytes.starts_with(b"glTF") => in_glb(&bytes, random),
            _ if is_json => in_json(&bytes, random),
            _ if is_text => in_text(&bytes, random),
            _ => in_fields(bytes, random),
        };
    }
    bytes
}

/// Damage that ignores the format.
fn scratched(mut bytes: Vec<u8>, random: &mut Random) -> Vec<u8> {
    let at = random.below(bytes.len());
    let longest = 1 << random.below(12);
    let length = 1 + random.below(longest);
    let end = bytes.len().min(at + length);
    match random.below(6) {
        0 => bytes.truncate(at),
        1 => drop(bytes.drain(at..end)),
        2 => {
            let copy = bytes[at..end].to_vec();
            let to = random.below(bytes.len());
            bytes.splice(to..to, copy);
        }
        3 => bytes[at..end].fill(*random.pick(&[0, 0xff, b' ', b'9'])),
        _ => {
            for _ in 0..=random.below(8) {
                let at = random.below(bytes.len());
                bytes[at] ^= 1 << random.below(8);
            }
        }
    }
    bytes
}

/// Replaces a number of four bytes.
fn in_fields(mut bytes: Vec<u8>, random: &mut Random) -> Vec<u8> {
    let near_start = bytes.len().min(512);
    let within = if random.once_in(2) {
        near_start
    } else {
        bytes.len()
    };
    let at = random.below(within.saturating_sub(3))
        & !usize::from(random.once_in(2))
        & !usize::from(random.once_in(2)) << 1;
    let word = match random.below(3) {
        0 => u32::try_from(random.below(64)).expect("it is below 64"),
        _ => *random.pick(WORDS),
    };
    if let Some(field) = bytes.get_mut(at..at + 4) {
        field.copy_from_slice(&word.to_le_bytes());
    }
    bytes
}

/// Replaces a word, or moves a line.
fn in_text(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    if bytes.is_empty() {
        return Vec::new();
    }
    let text = String::from_utf8_lossy(bytes);
    if random.once_in(3) {
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        let (at, other) = (random.below(lines.len()), random.below(lines.len()));
        match random.below(4) {
            0 => drop(lines.remove(at)),
            1 => lines.swap(at, other),
            2 => lines.insert(other, lines[at]),
            _ => {
                let copies = 1 << random.below(12);
                lines.splice(other..other, std::iter::repeat_n(lines[at], copies));
            }
        }
        return lines.concat().into_bytes();
    }
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || b"+-._".contains(&byte);
    let mut at = random.below(bytes.len());
    // Mostly replaces numbers, because most readers give up at once on other damage.
    let numbers = random.below(4) > 0;
    let wanted = |byte: u8| {
        if numbers {
            byte.is_ascii_digit()
        } else {
            is_word(byte)
        }
    };
    while at < bytes.len() && !wanted(bytes[at]) {
        at += 1;
    }
    let start = bytes[..at]
        .iter()
        .rposition(|byte| !is_word(*byte))
        .map_or(0, |before| before + 1);
    let end = bytes[at..]
        .iter()
        .position(|byte| !is_word(*byte))
        .map_or(bytes.len(), |length| at + length);
    let word = match random.below(5) {
        0 if !numbers => "",
        1 if !numbers => random.pick(NAMES),
        _ => random.pick(NUMBERS),
    };
    [&bytes[..start.min(end)], word.as_bytes(), &bytes[end..]].concat()
}

/// Replaces a value of the document.
fn in_json(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let Ok(mut document) = serde_json::from_slice(bytes) else {
        return in_text(bytes, random);
    };
    let depth = 1 + random.below(7);
    change(&mut document, depth, random);
    let mut text = document.to_string();
    for number in NUMBERS {
        text = text.replace(&format!("\"{BARE}{number}\""), number);
    }
    text.into_bytes()
}

/// Marks texts that are written without quotes: numbers that [`Value`] cannot hold, such as `NaN`.
const BARE: &str = "bare ";

/// Damage to a JSON document: mostly to one of its values.
pub(crate) fn damaged_document(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    if random.once_in(4) {
        damaged(bytes, random)
    } else {
        in_json(bytes, random)
    }
}

/// Kinds of chunks that a PNG may have, with content that decoders unpack or count.
const CHUNKS: &[&[u8; 4]] = &[
    b"iCCP", b"zTXt", b"iTXt", b"PLTE", b"tRNS", b"acTL", b"fdAT", b"IDAT",
];

/// Damages a chunk of a PNG, and corrects its length and checksum.
pub(crate) fn damaged_png(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let (magic, mut rest) = bytes.split_at(8);
    let mut chunks = Vec::new();
    while let Some((length, after)) = rest.split_first_chunk() {
        let length = u32::from_be_bytes(*length) as usize;
        chunks.push(after[..4 + length].to_vec());
        rest = &after[4 + length + 4..];
    }
    let (at, other) = (random.below(chunks.len()), random.below(chunks.len()));
    match random.below(8) {
        0 => return damaged(bytes, random),
        1 => drop(chunks.remove(at)),
        2 => chunks.insert(other, chunks[at].clone()),
        3 => chunks[at][..4].copy_from_slice(*random.pick(CHUNKS)),
        _ => {
            let content = damaged(&chunks[at][4..], random);
            chunks[at].truncate(4);
            chunks[at].extend(content);
        }
    }
    let mut png = magic.to_vec();
    for content in chunks {
        png.extend(chunk(&content));
    }
    png
}

/// A chunk of a PNG.
///
/// * `content` – its kind and its data.
pub(crate) fn chunk(content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len() - 4).expect("it is short");
    let (length, crc) = (length.to_be_bytes(), crc(content).to_be_bytes());
    [&length, content, &crc].concat()
}

/// The checksum of a chunk (PNG specification, annex D).
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        let crc = crc ^ u32::from(*byte);
        (0..8).fold(crc, |crc, _| (crc >> 1) ^ (0xedb8_8320 * (crc & 1)))
    })
}

/// The same in the first chunk of a GLB, whose lengths are then corrected.
fn in_glb(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let length = bytes.get(12..16).and_then(|length| length.first_chunk());
    let end = length.map_or(0, |length| 20 + u32::from_le_bytes(*length) as usize);
    let Some(json) = bytes.get(20..end).filter(|_| random.below(3) > 0) else {
        return in_fields(bytes.to_vec(), random);
    };
    let mut json = in_json(json, random);
    json.resize(json.len().next_multiple_of(4), b' ');
    let length = |length: usize| u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes();
    let rest = &bytes[end..];
    let whole = length(20 + json.len() + rest.len());
    [
        &bytes[..8],
        &whole,
        &length(json.len()),
        &bytes[16..20],
        &json,
        rest,
    ]
    .concat()
}

/// Changes a value at most `depth` levels below `value`.
fn change(value: &mut Value, depth: usize, random: &mut Random) {
    let is_leaf = !matches!(value, Value::Array(items) if !items.is_empty())
        && !matches!(value, Value::Object(members) if !members.is_empty());
    if depth == 0 || is_leaf {
        return replace(value, random);
    }
    match value {
        Value::Array(items) => {
            let at = random.below(items.len());
            match random.below(16) {
                0 => drop(items.remove(at)),
                1 => {
                    let copies = 1 << random.below(10);
                    items.extend(vec![items[at].clone(); copies]);
                }
                _ => change(&mut items[at], depth - 1, random),
            }
        }
        Value::Object(members) => {
            let keys: Vec<String> = members.keys().cloned().collect();
            let (key, other) = (random.pick(&keys), random.pick(&keys));
            match random.below(16) {
                0 => drop(members.remove(key)),
                1 => drop(members.insert(other.clone(), members[key].clone())),
                _ => change(&mut members[key], depth - 1, random),
            }
        }
        _ => {}
    }
}

fn replace(value: &mut Value, random: &mut Random) {
    if let Value::String(text) = value
        && let Some(start) = text.find("base64,").filter(|_| random.below(4) > 0)
    {
        // Replaces letters of base64, so that the numbers of a buffer change.
        for _ in 0..=random.below(4) {
            let at = (start + 7 + random.below(text.len())).min(text.len());
            let end = (at + 1 + random.below(6)).min(text.len());
            let letter = *random.pick(&["A", "/", "8", "f"]);
            if text.is_char_boundary(at) && text.is_char_boundary(end) {
                text.replace_range(at..end, &letter.repeat(end - at));
            }
        }
        return;
    }
    if let Value::String(text) = value
        && text.len() > 100
        && text.bytes().all(|byte| byte.is_ascii_hexdigit())
        && random.below(4) > 0
    {
        // Packed bytes.
        for _ in 0..=random.below(3) {
            let at = random.below(text.len());
            text.replace_range(at..=at, random.pick::<&str>(&["0", "1", "7", "8", "f"]));
        }
        return;
    }
    let kinds = if value.is_number() { 24 } else { 9 };
    *value = match random.below(kinds) {
        0 => Value::Null,
        1 => Value::from(*random.pick(NAMES)),
        2 => Value::Array(vec![value.clone(); random.below(4)]),
        3..8 => random.below(40).into(),
        _ => {
            let number = *random.pick(NUMBERS);
            serde_json::from_str(number).unwrap_or_else(|_| format!("{BARE}{number}").into())
        }
    };
}
