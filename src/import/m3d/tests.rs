use std::fs;

use super::*;

pub(super) fn arm() -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    fs::read(folder.join("arm.m3d")).unwrap()
}

pub(super) fn read(bytes: &[u8]) -> Result<Asset, Damage> {
    let asset = parse(bytes, "test")?;
    asset.validate().expect("what is not refused is valid");
    Ok(asset)
}

/// `body` as a zlib stream of one stored block (RFC 1950, RFC 1951 §3.2.4).
fn packed(body: &[u8]) -> Vec<u8> {
    let len = u16::try_from(body.len()).unwrap();
    let (a, b) = body.iter().fold((1_u32, 0_u32), |(a, b), &byte| {
        let a = (a + u32::from(byte)) % 65521;
        (a, (b + a) % 65521)
    });
    let mut stream = vec![0x78, 0x01, 0x01];
    stream.extend(len.to_le_bytes());
    stream.extend((!len).to_le_bytes());
    stream.extend(body);
    stream.extend((b << 16 | a).to_be_bytes());
    stream
}

#[test]
fn a_compressed_file_is_the_same_model() {
    let plain = arm();
    let whole = [&plain[..8], &packed(&plain[8..])].concat();
    assert_eq!(read(&whole).unwrap(), read(&plain).unwrap());
}

#[test]
fn a_preview_before_the_model_is_skipped() {
    let plain = arm();
    let preview = b"PRVW\x0c\0\0\0\x89PNG";
    let whole = [&plain[..8], preview, &plain[8..]].concat();
    assert_eq!(read(&whole).unwrap(), read(&plain).unwrap());
}

#[test]
fn a_file_cut_at_any_byte_is_refused() {
    let whole = arm();
    for len in 0..whole.len() {
        assert!(read(&whole[..len]).is_err(), "{len} bytes");
    }
}

#[test]
fn any_byte_of_the_file_may_be_anything() {
    let whole = arm();
    for at in 0..whole.len() {
        for byte in [0, 1, 0x7f, 0x80, 0xfd, 0xff] {
            let mut damaged = whole.clone();
            damaged[at] = byte;
            let _ = read(&damaged);
        }
    }
}

/// Sets the byte that is `behind` bytes behind the head of a chunk.
fn with(magic: [u8; 4], behind: usize, byte: u8) -> Vec<u8> {
    let mut file = arm();
    let place = file.windows(4).position(|window| window == magic).unwrap();
    file[place + 8 + behind] = byte;
    file
}

#[test]
fn a_refusal_says_what_is_wrong() {
    let cases = [
        (
            b"3dmodel 1.0\n".to_vec(),
            "it does not begin as a binary Model 3D does",
        ),
        (
            b"3DMO\x10\0\0\0deflate?".to_vec(),
            "its compressed part cannot be unpacked",
        ),
        (
            with(*b"MESH", 0, 0x40),
            "a face has 4 corners, and only triangles are known",
        ),
        (
            with(*b"MESH", 1, 200),
            "a face names vector 200, and there are 62",
        ),
        (with(*b"BONE", 2, 1), "bone 0 is its own ancestor"),
        (
            with(*b"BONE", 2, 9),
            "bone 0 names parent 9, but there are 3",
        ),
        (
            with(*b"ACTN", 13, 7),
            "action 0 names bone 7, and there are 3",
        ),
        (with(*b"BONE", 0, 250), "the chunk BONE is cut"),
    ];
    for (file, message) in cases {
        assert_eq!(read(&file).expect_err(message).to_string(), message);
    }
}

#[test]
fn the_header_states_the_unit() {
    let mut file = arm();
    file[16..20].copy_from_slice(&0.01_f32.to_le_bytes());
    let unit = read(&file).unwrap().space.metres_per_unit.unwrap();
    assert!((unit - 0.01).abs() < 1e-8);
}

#[test]
fn a_weight_of_a_joint_that_is_not_there_is_left_out_with_a_note() {
    let file = with(*b"BONE", 2 + 3 * 7 + 2, 9);
    let asset = read(&file).unwrap();
    assert_eq!(asset.meshes[0].influences.of(0), []);
    assert!(
        asset.notes[0].message.starts_with("left out"),
        "{:?}",
        asset.notes
    );
}
